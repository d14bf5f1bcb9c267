//! The rows.

use crate::{Function, compare, convert, lists, numbers, objects, texts};

const MANY: usize = usize::MAX;

macro_rules! functions {
    ($($name:literal $(or $alias:literal)* ($signature:literal) $args:expr, $apply:path:
        $doc:literal;)*) => {
        /// Every function.
        pub static FUNCTIONS: &[Function] = &[$(Function {
            name: $name,
            aliases: &[$($alias),*],
            args: $args,
            signature: $signature,
            doc: $doc,
            apply: $apply,
        }),*];
    };
}

functions! {
    "add" ("a, b, ...") 2..=MANY, numbers::add:
        "The sum of numbers, where null counts as 0; texts, or lists, one after the other.";
    "sub" ("a, b") 2..=2, numbers::sub:
        "`a` less `b`; null counts as 0.";
    "mul" ("a, b, ...") 2..=MANY, numbers::mul:
        "The product of numbers; null counts as 0.";
    "div" ("a, b") 2..=2, numbers::div:
        "`a` by `b`, with a point.";
    "idiv" ("a, b") 2..=2, numbers::idiv:
        "`a` by `b`, rounded down.";
    "mod" ("a, b") 2..=2, numbers::modulo:
        "What `idiv` leaves over; it has the sign of `b`.";
    "pow" ("a, b") 2..=2, numbers::pow:
        "`a` to the power of `b`.";
    "abs" ("a") 1..=1, numbers::abs:
        "`a` without its sign.";
    "ceil" ("a") 1..=1, numbers::ceil:
        "The next whole number above.";
    "floor" ("a") 1..=1, numbers::floor:
        "The next whole number below.";
    "round" ("a, [digits]") 1..=2, numbers::round:
        "The nearest whole number, of two the even one; or the nearest number with so many \
         digits behind the point.";
    "min" ("a, b, ... or list") 1..=MANY, numbers::min:
        "The smallest of numbers, or of texts.";
    "max" ("a, b, ... or list") 1..=MANY, numbers::max:
        "The largest of numbers, or of texts.";
    "clamp" ("a, low, high") 3..=3, numbers::clamp:
        "`a`, but not below `low` and not above `high`.";
    "range" ("end, or start, end, [step]") 1..=3, numbers::range:
        "The whole numbers from `start` (0) up to `end`, without `end`.";
    "eq" ("a, b") 2..=2, compare::eq:
        "Whether they are equal. A number never equals text.";
    "ne" or "neq" ("a, b") 2..=2, compare::ne:
        "Whether they differ.";
    "lt" ("a, b") 2..=2, compare::lt:
        "Whether `a` is less; of two numbers or two texts.";
    "lte" ("a, b") 2..=2, compare::lte:
        "Whether `a` is not more.";
    "gt" ("a, b") 2..=2, compare::gt:
        "Whether `a` is more.";
    "gte" ("a, b") 2..=2, compare::gte:
        "Whether `a` is not less.";
    "and" ("a, b, ...") 1..=MANY, compare::and:
        "Whether all count as true. Null, false, 0 and whatever is empty do not.";
    "or" ("a, b, ...") 1..=MANY, compare::or:
        "Whether one of them counts as true.";
    "not" ("a") 1..=1, compare::not:
        "Whether it does not count as true.";
    "if" or "ite" ("condition, then, [else]") 2..=3, compare::choose:
        "`then` if the condition counts as true, else `else` or null.";
    "contains" ("whole, part") 2..=2, compare::contains:
        "Whether a text has this part, a list this item, an object this member.";
    "id" or "echo" ("a") 1..=1, convert::identity:
        "`a` itself.";
    "str" ("a") 1..=1, convert::str:
        "Text as it is, anything else as JSON.";
    "stringify" ("a") 1..=1, convert::stringify:
        "Anything as JSON.";
    "parse" ("text") 1..=1, convert::parse:
        "What a JSON text says.";
    "int" ("a") 1..=1, convert::int:
        "A number, boolean or text as a whole number, cut at the point.";
    "float" ("a") 1..=1, convert::float:
        "A number, boolean or text as a number with a point.";
    "bool" ("a") 1..=1, convert::bool:
        "Whether it counts as true.";
    "type" ("a") 1..=1, convert::kind:
        "`null`, `boolean`, `integer`, `float`, `string`, `list` or `object`.";
    "hash" ("a") 1..=1, convert::hash:
        "SHA-256 in hex, of a text's bytes or of the canonical JSON of anything else.";
    "concat" ("a, b, ...") 1..=MANY, texts::concat:
        "Everything as one text, by `str`; lists one after the other.";
    "join" ("list, [between]") 1..=2, texts::join:
        "The items as one text, by `str`, with a text between them. The text may come first.";
    "split" ("text, [between]") 1..=2, texts::split:
        "The parts of a text; without `between`, its words.";
    "replace" ("text, old, new") 3..=3, texts::replace:
        "The text with every `old` replaced.";
    "lower" ("text") 1..=1, texts::lower:
        "In lower case.";
    "upper" ("text") 1..=1, texts::upper:
        "In upper case.";
    "strip" or "trim" ("text, [letters]") 1..=2, texts::strip:
        "Without white space, or without these letters, at both ends.";
    "lstrip" ("text, [letters]") 1..=2, texts::lstrip:
        "The same at the start.";
    "rstrip" ("text, [letters]") 1..=2, texts::rstrip:
        "The same at the end.";
    "startswith" ("text, start") 2..=2, texts::starts_with:
        "Whether the text starts so.";
    "endswith" ("text, end") 2..=2, texts::ends_with:
        "Whether the text ends so.";
    "substr" ("text, start, [length]") 2..=3, texts::substr:
        "So many letters from `start` on; from the end where `start` is below zero.";
    "format" ("template, a, b, ...") 1..=MANY, texts::format:
        "The template with `{}` replaced by the next value, `{0}` by the value at that place, \
         `{name}` by a member of the first object.";
    "len" ("a") 1..=1, lists::len:
        "How many letters, items or members there are; 0 for null.";
    "arr" ("a, b, ...") 0..=MANY, lists::arr:
        "A list of the values.";
    "push" ("list, a, b, ...") 2..=MANY, lists::push:
        "The list with the values at its end; null is an empty list.";
    "sort" ("list, [field], [order]") 1..=3, lists::sort:
        "The list sorted, by a field where one is given, `asc` or `desc`. Numbers come before \
         texts; what is missing comes last, or first where the order is `desc`.";
    "reverse" ("list or text") 1..=1, lists::reverse:
        "The other way round.";
    "flatten" ("list") 1..=1, lists::flatten:
        "The list with the items of the lists in it, one level deep.";
    "unique" ("list") 1..=1, lists::unique:
        "The list with the first of equal items.";
    "zip" ("list, list, ...") 1..=MANY, lists::zip:
        "Lists of the first items, of the second ones, and so on.";
    "slice" ("list or text, start, [end]") 2..=3, lists::slice:
        "From one place up to another, without it; places below zero count from the end.";
    "filter_high_score" ("list, bound, [field]") 2..=3, numbers::filter_high_score:
        "The items whose `score`, or other field, is at least the bound.";
    "get" ("a, key, [otherwise]") 2..=3, objects::get:
        "A member of an object, an item of a list or a letter of a text; null or `otherwise` \
         where there is none.";
    "put" ("a, key, value") 3..=3, objects::put:
        "A copy of an object or list with this member or item; null is an empty object.";
    "obj" ("name, value, ...") 0..=MANY, objects::obj:
        "An object.";
    "merge" ("a, b, ...") 1..=MANY, objects::merge:
        "An object with the members of all; later ones win.";
    "keys" ("object") 1..=1, objects::keys:
        "The names of its members.";
    "values" ("object") 1..=1, objects::values:
        "The values of its members.";
    "pick" ("object, name, ... or list") 2..=MANY, objects::pick:
        "The object with these members only.";
    "omit" ("object, name, ... or list") 2..=MANY, objects::omit:
        "The object without these members.";
}
