//! What kind of value is under a name: who writes it says one thing, who takes it another.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, codes};
use graph::ops::SlotKind;

use crate::calls::{Calls, Field};
use crate::flow::{Flow, NodeId, Way};
use crate::names::Names;
use crate::paths::{self, Search, at_slot};

/// A field's type, as far as two of them can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape<'g> {
    /// Lists around it.
    depth: usize,
    kind: What<'g>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What<'g> {
    Text,
    /// The words it may be, as written.
    Enum(&'g str),
    Number,
    Boolean,
    Object,
    Unknown,
}

impl<'g> Shape<'g> {
    /// Reads a type: `string`, `list<T>`, `enum[a, b]`, the name of a schema.
    pub(crate) fn new(text: &'g str, is_schema: impl Fn(&str) -> bool) -> Shape<'g> {
        let (mut depth, mut text) = (0, text.trim());
        while let Some(inner) = text.strip_prefix("list<").and_then(|rest| rest.strip_suffix('>')) {
            (depth, text) = (depth + 1, inner.trim());
        }
        let kind = match text {
            "string" | "datetime" => What::Text,
            "integer" | "float" | "number" => What::Number,
            "boolean" => What::Boolean,
            "object" => What::Object,
            "array" | "list" => return Shape { depth: depth + 1, kind: What::Unknown },
            _ if is_schema(text) => What::Object,
            _ => match text.strip_prefix("enum[").and_then(|rest| rest.strip_suffix(']')) {
                Some(words) => What::Enum(words),
                None => What::Unknown,
            },
        };
        Shape { depth, kind }
    }

    /// The words of an enumeration.
    pub(crate) fn words(&self) -> Option<Vec<&'g str>> {
        let What::Enum(words) = self.kind else { return None };
        let unquoted = |word: &'g str| word.trim().trim_matches(['"', '\'']);
        (self.depth == 0).then(|| words.split(',').map(unquoted).collect())
    }

    /// Whether it is true or false.
    pub(crate) fn is_boolean(&self) -> bool {
        self.depth == 0 && self.kind == What::Boolean
    }

    /// Whether a value can be both.
    fn agrees(&self, other: &Shape<'_>) -> bool {
        // What is inside the deeper list meets what the other says is no list.
        if self.depth != other.depth {
            let shallow = if self.depth < other.depth { self.kind } else { other.kind };
            return shallow == What::Unknown;
        }
        let plain = |kind: What<'_>| match kind {
            What::Text | What::Enum(_) => 0,
            What::Number => 1,
            What::Boolean => 2,
            What::Object => 3,
            What::Unknown => 4,
        };
        let (one, two) = (plain(self.kind), plain(other.kind));
        one == two || one == 4 || two == 4
    }
}

/// More searches than this take longer than a reader would thank us for.
const SEARCHES_MAX: usize = 200;

/// One finding for each call and name: all that can reach the call is of another kind.
pub(crate) fn check(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    search: &mut Search,
    findings: &mut Vec<Diagnostic>,
) {
    // Nearly all names are of one kind wherever they occur; only the others are searched for.
    let mut first: Vec<Option<Shape<'_>>> = vec![None; names.len()];
    let mut is_mixed = vec![false; names.len()];
    for at in &flow.order {
        let schemas = calls.takes(*at).into_iter().chain(calls.gives(*at));
        let fields = schemas.flat_map(|schema| &schema.fields);
        for field in fields.filter(|field| field.shape.kind != What::Unknown) {
            let known = first[field.name as usize].get_or_insert(field.shape);
            is_mixed[field.name as usize] |= *known != field.shape && !known.agrees(&field.shape);
        }
    }
    let mut said = BTreeSet::new();
    let mut searches = 0;
    for at in &flow.order {
        let Some(schema) = calls.takes(*at) else { continue };
        for field in schema.fields.iter().filter(|field| is_mixed[field.name as usize]) {
            searches += 1;
            if searches > SEARCHES_MAX || said.contains(&(&**schema.id, field.name)) {
                continue;
            }
            if let Some(from) = all_clash(flow, names, calls, *at, field) {
                said.insert((&**schema.id, field.name));
                findings.extend(mismatch(flow, names, calls, search, (from, *at), field));
            }
        }
    }
}

/// Looks backwards for what can be under the name at a call. Gives one who writes it, if every
/// one of them is known to give it another shape.
fn all_clash(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    at: NodeId,
    wanted: &Field<'_>,
) -> Option<NodeId> {
    let mut seen = BTreeSet::new();
    let mut first = None;
    let mut stack: Vec<(NodeId, Way)> = flow.into(at).to_vec();
    while let Some((from, way)) = stack.pop() {
        if !seen.insert((from, way == Way::Fail)) {
            continue;
        }
        let enters = flow.out(from).iter().any(|arc| arc.way == Way::Enter);
        if flow.is_inexact(from) || (enters && way == Way::On) {
            return None;
        }
        if way != Way::Fail && names.writes(from).contains(&wanted.name) {
            if calls.given(from, wanted.name)?.shape.agrees(&wanted.shape) {
                return None;
            }
            first = Some(first.map_or(from, |first: NodeId| first.min(from)));
            continue;
        }
        stack.extend(flow.into(from));
    }
    first.filter(|_| !names.is_input(wanted.name))
}

fn mismatch(
    flow: &Flow<'_>,
    names: &Names<'_>,
    calls: &Calls<'_>,
    search: &mut Search,
    (from, at): (NodeId, NodeId),
    wanted: &Field<'_>,
) -> Option<Diagnostic> {
    let text = names.text(wanted.name);
    let given = calls.given(from, wanted.name)?.text;
    let message = format!(
        "`{}` takes `{text}` as `{}`, but `{}` gives `{given}`",
        flow.label_id(at),
        wanted.text,
        flow.label_id(from)
    );
    let path = search.shortest(flow, &[from], |_, _| true, |to| to == at).unwrap_or_default();
    let found = Diagnostic::new(&codes::SHAPES_CLASH, at_slot(flow, at, SlotKind::Takes), message)
        .label(at_slot(flow, from, SlotKind::Gives), format!("`{text}` is `{given}` here"))
        .help(format!("give `{text}` one type in both schemas, or convert it between them"));
    Some(found.path(paths::shown(flow, &path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_agree_unless_no_value_is_both() {
        let shape = |text| Shape::new(text, |name| name == "Plan");
        for (one, other, agree) in [
            ("string", "string", true),
            ("string", "integer", false),
            ("string", "boolean", false),
            ("integer", "float", true),
            ("enum[a, b]", "string", true),
            ("Plan", "object", true),
            ("Plan", "string", false),
            ("list<string>", "list<Plan>", false),
            ("list<string>", "list<enum[a]>", true),
            ("list<string>", "string", false),
            ("array", "list<Plan>", true),
            ("array", "string", false),
            ("string | list<Plan>", "string", true),
            ("Elsewhere", "string", true),
            ("list<list<string>>", "array", true),
            ("list<Elsewhere>", "list<list<string>>", true),
        ] {
            assert_eq!(shape(one).agrees(&shape(other)), agree, "{one} {other}");
            assert_eq!(shape(other).agrees(&shape(one)), agree, "{other} {one}");
        }
        assert_eq!(shape("enum[a, \"b c\"]").words(), Some(vec!["a", "b c"]));
    }
}
