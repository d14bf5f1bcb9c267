//! Writes lines.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use value::json;

use crate::admission::{end_of_text, end_of_value};
use crate::{BlobId, Entry, Event, Operation, OperationId, Stream};

/// Writes the line of an event at its place.
pub fn write_event(out: &mut String, stream: &Stream, entry: &Entry) {
    out.push_str("{\"event\":");
    write_with_id(out, &entry.event);
    write!(out, ",\"link\":\"{}\",\"seq\":{},\"stream\":", entry.link, entry.seq).expect(FITS);
    json::write_text(out, &stream.name());
    out.push_str("}\n");
}

/// Writes the line of a move.
pub fn write_operation(out: &mut String, id: OperationId, operation: &Operation) {
    write!(out, "{{\"id\":\"{id}\",\"operation\":").expect(FITS);
    json::write_canonical(out, &operation.value());
    out.push_str("}\n");
}

/// Writes the line of a large value.
pub fn write_blob(out: &mut String, id: BlobId, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            write!(out, "{{\"blob\":\"{id}\",\"text\":").expect(FITS);
            json::write_text(out, text);
            out.push_str("}\n");
        }
        Err(_) => {
            out.push_str("{\"base64\":\"");
            STANDARD.encode_string(bytes, out);
            writeln!(out, "\",\"blob\":\"{id}\"}}").expect(FITS);
        }
    }
}

const FITS: &str = "writing to text cannot fail";

/// Writes an event with its id where RFC 8785 wants it. The body is canonical already and has a
/// `kind`, so that some member follows the id; it is found without reading what the others hold.
fn write_with_id(out: &mut String, event: &Event) {
    let body = event.body();
    let bytes = body.as_bytes();
    let mut at = 1;
    loop {
        let end = end_of_text(bytes, at);
        // An escape stands for a character below all of this name's, and so does its backslash.
        if body[at + 1..end - 1] > *"event_id" {
            break;
        }
        at = end_of_value(bytes, end + 1) + 1;
    }
    out.push_str(&body[..at]);
    write!(out, "\"event_id\":\"{}\",", event.id()).expect(FITS);
    out.push_str(&body[at..]);
}
