//! Calls: of the methods of `state.data`, of what is in it, of stores, and of functions.

use ruff_python_ast::{Arguments, Expr, ExprCall, ExprDict};

use super::Flow;
use super::places::Place;
use crate::block::Access;

/// Methods that change what they are called on.
#[rustfmt::skip]
const CHANGING: &[&str] = &[
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "pop", "popitem", "popleft", "remove", "reverse", "rotate",
    "setdefault", "sort", "subtract", "symmetric_difference_update", "update",
];

/// Methods of anything that look at their arguments and do not keep them.
const LOOKING: &[&str] =
    &["copy", "deepcopy", "dumps", "extend", "format", "join", "pformat", "pprint", "update"];

impl<'a> Flow<'a> {
    pub(super) fn call(&mut self, call: &'a ExprCall) -> Place<'a> {
        let arguments = &call.arguments;
        let method = match &*call.func {
            Expr::Name(name) => return self.call_function(&name.id, arguments),
            Expr::Attribute(method) => method,
            function => {
                self.escape(function);
                self.escape_all(arguments);
                return Place::Elsewhere;
            }
        };
        let name = method.attr.as_str();
        match self.value(&method.value) {
            Place::Data => self.call_on_data(name, call),
            Place::Store(store) => {
                self.escape_all(arguments);
                let access = match name {
                    "read" => Access::Read,
                    "write" => Access::Write,
                    _ => return Place::Elsewhere,
                };
                if !self.stores.iter().any(|(name, known)| &**name == store && *known == access) {
                    self.stores.push((store.into(), access));
                }
                Place::Elsewhere
            }
            Place::State => {
                self.inexact = true;
                self.escape_all(arguments);
                Place::Elsewhere
            }
            Place::Inside(key) => {
                self.pass(name, arguments);
                if CHANGING.contains(&name) {
                    self.changed(key);
                }
                taken_from(Place::Inside(key), name)
            }
            place => {
                self.pass(name, arguments);
                taken_from(place, name)
            }
        }
    }

    fn pass(&mut self, method: &str, arguments: &'a Arguments) {
        if LOOKING.contains(&method) {
            self.look_at_all(arguments)
        } else {
            self.escape_all(arguments)
        }
    }

    fn call_function(&mut self, name: &str, arguments: &'a Arguments) -> Place<'a> {
        match name {
            "list" | "tuple" | "set" | "frozenset" | "dict" | "sorted" | "reversed"
            | "enumerate" | "zip" | "filter" | "iter" => {
                let mut place = Place::Elsewhere;
                for argument in &arguments.args {
                    place = match self.look(argument) {
                        // Its keys, which nothing can change.
                        Place::Data if name != "dict" => place,
                        given => place.or(given.copy()),
                    };
                }
                arguments.keywords.iter().for_each(|keyword| _ = self.look(&keyword.value));
                place
            }
            "next" | "min" | "max" => {
                let mut place = Place::Elsewhere;
                for argument in &arguments.args {
                    place = place.or(self.look(argument).item());
                }
                arguments.keywords.iter().for_each(|keyword| _ = self.look(&keyword.value));
                place
            }
            "print" | "len" | "str" | "repr" | "bool" | "int" | "float" | "sum" | "any" | "all"
            | "isinstance" | "type" | "id" | "map" | "range" | "round" | "abs" | "format" => {
                self.look_at_all(arguments);
                Place::Elsewhere
            }
            _ => {
                self.escape_all(arguments);
                Place::Elsewhere
            }
        }
    }

    fn call_on_data(&mut self, method: &str, call: &'a ExprCall) -> Place<'a> {
        let arguments = &call.arguments;
        match (method, &*arguments.args) {
            ("get", [Expr::StringLiteral(key), rest @ ..]) => {
                rest.iter().for_each(|default| self.escape(default));
                let key = self.keys.key(key.value.to_str());
                self.keys.read(key);
                Place::Inside(Some(key))
            }
            ("setdefault", [Expr::StringLiteral(key), rest @ ..]) => {
                rest.iter().for_each(|default| self.escape(default));
                let key = self.keys.key(key.value.to_str());
                self.keys.read(key);
                self.keys.write(key);
                Place::Inside(Some(key))
            }
            ("pop", [Expr::StringLiteral(key), rest @ ..]) => {
                rest.iter().for_each(|default| self.escape(default));
                let key = self.keys.key(key.value.to_str());
                match rest {
                    [] => self.needed(key, call),
                    _ => self.keys.read(key),
                }
                self.keys.write(key);
                Place::Elsewhere
            }
            ("update", sources) => {
                sources.iter().for_each(|source| self.update_with(source));
                for keyword in &arguments.keywords {
                    match &keyword.arg {
                        Some(name) => {
                            self.escape(&keyword.value);
                            let key = self.keys.key(name.as_str());
                            self.keys.write(key);
                        }
                        None => self.update_with(&keyword.value),
                    }
                }
                Place::Elsewhere
            }
            ("get" | "items" | "values" | "keys" | "copy" | "__len__" | "__contains__", _) => {
                self.look_at_all(arguments);
                self.reads_all = true;
                match method {
                    "get" => Place::Inside(None),
                    "keys" | "__len__" | "__contains__" => Place::Elsewhere,
                    _ => Place::Fresh(None),
                }
            }
            // `clear`, `popitem`, a computed key to write, or nothing that a dict has.
            _ => {
                self.escape_all(arguments);
                self.inexact = true;
                Place::Inside(None)
            }
        }
    }

    /// `state.data.update(argument)`
    fn update_with(&mut self, argument: &'a Expr) {
        self.look(argument);
        match argument {
            Expr::Dict(dict) => self.write_members(dict),
            Expr::Call(call) if call.func.as_name_expr().is_some_and(|name| name.id == *"dict") => {
                for keyword in &call.arguments.keywords {
                    match &keyword.arg {
                        Some(name) => {
                            let key = self.keys.key(name.as_str());
                            self.keys.write(key);
                        }
                        None => self.inexact = true,
                    }
                }
                self.inexact |= !call.arguments.args.is_empty();
            }
            _ => self.inexact = true,
        }
    }

    /// The members of a literal become members of `state.data`.
    pub(super) fn write_members(&mut self, dict: &'a ExprDict) {
        for item in &dict.items {
            match &item.key {
                Some(Expr::StringLiteral(key)) => {
                    let key = self.keys.key(key.value.to_str());
                    self.keys.write(key);
                }
                _ => self.inexact = true,
            }
        }
    }

    fn look_at_all(&mut self, arguments: &'a Arguments) {
        arguments.args.iter().for_each(|argument| _ = self.look(argument));
        arguments.keywords.iter().for_each(|keyword| _ = self.look(&keyword.value));
    }

    fn escape_all(&mut self, arguments: &'a Arguments) {
        arguments.args.iter().for_each(|argument| self.escape(argument));
        for keyword in &arguments.keywords {
            // `**state.data` gives a copy away.
            match &keyword.arg {
                Some(_) => self.escape(&keyword.value),
                None => _ = self.look(&keyword.value),
            }
        }
    }
}

/// What a method gives of the value it is called on.
fn taken_from<'a>(place: Place<'a>, method: &str) -> Place<'a> {
    match method {
        "get" | "setdefault" | "pop" | "popitem" | "popleft" => place.item(),
        "copy" | "items" | "values" => place.copy(),
        _ => Place::Elsewhere,
    }
}
