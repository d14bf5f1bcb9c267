//! What nodes call outside, what they give along, and what comes back.

use std::collections::BTreeSet;

use graph::ops::{Runs, SlotKind};
use graph::{Kind, Node, Operand, Verb};
use value::{Text, Value};

use crate::flow::{Flow, NodeId};
use crate::names::NameId;
use crate::shapes::Shape;
use crate::table::Table;

/// What is called, and which one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Call<'g> {
    /// An agent.
    Agent,
    /// One of its tools; [`Node::tools`] says which.
    Tool,
    /// A store is read.
    Read(&'g Text),
    /// A channel is read.
    Receive(&'g Text),
    /// A channel is written to.
    Publish(&'g Text),
    /// The run fails here, on purpose.
    Fail,
    /// A logic block.
    Logic,
}

/// A schema.
pub(crate) struct Schema<'g> {
    /// Its name.
    pub(crate) id: &'g Text,
    /// Its fields.
    pub(crate) fields: Vec<Field<'g>>,
    /// Names that a value of this schema brings along: its fields, and those of the schemas that
    /// its fields name, as answers are looked into one level deep when a call is given its fields.
    pub(crate) inside: Vec<NameId>,
}

/// A field of a schema.
pub(crate) struct Field<'g> {
    /// Its name.
    pub(crate) name: NameId,
    /// Its type.
    pub(crate) shape: Shape<'g>,
    /// Its type, as written.
    pub(crate) text: &'g str,
    /// Whether a call cannot do without it.
    pub(crate) is_required: bool,
}

/// The calls of a graph.
pub(crate) struct Calls<'g> {
    calls: Vec<Option<Call<'g>>>,
    takes: Vec<Option<u32>>,
    gives: Vec<Option<u32>>,
    brings: Vec<Option<u32>>,
    schemas: Vec<Schema<'g>>,
}

/// Names inside of one answer that are looked at: schemas that all name each other must not
/// multiply.
const INSIDE_MAX: usize = 10_000;

impl<'g> Calls<'g> {
    /// Looks them up; the names of fields go into the table.
    pub(crate) fn new(flow: &Flow<'g>, names: &mut Table<'g>) -> Calls<'g> {
        let declared = flow.graph.declarations.of(Kind::Schemas);
        let mut ids = Table::new(declared.len());
        for id in declared.keys() {
            ids.add(id);
        }
        let mut schemas: Vec<Schema<'g>> =
            declared.iter().map(|(id, schema)| read(id, schema, &ids, names)).collect();
        for at in 0..schemas.len() {
            let named = schemas[at].fields.iter().filter_map(|field| ids.find(field.text));
            let named: BTreeSet<u32> = named.collect();
            let inner = named.into_iter().flat_map(|inner| &schemas[inner as usize].fields);
            let inside = schemas[at].fields.iter().chain(inner).take(INSIDE_MAX);
            let inside = inside.map(|field| field.name).collect();
            schemas[at].inside = inside;
        }
        let of = |kind: Kind, id: &Text, member: &str| {
            let schema = flow.graph.declarations.of(kind).get(id)?.get(member)?.as_text()?;
            ids.find(schema)
        };
        let mut calls = vec![None; flow.len()];
        let (mut takes, mut gives) = (vec![None; flow.len()], vec![None; flow.len()]);
        for (at, node) in flow.nodes() {
            if node.def().is_some_and(|op| op.runs == Runs::Adapter) {
                let schema = |kind| schema(node, kind).and_then(|schema| ids.find(schema));
                calls[at as usize] = call(node);
                takes[at as usize] = schema(SlotKind::Takes);
                gives[at as usize] = schema(SlotKind::Gives);
            }
        }
        let brought = calls.iter().zip(&gives).map(|(call, gives)| match call {
            Some(Call::Read(store)) => of(Kind::Stores, store, "schema"),
            Some(Call::Receive(channel)) => of(Kind::Channels, channel, "message_schema"),
            _ => *gives,
        });
        let brings = brought.collect();
        Calls { calls, takes, gives, brings, schemas }
    }

    /// What a node calls, where that is one of these.
    pub(crate) fn of(&self, at: NodeId) -> Option<Call<'g>> {
        self.calls[at as usize]
    }

    /// The schema of what a call is given.
    pub(crate) fn takes(&self, at: NodeId) -> Option<&Schema<'g>> {
        self.takes[at as usize].map(|schema| &self.schemas[schema as usize])
    }

    /// The schema of what a call answers.
    pub(crate) fn gives(&self, at: NodeId) -> Option<&Schema<'g>> {
        self.gives[at as usize].map(|schema| &self.schemas[schema as usize])
    }

    /// Names that are inside of what comes back.
    pub(crate) fn brings(&self, at: NodeId) -> &[NameId] {
        self.brings[at as usize].map_or(&[], |schema| &self.schemas[schema as usize].inside)
    }

    /// The field of this name in what a call answers.
    pub(crate) fn given(&self, at: NodeId, name: NameId) -> Option<&Field<'g>> {
        self.gives(at)?.fields.iter().find(|field| field.name == name)
    }
}

fn read<'g>(id: &'g Text, schema: &'g Value, ids: &Table<'_>, names: &mut Table<'g>) -> Schema<'g> {
    let listed = schema.get("fields").and_then(Value::as_list).unwrap_or_default();
    let fields = listed.iter().filter_map(|field| {
        let name = names.add(field.get("name")?.as_text()?);
        let text = field.get("type").and_then(Value::as_text).map_or("", |text| text.trim());
        let shape = Shape::new(text, |schema| ids.find(schema).is_some());
        let is_optional = field.get("optional") == Some(&Value::Bool(true));
        let is_required = !is_optional && field.get("default").is_none();
        Some(Field { name, shape, text, is_required })
    });
    Schema { id, fields: fields.collect(), inside: Vec::new() }
}

fn call(node: &Node) -> Option<Call<'_>> {
    match node.verb()? {
        Verb::InvokeAgent => Some(Call::Agent),
        Verb::CallTool => Some(Call::Tool),
        Verb::ReadStore => node.target().map(Call::Read),
        Verb::Receive => node.target().map(Call::Receive),
        Verb::Publish => node.target().map(Call::Publish),
        Verb::Logic => node.logic().map(|_| Call::Logic),
        Verb::Fail => Some(Call::Fail),
        Verb::WriteStore | Verb::Noop => None,
    }
}

fn schema(node: &Node, kind: SlotKind) -> Option<&Text> {
    match node.operands.one(node.def()?.slot_of(kind)?.name)? {
        Operand::Lit(Value::Text(schema)) => Some(schema),
        _ => None,
    }
}
