//! Calls of functions that the language has.

use super::{Kind, Scope, Writer};

/// Nothing doubles what it is given: rules that feed themselves would make values without end.
/// In place of `N`, `A` and `M` stand a number, anything single, and a list.
const NUMBERS: [&str; 20] = [
    "(+ N N)",
    "(- N N)",
    "(* N 2)",
    "(/ N 2)",
    "(div N 2)",
    "(mod N 3)",
    "(min N N 3)",
    "(max N N)",
    "(abs N)",
    "(float N)",
    "(integer N)",
    "(round N)",
    "(length$ M)",
    "(str-length (str-cat A A))",
    "(str-compare (str-cat A) (str-cat A))",
    "(if (eq A A) then N else 2)",
    "(* N N -1)",
    "(- 0 N)",
    "(length$ (create$ A M A))",
    "(integer (/ N 4))",
];

const SINGLES: [&str; 18] = [
    "(str-cat A x)",
    "(sym-cat x A)",
    "(format nil \"%s:%5d\" (sym-cat A) N)",
    "(format nil \"%-6.2f|%+g|%.3e\" N N N)",
    "(format nil (str-cat \"%\" (if (eq A A) then \"03\" else \"\") \"d%%\") N)",
    "(format nil \"%6.2s|%c|%x%n\" (str-cat A A) (sym-cat A) N)",
    "(upcase (str-cat A))",
    "(lowcase (sym-cat A X))",
    "(nth$ 1 (create$ A M))",
    "(sub-string 1 2 (str-cat A A))",
    "(implode$ (create$ N r \"p\"))",
    "(str-index p (str-cat A A))",
    "(member$ A (create$ M A))",
    "(if (neq A A) then A else N)",
    "(numberp A)",
    "(eq A A)",
    "(and (symbolp A) (> N 1))",
    "(subsetp M M)",
];

const LISTS: [&str; 10] = [
    "(create$ A A)",
    "(create$ M A)",
    "(insert$ (create$ M A) 1 A)",
    "(delete$ (create$ A A) 1 1)",
    "(replace$ (create$ A A A) 2 3 M)",
    "(subseq$ (create$ A M A) 1 2)",
    "(explode$ (str-cat A \" \" N))",
    "(rest$ (create$ A M))",
    "(delete-member$ (create$ M A) p)",
    "(replace-member$ (create$ A M) r A)",
];

impl Writer {
    /// A call that gives this kind, of simple arguments.
    pub(super) fn function(&mut self, kind: Kind, scope: &Scope) -> String {
        let shapes: &[&str] = match kind {
            Kind::Number => &NUMBERS,
            Kind::Many => &LISTS,
            Kind::Any | Kind::Fact(_) => &SINGLES,
        };
        let shape = *self.random.pick(shapes);
        let mut text = String::new();
        for letter in shape.chars() {
            let kind = match letter {
                'N' => Kind::Number,
                'A' => Kind::Any,
                'M' => Kind::Many,
                letter => {
                    text.push(letter);
                    continue;
                }
            };
            let argument = self.argument(kind, scope);
            text.push_str(&argument);
        }
        text
    }

    fn argument(&mut self, kind: Kind, scope: &Scope) -> String {
        let variables = super::conditions::known(scope, kind);
        if !variables.is_empty() && !self.random.one_in(4) {
            return format!("?{}", self.random.pick(&variables));
        }
        match kind {
            Kind::Many => "?*g1*".to_owned(),
            kind => self.literal(kind),
        }
    }
}
