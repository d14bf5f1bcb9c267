//! The rows, sorted by name.

use super::Run::{Facts, Pure, Sorting};
use super::{
    Cost, FunctionDef, compare, convert, curves, facts, format, kinds, lists, numbers, regex, texts,
};
use crate::program::Kinds;

const ANY: Kinds = Kinds::SINGLE.or(Kinds::MANY);
const SINGLE: Kinds = Kinds::SINGLE;
const BOOL: Kinds = Kinds::SYMBOL;
const FACT: Kinds = Kinds::FACT;
const FLOAT: Kinds = Kinds::FLOAT;
const INT: Kinds = Kinds::INT;
const LEXEME: Kinds = Kinds::LEXEME;
const MANY: Kinds = Kinds::MANY;
const NUMBER: Kinds = Kinds::NUMBER;
const SYMBOL: Kinds = Kinds::SYMBOL;
const TEXT: Kinds = Kinds::TEXT;
const WRITTEN: Kinds = LEXEME.or(NUMBER);
const FACT_OR_INDEX: Kinds = FACT.or(INT);

/// So many arguments, in two forms: `2` is exactly two, `2..` is two or more.
macro_rules! most {
    ($least:literal) => {
        Some($least)
    };
    ($least:literal ..) => {
        None
    };
    ($least:literal ..= $most:literal) => {
        Some($most)
    };
}

macro_rules! functions {
    ($($name:literal ($least:literal $($range:tt $($most:literal)?)?)
        [$($takes:expr),*] -> $gives:expr, $cost:ident, $run:expr, $about:literal;)*) => {
        /// All functions, by name.
        pub(crate) static TABLE: &[FunctionDef] = &[$(FunctionDef {
            name: $name,
            least: $least,
            most: most!($least $($range $($most)?)?),
            takes: &[$($takes),*],
            gives: $gives,
            cost: Cost::$cost,
            about: $about,
            run: $run,
        }),*];
    };
}

functions! {
    "!=" (2..) [NUMBER] -> BOOL, One, Pure(compare::other_number),
        "Whether no other number equals the first; as `<>`.";
    "*" (2..) [NUMBER] -> NUMBER, One, Pure(numbers::multiply),
        "The product; whole as long as the numbers are.";
    "**" (2) [NUMBER] -> FLOAT, One, Pure(curves::power),
        "The first number to the power of the second.";
    "+" (2..) [NUMBER] -> NUMBER, One, Pure(numbers::add),
        "The sum; whole as long as the numbers are.";
    "-" (2..) [NUMBER] -> NUMBER, One, Pure(numbers::subtract),
        "The first number less the others.";
    "/" (2..) [NUMBER] -> FLOAT, One, Pure(numbers::divide),
        "The first number by the others, always with a point.";
    "<" (2..) [NUMBER] -> BOOL, One, Pure(compare::less),
        "Whether each number is less than the next.";
    "<=" (2..) [NUMBER] -> BOOL, One, Pure(compare::at_most),
        "Whether no number is more than the next.";
    "<>" (2..) [NUMBER] -> BOOL, One, Pure(compare::other_number),
        "Whether no other number equals the first.";
    "=" (2..) [NUMBER] -> BOOL, One, Pure(compare::same_number),
        "Whether all numbers equal the first; `1` and `1.0` do.";
    ">" (2..) [NUMBER] -> BOOL, One, Pure(compare::more),
        "Whether each number is more than the next.";
    ">=" (2..) [NUMBER] -> BOOL, One, Pure(compare::at_least),
        "Whether no number is less than the next.";
    "abs" (1) [NUMBER] -> NUMBER, One, Pure(numbers::abs),
        "The number without its sign.";
    "acos" (1) [NUMBER] -> FLOAT, One, Pure(curves::acos), "The arc cosine.";
    "acosh" (1) [NUMBER] -> FLOAT, One, Pure(curves::acosh), "The inverse hyperbolic cosine.";
    "acot" (1) [NUMBER] -> FLOAT, One, Pure(curves::acot), "The arc cotangent.";
    "acoth" (1) [NUMBER] -> FLOAT, One, Pure(curves::acoth), "The inverse hyperbolic cotangent.";
    "acsc" (1) [NUMBER] -> FLOAT, One, Pure(curves::acsc), "The arc cosecant.";
    "acsch" (1) [NUMBER] -> FLOAT, One, Pure(curves::acsch), "The inverse hyperbolic cosecant.";
    "asec" (1) [NUMBER] -> FLOAT, One, Pure(curves::asec), "The arc secant.";
    "asech" (1) [NUMBER] -> FLOAT, One, Pure(curves::asech), "The inverse hyperbolic secant.";
    "asin" (1) [NUMBER] -> FLOAT, One, Pure(curves::asin), "The arc sine.";
    "asinh" (1) [NUMBER] -> FLOAT, One, Pure(curves::asinh), "The inverse hyperbolic sine.";
    "atan" (1) [NUMBER] -> FLOAT, One, Pure(curves::atan), "The arc tangent.";
    "atan2" (2) [NUMBER] -> FLOAT, One, Pure(curves::atan2),
        "The angle of a point, given how high and how far right it is.";
    "atanh" (1) [NUMBER] -> FLOAT, One, Pure(curves::atanh), "The inverse hyperbolic tangent.";
    "cos" (1) [NUMBER] -> FLOAT, One, Pure(curves::cos), "The cosine.";
    "cosh" (1) [NUMBER] -> FLOAT, One, Pure(curves::cosh), "The hyperbolic cosine.";
    "cot" (1) [NUMBER] -> FLOAT, One, Pure(curves::cot), "The cotangent.";
    "coth" (1) [NUMBER] -> FLOAT, One, Pure(curves::coth), "The hyperbolic cotangent.";
    "create$" (0..) [ANY] -> MANY, Sum, Pure(lists::create),
        "A list of all arguments; lists among them are taken apart.";
    "csc" (1) [NUMBER] -> FLOAT, One, Pure(curves::csc), "The cosecant.";
    "csch" (1) [NUMBER] -> FLOAT, One, Pure(curves::csch), "The hyperbolic cosecant.";
    "deg-grad" (1) [NUMBER] -> FLOAT, One, Pure(curves::degrees_to_gradians),
        "Degrees in gradians.";
    "deg-rad" (1) [NUMBER] -> FLOAT, One, Pure(curves::degrees_to_radians),
        "Degrees in radians.";
    "delete$" (3) [MANY, INT] -> MANY, Sum, Pure(lists::delete),
        "The list without the fields from one position to another.";
    "delete-member$" (2..) [MANY, ANY] -> MANY, Product, Pure(lists::delete_members),
        "The list without any of the values; a list is looked for as a stretch.";
    "difference$" (1..) [MANY] -> MANY, Product, Pure(lists::difference),
        "What is in the first list and in no other, each once.";
    "div" (2..) [NUMBER] -> INT, One, Pure(numbers::divide_whole),
        "The first number by the others, each without what is behind the point.";
    "eq" (2..) [ANY] -> BOOL, Sum, Pure(compare::same),
        "Whether all are the same as the first, in kind and value.";
    "evenp" (1) [INT] -> BOOL, One, Pure(kinds::even), "Whether an integer is even.";
    "exp" (1) [NUMBER] -> FLOAT, One, Pure(curves::exp), "The base of logarithms to this power.";
    "explode$" (1) [TEXT] -> MANY, Sum, Pure(convert::explode),
        "A list of the values that are written in a string.";
    "fact-addressp" (1) [ANY] -> BOOL, One, Pure(kinds::fact),
        "Whether it is the address of a fact.";
    "fact-existp" (1) [FACT_OR_INDEX] -> BOOL, One, Facts(facts::exists),
        "Whether the fact is there; an integer is an index.";
    "fact-index" (1) [FACT] -> INT, One, Facts(facts::index), "The index of a fact.";
    "fact-relation" (1) [FACT_OR_INDEX] -> SYMBOL, One, Facts(facts::relation),
        "The name of the fact's template.";
    "fact-slot-names" (1) [FACT_OR_INDEX] -> ANY, One, Facts(facts::slot_names),
        "The names of the fact's slots; `implied` for an ordered fact.";
    "fact-slot-value" (2) [FACT_OR_INDEX, SYMBOL] -> ANY, One, Facts(facts::slot_value),
        "What a slot of the fact holds.";
    "first$" (1) [MANY] -> MANY, One, Pure(lists::first),
        "A list of the first field, or of none.";
    "float" (1) [NUMBER] -> FLOAT, One, Pure(numbers::float), "The number with a point.";
    "floatp" (1) [ANY] -> BOOL, One, Pure(kinds::float), "Whether it is a float.";
    "format" (2..) [WRITTEN, TEXT, WRITTEN] -> TEXT, Digits, Pure(format::text),
        "The values as a control text writes them, which is printed, too, where the first \
         argument is `t`.";
    "grad-deg" (1) [NUMBER] -> FLOAT, One, Pure(curves::gradians_to_degrees),
        "Gradians in degrees.";
    "implode$" (1) [MANY] -> TEXT, Sum, Facts(facts::implode),
        "A list as a string, its fields as programs write them.";
    "insert$" (3..) [MANY, INT, ANY] -> MANY, Sum, Pure(lists::insert),
        "The list with values before a position, or at its end.";
    "integer" (1) [NUMBER] -> INT, One, Pure(numbers::integer),
        "The number without what is behind the point.";
    "integerp" (1) [ANY] -> BOOL, One, Pure(kinds::integer), "Whether it is an integer.";
    "intersection$" (0..) [MANY] -> MANY, Product, Pure(lists::intersection),
        "What is in all lists, each once.";
    "length$" (1) [MANY] -> INT, One, Pure(lists::length), "How many fields a list has.";
    "lexemep" (1) [ANY] -> BOOL, One, Pure(kinds::lexeme), "Whether it is a symbol or a string.";
    "log" (1) [NUMBER] -> FLOAT, One, Pure(curves::log), "The natural logarithm.";
    "log10" (1) [NUMBER] -> FLOAT, One, Pure(curves::log10), "The logarithm to base 10.";
    "lowcase" (1) [LEXEME] -> LEXEME, Sum, Pure(texts::lower),
        "With small letters; those beyond ASCII stay.";
    "max" (1..) [NUMBER] -> NUMBER, One, Pure(numbers::max), "The largest number.";
    "member$" (2) [ANY, MANY] -> BOOL.or(INT).or(MANY), Product, Pure(lists::member),
        "The position of a value in a list, or `FALSE`; of a list, where it begins and ends.";
    "min" (1..) [NUMBER] -> NUMBER, One, Pure(numbers::min), "The smallest number.";
    "mod" (2) [NUMBER] -> NUMBER, One, Pure(numbers::modulo),
        "What a division leaves over; it has the sign of the first number.";
    "multifieldp" (1) [ANY] -> BOOL, One, Pure(kinds::list), "Whether it is a list.";
    "neq" (2..) [ANY] -> BOOL, Sum, Pure(compare::other),
        "Whether none is the same as the first.";
    "not" (1) [ANY] -> BOOL, One, Pure(compare::not), "Whether it is `FALSE`.";
    "nth$" (2) [INT, MANY] -> SINGLE, One, Pure(lists::nth),
        "The field at a position, or `nil`.";
    "numberp" (1) [ANY] -> BOOL, One, Pure(kinds::number), "Whether it is a number.";
    "oddp" (1) [INT] -> BOOL, One, Pure(kinds::odd), "Whether an integer is odd.";
    "pi" (0) [] -> FLOAT, One, Pure(curves::pi), "The number pi.";
    "rad-deg" (1) [NUMBER] -> FLOAT, One, Pure(curves::radians_to_degrees),
        "Radians in degrees.";
    "regex-match" (2) [LEXEME] -> BOOL, Sum, Pure(regex::matches),
        "Whether a pattern is somewhere in a text; `^` and `$` ask for its ends.";
    "replace$" (4..) [MANY, INT, INT, ANY] -> MANY, Sum, Pure(lists::replace),
        "The list with values in place of the fields from one position to another.";
    "replace-member$" (3..) [MANY, ANY] -> MANY, Product, Pure(lists::replace_members),
        "The list with the second argument wherever one of those after it was.";
    "rest$" (1) [MANY] -> MANY, Sum, Pure(lists::rest), "The list without its first field.";
    "round" (1) [NUMBER] -> INT, One, Pure(numbers::round),
        "The nearest integer; of two, the one further from zero.";
    "sec" (1) [NUMBER] -> FLOAT, One, Pure(curves::sec), "The secant.";
    "sech" (1) [NUMBER] -> FLOAT, One, Pure(curves::sech), "The hyperbolic secant.";
    "sin" (1) [NUMBER] -> FLOAT, One, Pure(curves::sin), "The sine.";
    "sinh" (1) [NUMBER] -> FLOAT, One, Pure(curves::sinh), "The hyperbolic sine.";
    "sort" (1..) [SYMBOL, ANY] -> BOOL.or(MANY), Sum, Sorting,
        "A list of the values in order; the first argument names a function that says of two \
         values whether they have to change places.";
    "sqrt" (1) [NUMBER] -> FLOAT, One, Pure(curves::sqrt), "The square root.";
    "str-byte-length" (1) [LEXEME] -> INT, One, Pure(texts::bytes),
        "How many bytes a text has.";
    "str-cat" (1..) [WRITTEN] -> LEXEME, Sum, Pure(texts::string),
        "One string of all arguments.";
    "str-compare" (2..=3) [LEXEME, LEXEME, INT] -> INT, Sum, Pure(texts::compare),
        "-1, 0 or 1: how two texts, or so many bytes of them, are ordered.";
    "str-index" (2) [LEXEME] -> BOOL.or(INT), Sum, Pure(texts::position),
        "Where a text begins in another, or `FALSE`.";
    "str-length" (1) [LEXEME] -> INT, Sum, Pure(texts::length), "How many letters a text has.";
    "str-replace" (3) [LEXEME] -> LEXEME, Sum, Pure(texts::replaced),
        "A text with the third argument wherever the second was.";
    "string-to-field" (1) [LEXEME] -> ANY, Sum, Pure(convert::first),
        "The first value that is written in a text, or `EOF`.";
    "stringp" (1) [ANY] -> BOOL, One, Pure(kinds::string), "Whether it is a string.";
    "sub-string" (3) [INT, INT, LEXEME] -> TEXT, Sum, Pure(texts::part),
        "The letters of a text from one position to another.";
    "subseq$" (3) [MANY, INT] -> MANY, Sum, Pure(lists::part),
        "The fields of a list from one position to another.";
    "subsetp" (2) [MANY] -> BOOL, Product, Pure(lists::subset),
        "Whether every field of one list is in another.";
    "sym-cat" (1..) [WRITTEN] -> LEXEME, Sum, Pure(texts::symbol),
        "One symbol of all arguments.";
    "symbolp" (1) [ANY] -> BOOL, One, Pure(kinds::symbol), "Whether it is a symbol.";
    "tan" (1) [NUMBER] -> FLOAT, One, Pure(curves::tan), "The tangent.";
    "tanh" (1) [NUMBER] -> FLOAT, One, Pure(curves::tanh), "The hyperbolic tangent.";
    "union$" (0..) [MANY] -> MANY, Product, Pure(lists::union),
        "What is in any of the lists, each once.";
    "upcase" (1) [LEXEME] -> LEXEME, Sum, Pure(texts::upper),
        "With capital letters; those beyond ASCII stay.";
}
