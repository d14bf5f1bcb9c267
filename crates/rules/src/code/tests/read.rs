//! Reads just enough of programs for these tests.

use diagnostics::Span;
use value::Text;

use crate::field::Field;
use crate::functions;
use crate::program::{
    Default, Expr, ExprKind, Function, FunctionId, Global, GlobalId, Kinds, Limits, NewFact,
    Program, Slot, Template, TemplateId, VariableId,
};

#[derive(Clone, Debug)]
enum Tree {
    Word(Field, Span),
    Variable(String, Span),
    Global(String, Span),
    List(Vec<Tree>, Span),
}

impl Tree {
    fn span(&self) -> Span {
        match self {
            Tree::Word(_, span)
            | Tree::Variable(_, span)
            | Tree::Global(_, span)
            | Tree::List(_, span) => *span,
        }
    }

    fn items(&self) -> &[Tree] {
        match self {
            Tree::List(items, _) => items,
            other => panic!("{other:?}"),
        }
    }

    fn word(&self) -> &str {
        match self {
            Tree::Word(field, _) => field.lexeme().unwrap_or_default(),
            _ => "",
        }
    }
}

fn trees(text: &str) -> Vec<Tree> {
    let mut at = 0;
    let mut open: Vec<(Vec<Tree>, usize)> = vec![(Vec::new(), 0)];
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap();
        let start = at;
        match first {
            '(' => {
                open.push((Vec::new(), at));
                at += 1;
            }
            ')' => {
                let (items, start) = open.pop().unwrap();
                at += 1;
                open.last_mut().unwrap().0.push(Tree::List(items, Span::new(start, at)));
            }
            ' ' | '\n' => at += 1,
            '"' => {
                let mut string = String::new();
                let mut letters = rest[1..].char_indices();
                while let Some((offset, letter)) = letters.next() {
                    match letter {
                        '"' => {
                            at += offset + 2;
                            break;
                        }
                        '\\' => string.extend(letters.next().map(|(_, letter)| letter)),
                        letter => string.push(letter),
                    }
                }
                let word = Tree::Word(Field::text(&string), Span::new(start, at));
                open.last_mut().unwrap().0.push(word);
            }
            _ => {
                let end = rest.find([' ', ')', '(', '\n']).unwrap_or(rest.len());
                let word = &rest[..end];
                at += end;
                let span = Span::new(start, at);
                let tree = if let Some(global) = word.strip_prefix("?*") {
                    Tree::Global(global.trim_end_matches('*').to_owned(), span)
                } else if word.starts_with('?') || word.starts_with("$?") {
                    Tree::Variable(word.trim_start_matches(['$', '?']).to_owned(), span)
                } else {
                    let number = functions::find("string-to-field").unwrap();
                    let functions::Run::Pure(read) = functions::TABLE[usize::from(number)].run
                    else {
                        panic!()
                    };
                    let field = match read(&[Field::text(word)]) {
                        Ok(field @ (Field::Int(_) | Field::Float(_))) => field,
                        _ => Field::symbol(word),
                    };
                    Tree::Word(field, span)
                };
                open.last_mut().unwrap().0.push(tree);
            }
        }
    }
    open.pop().unwrap().0
}

/// Templates, globals and functions.
pub(super) fn program(text: &str) -> Program {
    let mut program = Program::default();
    let constructs = trees(text);
    for construct in &constructs {
        let items = construct.items();
        match items[0].word() {
            "deftemplate" => {
                let slots = items[2..].iter().map(|slot| read_slot(&program, slot)).collect();
                program.templates.push(template(items[1].word(), false, slots));
            }
            "defglobal" => {
                let Tree::Global(name, span) = &items[1] else { panic!() };
                let value = Reader::new(&program).expr(&items[3]);
                program.globals.push(Global { name: name.as_str().into(), value, span: *span });
            }
            "deffunction" => {
                let name = items[1].word();
                let mut reader = Reader::new(&program);
                let parameters = items[2].items();
                let rest = parameters
                    .last()
                    .is_some_and(|last| text[last.span().start as usize..].starts_with('$'));
                for parameter in parameters {
                    let Tree::Variable(name, _) = parameter else { panic!() };
                    reader.variable(name);
                }
                reader.own = Some(name.to_owned());
                let body = items[3..].iter().map(|item| reader.expr(item)).collect();
                let function = Function {
                    name: name.into(),
                    variables: reader.variables,
                    parameters: u32::try_from(parameters.len()).unwrap() - u32::from(rest),
                    rest,
                    body,
                    span: items[1].span(),
                };
                program.functions.push(function);
            }
            other => panic!("{other}"),
        }
    }
    program.templates.push(template("o", true, vec![slot("implied", true)]));
    program
}

fn template(name: &str, ordered: bool, slots: Vec<Slot>) -> Template {
    Template { name: name.into(), ordered, slots, span: Span::new(0, 0) }
}

fn slot(name: &str, many: bool) -> Slot {
    Slot {
        name: name.into(),
        many,
        default: Default::Value(if many { Field::many([]) } else { Field::nil() }),
        limits: Limits { kinds: Kinds::SINGLE, allowed: None, range: None, cardinality: (0, None) },
        span: Span::new(0, 0),
    }
}

fn read_slot(program: &Program, tree: &Tree) -> Slot {
    let items = tree.items();
    let mut slot = slot(items[1].word(), items[0].word() == "multislot");
    for facet in &items[2..] {
        let facet = facet.items();
        let values = || facet[1..].iter().map(|item| Reader::new(program).expr(item));
        match facet[0].word() {
            "default" if matches!(facet[1], Tree::Variable(..)) => slot.default = Default::Required,
            "default" => {
                let fields: Vec<Field> = values()
                    .map(|value| match value.kind {
                        ExprKind::Constant(field) => field,
                        other => panic!("{other:?}"),
                    })
                    .collect();
                slot.default = Default::Value(match &fields[..] {
                    [field] if !slot.many => field.clone(),
                    fields => Field::many(fields.to_vec()),
                });
            }
            "default-dynamic" => slot.default = Default::Computed(values().collect()),
            _ => {}
        }
    }
    slot
}

/// An expression, and the names of its variables.
pub(super) fn expression(program: &Program, text: &str) -> (Expr, Vec<Text>) {
    let mut reader = Reader::new(program);
    let trees = trees(text);
    assert_eq!(trees.len(), 1, "{text}");
    let expr = reader.expr(&trees[0]);
    (expr, reader.variables)
}

struct Reader<'p> {
    program: &'p Program,
    variables: Vec<Text>,
    /// The function that is being read: it may call itself.
    own: Option<String>,
}

impl Reader<'_> {
    fn new(program: &Program) -> Reader<'_> {
        Reader { program, variables: Vec::new(), own: None }
    }

    fn variable(&mut self, name: &str) -> VariableId {
        let at = self.variables.iter().position(|known| **known == *name).unwrap_or_else(|| {
            self.variables.push(name.into());
            self.variables.len() - 1
        });
        VariableId(u32::try_from(at).unwrap())
    }

    fn all(&mut self, trees: &[Tree]) -> Vec<Expr> {
        trees.iter().map(|tree| self.expr(tree)).collect()
    }

    fn boxed(&mut self, tree: &Tree) -> Box<Expr> {
        Box::new(self.expr(tree))
    }

    fn expr(&mut self, tree: &Tree) -> Expr {
        let kind = match tree {
            Tree::Word(field, _) => ExprKind::Constant(field.clone()),
            Tree::Variable(name, _) => ExprKind::Variable(self.variable(name)),
            Tree::Global(name, _) => ExprKind::Global(self.global(name)),
            Tree::List(items, _) => self.form(items),
        };
        Expr { kind, span: tree.span() }
    }

    fn global(&self, name: &str) -> GlobalId {
        let at = self.program.globals.iter().position(|global| *global.name == *name).unwrap();
        GlobalId(u32::try_from(at).unwrap())
    }

    fn form(&mut self, items: &[Tree]) -> ExprKind {
        let args = &items[1..];
        let without = |args: &'_ [Tree], word: &str| -> usize {
            usize::from(args.first().is_some_and(|first| first.word() == word))
        };
        match items[0].word() {
            "progn" => ExprKind::Sequence(self.all(args)),
            "and" => ExprKind::And(self.all(args)),
            "or" => ExprKind::Or(self.all(args)),
            "if" => {
                let other = args.iter().position(|arg| arg.word() == "else");
                let end = other.unwrap_or(args.len());
                let otherwise = other.map_or(&[][..], |at| &args[at + 1..]);
                ExprKind::If(self.boxed(&args[0]), self.all(&args[2..end]), self.all(otherwise))
            }
            "while" => {
                let skip = 1 + without(&args[1..], "do");
                ExprKind::While(self.boxed(&args[0]), self.all(&args[skip..]))
            }
            "loop-for-count" => {
                let one = Expr { kind: ExprKind::Constant(Field::Int(1)), span: args[0].span() };
                let (variable, from, to) = match &args[0] {
                    Tree::List(range, _) if matches!(range[0], Tree::Variable(..)) => {
                        let Tree::Variable(name, _) = &range[0] else { panic!() };
                        let from = if range.len() > 2 { self.expr(&range[1]) } else { one };
                        (Some(self.variable(name)), from, self.expr(&range[range.len() - 1]))
                    }
                    to => (None, one, self.expr(to)),
                };
                let skip = 1 + without(&args[1..], "do");
                let body = self.all(&args[skip..]);
                ExprKind::Count { variable, from: Box::new(from), to: Box::new(to), body }
            }
            "progn$" => {
                let items = args[0].items();
                let Tree::Variable(name, _) = &items[0] else { panic!() };
                self.each(name, &items[1], &args[1..])
            }
            "foreach" => {
                let Tree::Variable(name, _) = &args[0] else { panic!() };
                let skip = 2 + without(&args[2..], "do");
                self.each(name, &args[1], &args[skip..])
            }
            "switch" => {
                let mut cases = Vec::new();
                let mut default = None;
                for case in &args[1..] {
                    let items = case.items();
                    match items[0].word() {
                        "case" => cases.push((self.expr(&items[1]), self.all(&items[3..]))),
                        _ => default = Some(self.all(&items[1..])),
                    }
                }
                ExprKind::Switch(self.boxed(&args[0]), cases, default)
            }
            "bind" => match &args[0] {
                Tree::Global(name, _) => {
                    ExprKind::BindGlobal(self.global(name), self.all(&args[1..]))
                }
                Tree::Variable(name, _) => {
                    ExprKind::Bind(self.variable(name), self.all(&args[1..]))
                }
                other => panic!("{other:?}"),
            },
            "return" => ExprKind::Return(args.first().map(|value| self.boxed(value))),
            "break" => ExprKind::Break,
            "halt" => ExprKind::Halt,
            "assert" => ExprKind::Assert(args.iter().map(|fact| self.fact(fact)).collect()),
            "retract" => ExprKind::Retract(self.all(args)),
            "modify" => ExprKind::Modify(self.boxed(&args[0]), self.changes(&args[1..])),
            "duplicate" => ExprKind::Duplicate(self.boxed(&args[0]), self.changes(&args[1..])),
            "printout" => ExprKind::Print(self.boxed(&args[0]), self.all(&args[1..])),
            name => {
                let own =
                    (self.own.as_deref() == Some(name)).then_some(self.program.functions.len());
                let function =
                    self.program.functions.iter().position(|function| *function.name == *name);
                match own.or(function) {
                    Some(at) => {
                        ExprKind::Apply(FunctionId(u32::try_from(at).unwrap()), self.all(args))
                    }
                    None => {
                        let function = functions::find(name).unwrap_or_else(|| panic!("{name}"));
                        ExprKind::Call(function, self.all(args))
                    }
                }
            }
        }
    }

    fn each(&mut self, name: &str, list: &Tree, body: &[Tree]) -> ExprKind {
        let list = self.boxed(list);
        let variable = self.variable(name);
        let index = self.variable(&format!("{name}-index"));
        ExprKind::Each { variable, index, list, body: self.all(body) }
    }

    fn changes(&mut self, slots: &[Tree]) -> Vec<(Text, Vec<Expr>, Span)> {
        let change = |slot: &Tree| {
            let items = slot.items();
            (items[0].word().into(), self.all(&items[1..]), slot.span())
        };
        slots.iter().map(change).collect()
    }

    fn fact(&mut self, tree: &Tree) -> NewFact {
        let items = tree.items();
        let name = items[0].word();
        let at = self.program.templates.iter().position(|known| *known.name == *name).unwrap();
        let template = &self.program.templates[at];
        let slots = if template.ordered {
            vec![(0, self.all(&items[1..]))]
        } else {
            let slot = |slot: &Tree| {
                let items = slot.items();
                let at = template.slots.iter().position(|known| *known.name == *items[0].word());
                (u32::try_from(at.unwrap()).unwrap(), self.all(&items[1..]))
            };
            items[1..].iter().map(slot).collect()
        };
        NewFact { template: TemplateId(u32::try_from(at).unwrap()), slots, span: tree.span() }
    }
}
