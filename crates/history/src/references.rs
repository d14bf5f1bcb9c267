//! Which large values events and other values refer to.

use value::Map;

use crate::BlobId;
use crate::kinds::referenced;

/// The values that stand in place of members: without them an event does not say all it said.
pub fn needed(members: &Map) -> impl Iterator<Item = BlobId> + '_ {
    members.values().filter_map(referenced)
}

/// The list of what a snapshot holds, where the snapshot is kept beside the events.
pub fn snapshot(members: &Map) -> Option<BlobId> {
    let external = members.get("snapshot")?.get("external_ref")?;
    let is_blob = external.get("kind")?.as_text().is_some_and(|kind| **kind == *"blob");
    BlobId::parse(external.get("id")?.as_text()?).filter(|_| is_blob)
}

/// The members that are references by the table of kinds, and so can lead to something large.
const REFERENCES: [&str; 6] =
    ["content_ref", "input_refs", "path_or_uri", "sources", "stream_ref", "summary_ref"];

/// What goes with an event to whoever gets it: the values in place of members, and those that its
/// references name. A hash in its data is data: a tool that answers with the hash of what another
/// run keeps gets it from nobody.
pub fn carried(members: &Map) -> impl Iterator<Item = BlobId> + '_ {
    let references = REFERENCES.iter().filter_map(|name| members.get(name));
    let each = references.flat_map(|reference| match reference.as_list() {
        Some(items) => items.iter().collect(),
        None => vec![reference],
    });
    let named = each.filter_map(|reference| {
        let is_blob = reference.get("kind")?.as_text().is_some_and(|kind| **kind == *"blob");
        BlobId::parse(reference.get("id")?.as_text()?).filter(|_| is_blob)
    });
    needed(members).chain(named)
}

/// Every hash that a text may refer to: as `{"$blob": ...}` at any depth, as something in another
/// system of the kind `blob`, or as text within text. What is not here may be forgotten, so that
/// every hash in a text that speaks of blobs counts.
pub fn mentioned(text: &str) -> impl Iterator<Item = BlobId> + '_ {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let runs = text.as_bytes().split(move |byte| !is_digit(byte)).filter(|run| run.len() == 64);
    let runs = text.contains("blob").then_some(runs).into_iter().flatten();
    runs.filter_map(|run| BlobId::parse(std::str::from_utf8(run).ok()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use value::json;

    use super::*;

    #[test]
    fn references_are_found_at_any_depth() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|digit| digit.repeat(64));
        let text = format!(
            r#"{{"x": {{"$blob": "{a}"}}, "y": [{{"$blob": "{b}", "more": 1}}, {{"$blob": "no"}}],
            "z": {{"kind": "blob", "id": "{c}"}}, "w": "{{\"$blob\":\"{d}\"}}", "v": "{d}{d}"}}"#
        );
        let ids = |hashes: &[&String]| -> BTreeSet<BlobId> {
            hashes.iter().filter_map(|hash| BlobId::parse(hash)).collect()
        };
        assert_eq!(mentioned(&text).collect::<BTreeSet<_>>(), ids(&[&a, &b, &c, &d]));
        let more = format!(
            r#"{{"sources": [{{"kind": "blob", "id": "{a}"}}, {{"path": "{b}"}}],
            "content_ref": {{"kind": "blob", "id": "{c}"}}, "result": {{"kind": "blob", "id": "{d}"}},
            "values": {{"x": {{"$blob": "{d}"}}}}}}"#
        );
        let value = json::parse(&more).unwrap();
        assert_eq!(carried(value.as_map().unwrap()).collect::<BTreeSet<_>>(), ids(&[&a, &c]));
        assert_eq!(mentioned(&format!(r#"{{"event_id": "{a}"}}"#)).count(), 0);
        let value = json::parse(&text).unwrap();
        assert_eq!(needed(value.as_map().unwrap()).collect::<BTreeSet<_>>(), ids(&[&a]));
    }
}
