//! A program of rules as its author wrote it, with the names of templates, slots, functions and
//! globals resolved. What its variables stand for is decided when its patterns are joined.

mod visit;

use std::fmt;

use diagnostics::Span;
use value::Text;

use crate::field::{Field, Names};
pub use visit::Asked;

/// The position of a template in [`Program::templates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TemplateId(pub u32);

/// The position of a global in [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// The position of a function in [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A variable of one rule or one function: its position in the list of their names, and in the
/// frame of values with which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// Everything a text of constructs says.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Templates, also those that were never written but follow from an ordered fact.
    pub templates: Vec<Template>,
    /// Globals, in the order in which they get their values.
    pub globals: Vec<Global>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Facts that a reset asserts, in order.
    pub facts: Vec<InitialFacts>,
    /// Rules. The order counts: of two rules that one fact completes, the earlier fires first.
    pub rules: Vec<Rule>,
    /// The symbols and strings in it.
    pub(crate) names: Names,
}

/// What facts of one name look like.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub name: Text,
    /// Whether its facts are ordered: then it has one slot, a list, that facts do not name.
    pub ordered: bool,
    /// Its slots.
    pub slots: Vec<Slot>,
    /// Where its name stands, or where an ordered fact first used it.
    pub span: Span,
}

/// One slot.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its name.
    pub name: Text,
    /// Whether it holds a list.
    pub many: bool,
    /// What it holds where a fact does not say.
    pub default: Default,
    /// What it may hold.
    pub limits: Limits,
    /// Where its name stands.
    pub span: Span,
}

/// What a slot holds where a fact does not say.
#[derive(Clone, Debug)]
pub enum Default {
    /// A fact must say.
    Required,
    /// One value, for every fact. For a list slot it is a list.
    Value(Field),
    /// Computed for each fact: `default-dynamic`.
    Computed(Vec<Expr>),
}

/// What a slot may hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Which kinds of values.
    pub kinds: Kinds,
    /// Only these, where it says so; values of kinds that the list does not restrict are free.
    pub allowed: Option<Allowed>,
    /// Numbers only within these bounds; none is without end.
    pub range: Option<(Option<Field>, Option<Field>)>,
    /// How many fields a list has.
    pub cardinality: (u64, Option<u64>),
}

/// Values that are allowed, and for which kinds the list speaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// The kinds whose other values are excluded.
    pub kinds: Kinds,
    /// The values.
    pub values: Vec<Field>,
}

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(pub u8);

impl Kinds {
    /// Symbols.
    pub const SYMBOL: Kinds = Kinds(1);
    /// Strings.
    pub const TEXT: Kinds = Kinds(2);
    /// Whole numbers.
    pub const INT: Kinds = Kinds(4);
    /// Other numbers.
    pub const FLOAT: Kinds = Kinds(8);
    /// Addresses of facts.
    pub const FACT: Kinds = Kinds(16);
    /// Lists. No slot's limits name it: it is for what functions take and give.
    pub const MANY: Kinds = Kinds(32);
    /// Every kind of single value.
    pub const SINGLE: Kinds = Kinds(31);
    /// Symbols and strings.
    pub const LEXEME: Kinds = Kinds(3);
    /// Numbers.
    pub const NUMBER: Kinds = Kinds(12);

    /// The kind of a value.
    pub fn of(field: &Field) -> Kinds {
        match field {
            Field::Bool(_) | Field::Symbol(_) => Kinds::SYMBOL,
            Field::Text(_) => Kinds::TEXT,
            Field::Int(_) => Kinds::INT,
            Field::Float(_) => Kinds::FLOAT,
            Field::Fact(_) => Kinds::FACT,
            Field::Many(_) => Kinds::MANY,
        }
    }

    /// Both sets together.
    #[must_use]
    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether they share a kind.
    pub const fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all of the other set is in this one.
    pub const fn holds(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }
}

/// As messages and the reference name them: "a number, a symbol or a list".
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WORDS: [(Kinds, &str); 9] = [
            (Kinds(63), "a value"),
            (Kinds::SINGLE, "a single value"),
            (Kinds::NUMBER, "a number"),
            (Kinds::INT, "an integer"),
            (Kinds::FLOAT, "a float"),
            (Kinds::SYMBOL, "a symbol"),
            (Kinds::TEXT, "a string"),
            (Kinds::FACT, "the address of a fact"),
            (Kinds::MANY, "a list"),
        ];
        let mut rest = *self;
        let mut words = Vec::new();
        for (kinds, word) in WORDS {
            if rest.holds(kinds) {
                words.push(word);
                rest = Kinds(rest.0 & !kinds.0);
            }
        }
        match words.as_slice() {
            [] => f.write_str("nothing"),
            [word] => f.write_str(word),
            [first @ .., last] => write!(f, "{} or {last}", first.join(", ")),
        }
    }
}

/// A variable of all rules.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name, without the asterisks.
    pub name: Text,
    /// What it is at first.
    pub value: Expr,
    /// Where its name stands.
    pub span: Span,
}

/// A function that the program defines.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Text,
    /// Its variables; the parameters come first.
    pub variables: Vec<Text>,
    /// How many single parameters it has.
    pub parameters: u32,
    /// Whether the variable after them takes the rest of the arguments, as a list.
    pub rest: bool,
    /// What it does. Its value is that of the last action.
    pub body: Vec<Expr>,
    /// Where its name stands.
    pub span: Span,
}

/// A named list of facts that a reset asserts.
#[derive(Clone, Debug)]
pub struct InitialFacts {
    /// Its name.
    pub name: Text,
    /// The facts.
    pub facts: Vec<NewFact>,
    /// Where its name stands.
    pub span: Span,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: Text,
    /// How urgent it is, where it says so; evaluated when the program is compiled.
    pub salience: Option<Expr>,
    /// Its conditions, all of which must hold.
    pub when: Vec<Condition>,
    /// What it does.
    pub then: Vec<Expr>,
    /// The names of its variables, without `?`.
    pub variables: Vec<Text>,
    /// Where its name stands.
    pub span: Span,
    /// Where it stands as a whole.
    pub whole: Span,
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A fact of this shape is there.
    Pattern(Pattern),
    /// An expression is not `FALSE`.
    Test(Expr),
    /// All hold.
    And(Vec<Condition>, Span),
    /// One holds; the rule is as many rules as there are ways.
    Or(Vec<Condition>, Span),
    /// It does not hold.
    Not(Box<Condition>, Span),
    /// There is a way to make all hold; it counts once, however many ways there are.
    Exists(Vec<Condition>, Span),
    /// Wherever the first holds, the others do.
    Forall(Vec<Condition>, Span),
    /// All hold, and what the rule asserts is withdrawn when they no longer do.
    Logical(Vec<Condition>, Span),
}

/// The shape of a fact.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The variable that gets the fact's address: `?f <-`.
    pub fact: Option<VariableId>,
    /// Where `?f <-` stands; empty where it does not.
    pub fact_span: Span,
    /// Which facts.
    pub template: TemplateId,
    /// What is asked of their slots, in the order written. An ordered pattern asks of slot 0.
    pub slots: Vec<SlotPattern>,
    /// Where it stands.
    pub span: Span,
}

/// What a pattern asks of a slot.
#[derive(Clone, Debug)]
pub struct SlotPattern {
    /// The slot's position in the template.
    pub slot: u32,
    /// One for a slot with one field; any number, in order, for a list.
    pub fields: Vec<FieldPattern>,
    /// Where it stands.
    pub span: Span,
}

/// What is asked of one field, or, where it is `many`, of any stretch of fields.
#[derive(Clone, Debug)]
pub struct FieldPattern {
    /// Whether it is `$?` or begins with `$?x`: any number of fields.
    pub many: bool,
    /// The variable that it binds or compares, where it begins with one: `?x`, `?x&~red`.
    pub variable: Option<VariableId>,
    /// What else is asked: one of these must hold, each being terms that all hold. Empty asks
    /// for nothing.
    pub any: Vec<Vec<Term>>,
    /// Where it stands.
    pub span: Span,
}

/// One part of a connected constraint.
#[derive(Clone, Debug)]
pub struct Term {
    /// Whether it is turned around: `~`.
    pub negated: bool,
    /// What is asked.
    pub kind: TermKind,
    /// Where it stands.
    pub span: Span,
}

/// What a part of a constraint asks.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// To be this value.
    Constant(Field),
    /// To be what the variable is; it is bound elsewhere.
    Variable(VariableId),
    /// That the expression is not `FALSE`: `:(...)`.
    Holds(Expr),
    /// To be what the expression gives: `=(...)`.
    Equals(Expr),
}

/// A fact to be: what an assertion or an initial fact says.
#[derive(Clone, Debug)]
pub struct NewFact {
    /// Of which template.
    pub template: TemplateId,
    /// What is said of which slot. An ordered fact says slot 0.
    pub slots: Vec<(u32, Vec<Expr>)>,
    /// Where it stands.
    pub span: Span,
}

/// An expression or an action, and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression or an action is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A value.
    Constant(Field),
    /// `?x` or `$?x`.
    Variable(VariableId),
    /// `?*x*`.
    Global(GlobalId),
    /// A function of the table, by its position there.
    Call(u16, Vec<Expr>),
    /// A function of the program.
    Apply(FunctionId, Vec<Expr>),
    /// `(if c then ... else ...)`
    If(Box<Expr>, Vec<Expr>, Vec<Expr>),
    /// `(while c do ...)`
    While(Box<Expr>, Vec<Expr>),
    /// `(loop-for-count (?i a b) do ...)`
    Count {
        /// The variable that counts, where one is named.
        variable: Option<VariableId>,
        /// The first number.
        from: Box<Expr>,
        /// The last number.
        to: Box<Expr>,
        /// What is done for each.
        body: Vec<Expr>,
    },
    /// `(progn$ (?x list) ...)` or `(foreach ?x list do ...)`
    Each {
        /// The variable that gets each field, in order.
        variable: VariableId,
        /// The variable that gets its position: `?x-index`.
        index: VariableId,
        /// The list.
        list: Box<Expr>,
        /// What is done for each.
        body: Vec<Expr>,
    },
    /// `(switch x (case v then ...) ... (default ...))`
    Switch(Box<Expr>, Vec<(Expr, Vec<Expr>)>, Option<Vec<Expr>>),
    /// `(progn ...)`
    Sequence(Vec<Expr>),
    /// `(and ...)`: stops at the first that is `FALSE`.
    And(Vec<Expr>),
    /// `(or ...)`: stops at the first that is not.
    Or(Vec<Expr>),
    /// `(bind ?x ...)`; without values the variable is unbound again.
    Bind(VariableId, Vec<Expr>),
    /// `(bind ?*x* ...)`; without values the global is what it was at first.
    BindGlobal(GlobalId, Vec<Expr>),
    /// `(return x)`
    Return(Option<Box<Expr>>),
    /// `(break)`
    Break,
    /// `(assert ...)`: the address of the last fact.
    Assert(Vec<NewFact>),
    /// `(retract ...)`
    Retract(Vec<Expr>),
    /// `(modify f (slot ...))`: what is said of which slot, by position; the template is known
    /// when the fact is.
    Modify(Box<Expr>, Vec<(Text, Vec<Expr>, Span)>),
    /// `(duplicate f (slot ...))`
    Duplicate(Box<Expr>, Vec<(Text, Vec<Expr>, Span)>),
    /// `(printout t ...)`; to `nil` it prints nothing.
    Print(Box<Expr>, Vec<Expr>),
    /// `(halt)`: no rule fires after this one.
    Halt,
}
