//! Expressions: what they read on the way, and what they give.

use ruff_python_ast::{
    BoolOp, CmpOp, Comprehension, Expr, ExprBoolOp, ExprCompare, ExprSubscript,
    InterpolatedStringElement,
};

use super::Flow;
use super::places::Place;

impl<'a> Flow<'a> {
    /// The value is looked at, and nothing keeps it.
    pub(super) fn look(&mut self, expression: &'a Expr) -> Place<'a> {
        let place = self.value(expression);
        self.reads_all |= matches!(place, Place::State | Place::Data);
        place
    }

    /// The value goes where it cannot be followed.
    pub(super) fn escape(&mut self, expression: &'a Expr) {
        if matches!(self.look(expression), Place::State | Place::Data) {
            self.inexact = true;
        }
    }

    /// What the expression gives; what becomes of it is up to the caller.
    pub(super) fn value(&mut self, expression: &'a Expr) -> Place<'a> {
        match expression {
            Expr::Name(name) => return self.places.of(&name.id),
            Expr::Attribute(attribute) => {
                return match (self.value(&attribute.value), attribute.attr.as_str()) {
                    (Place::State, "data") => Place::Data,
                    (Place::State, name) => Place::Store(name),
                    // A method that is not called here may be called anywhere.
                    (Place::Data, _) => {
                        self.inexact = true;
                        Place::Elsewhere
                    }
                    (Place::Inside(key), _) => Place::Inside(key),
                    _ => Place::Elsewhere,
                };
            }
            Expr::Subscript(item) => return self.item(item),
            Expr::Call(call) => return self.call(call),
            Expr::BoolOp(operation) => return self.bool_op(operation),
            Expr::If(choice) => {
                self.look(&choice.test);
                let guards = self.guards_of(&choice.test);
                let yes =
                    self.maybe(|flow| flow.given(&guards.yes, |flow| flow.value(&choice.body)));
                let no =
                    self.maybe(|flow| flow.given(&guards.no, |flow| flow.value(&choice.orelse)));
                return yes.or(no);
            }
            Expr::Named(named) => {
                let place = self.value(&named.value);
                self.store(&named.target, place);
                return place;
            }
            Expr::Starred(starred) => return self.look(&starred.value).copy(),
            Expr::Await(wait) => return self.value(&wait.value),
            Expr::ListComp(list) => return self.comprehension(&list.generators, &[&list.elt]),
            Expr::SetComp(set) => return self.comprehension(&set.generators, &[&set.elt]),
            Expr::Generator(generator) => {
                return self.comprehension(&generator.generators, &[&generator.elt]);
            }
            Expr::DictComp(dict) => {
                return match &dict.key {
                    Some(key) => self.comprehension(&dict.generators, &[key, &dict.value]),
                    None => self.comprehension(&dict.generators, &[&dict.value]),
                };
            }
            Expr::Compare(comparison) => self.compare(comparison),
            Expr::Lambda(lambda) => {
                lambda.parameters.iter().for_each(|parameters| self.defaults(parameters));
                self.later(|flow| _ = flow.look(&lambda.body));
            }
            Expr::BinOp(operation) => {
                let (left, right) = (self.look(&operation.left), self.look(&operation.right));
                return left.copy().or(right.copy());
            }
            Expr::UnaryOp(operation) => _ = self.look(&operation.operand),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|item| self.escape(item)),
            Expr::List(list) => list.elts.iter().for_each(|item| self.escape(item)),
            Expr::Set(set) => set.elts.iter().for_each(|item| self.escape(item)),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    match &item.key {
                        Some(key) => {
                            self.look(key);
                            self.escape(&item.value);
                        }
                        None => _ = self.look(&item.value),
                    }
                }
            }
            Expr::FString(text) => {
                text.value.elements().for_each(|element| self.interpolation(element))
            }
            Expr::TString(text) => {
                text.value.elements().for_each(|element| self.interpolation(element))
            }
            Expr::Slice(slice) => {
                let parts = [&slice.lower, &slice.upper, &slice.step];
                parts.into_iter().flatten().for_each(|part| _ = self.look(part));
            }
            Expr::Yield(give) => give.value.iter().for_each(|value| self.escape(value)),
            Expr::YieldFrom(give) => self.escape(&give.value),
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::IpyEscapeCommand(_) => {}
        }
        Place::Elsewhere
    }

    fn item(&mut self, item: &'a ExprSubscript) -> Place<'a> {
        match (self.value(&item.value), &*item.slice) {
            (Place::Data, Expr::StringLiteral(key)) => {
                let key = self.keys.key(key.value.to_str());
                self.needed(key, item);
                Place::Inside(Some(key))
            }
            (Place::Data, slice) => {
                self.look(slice);
                self.reads_all = true;
                Place::Inside(None)
            }
            (place, slice) => {
                self.look(slice);
                self.inexact |= place == Place::State;
                if slice.is_slice_expr() { place.copy() } else { place.item() }
            }
        }
    }

    /// `a and b and c`, where each is only reached after the ones before.
    fn bool_op(&mut self, operation: &'a ExprBoolOp) -> Place<'a> {
        let mark = self.keys.guards();
        let mut place = Place::Elsewhere;
        for (index, operand) in operation.values.iter().enumerate() {
            let given = match index {
                0 => self.value(operand),
                _ => self.maybe(|flow| flow.value(operand)),
            };
            place = place.or(given);
            let guards = self.guards_of(operand);
            let known = match operation.op {
                BoolOp::And => guards.yes,
                BoolOp::Or => guards.no,
            };
            known.into_iter().for_each(|key| self.keys.guard(key));
        }
        self.keys.release(mark);
        place
    }

    fn compare(&mut self, comparison: &'a ExprCompare) {
        let mut left = &*comparison.left;
        let mut before = self.value(left);
        for (op, right) in comparison.ops.iter().zip(&comparison.comparators) {
            let place = self.value(right);
            match (op, left, place) {
                (CmpOp::In | CmpOp::NotIn, Expr::StringLiteral(key), Place::Data) => {
                    let key = self.keys.key(key.value.to_str());
                    self.keys.read(key);
                }
                (CmpOp::Is | CmpOp::IsNot, ..) => {}
                _ => {
                    self.reads_all |= [before, place]
                        .iter()
                        .any(|place| matches!(place, Place::State | Place::Data))
                }
            }
            (left, before) = (right, place);
        }
    }

    fn comprehension(&mut self, generators: &'a [Comprehension], items: &[&'a Expr]) -> Place<'a> {
        let mark = self.keys.guards();
        let around = self.conditional;
        let mut shadowed = Vec::new();
        for generator in generators {
            let place = self.look(&generator.iter);
            // Bound for this comprehension only: what a name was before does not shine through.
            self.names_of(&generator.target, &mut shadowed);
            let conditional = std::mem::take(&mut self.conditional);
            self.store(&generator.target, place.item());
            self.conditional = conditional + 1;
            for condition in &generator.ifs {
                self.look(condition);
                let guards = self.guards_of(condition);
                guards.yes.into_iter().for_each(|key| self.keys.guard(key));
            }
        }
        let mut place = Place::Elsewhere;
        for item in items {
            let given = self.value(item);
            if matches!(given, Place::State | Place::Data) {
                (self.inexact, self.reads_all) = (true, true);
            }
            place = place.or(given.copy());
        }
        for (name, place) in shadowed.into_iter().rev() {
            self.places.bind(name, place, false);
        }
        self.conditional = around;
        self.keys.release(mark);
        place
    }

    /// The names of a target, and what they stand for now.
    fn names_of(&self, target: &'a Expr, names: &mut Vec<(&'a str, Place<'a>)>) {
        match target {
            Expr::Name(name) => names.push((&name.id, self.places.of(&name.id))),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.names_of(target, names)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.names_of(target, names)),
            Expr::Starred(starred) => self.names_of(&starred.value, names),
            _ => {}
        }
    }

    fn interpolation(&mut self, element: &'a InterpolatedStringElement) {
        if let InterpolatedStringElement::Interpolation(part) = element {
            self.look(&part.expression);
            let specification = part.format_spec.iter().flat_map(|format| &format.elements);
            specification.for_each(|element| self.interpolation(element));
        }
    }
}
