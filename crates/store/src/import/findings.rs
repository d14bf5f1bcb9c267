//! What can be said about a line. One function for each finding.

use std::str::Utf8Error;

use diagnostics::{Anchor, Diagnostic, Source, Span, codes};
use history::admission::Refused;
use history::line::{NotALine, Whose, Why};
use history::{BlobId, EventId, Link, NotAnEvent, OperationId, Place, Stream, Violation};
use value::{Part, Pointer};

/// The place of a member of the line.
fn member(name: &str) -> Pointer {
    Pointer::root().child(name)
}

fn at(name: &str) -> Anchor {
    Anchor::value(member(name))
}

/// Adds to what is to be done about it.
pub(super) fn add_help(found: &mut Diagnostic, more: &str) {
    found.help = Some(match &found.help {
        Some(help) => format!("{help}; {more}").into(),
        None => more.into(),
    });
}

/// What becomes of an event, and what can be done. Under `strict` nothing is taken.
fn kept(strict: bool, how: &str, help: &str) -> String {
    if strict { help.to_string() } else { format!("{how}; {help}") }
}

pub(super) fn not_utf8(source: &Source, error: Utf8Error) -> Diagnostic {
    // Up to there the text is as it was, and so are its positions.
    let start = error.valid_up_to();
    let width = source.text[start..].chars().next().map_or(0, char::len_utf8);
    let at = Anchor::Span(Span::new(start, start + width));
    Diagnostic::new(&codes::NOT_UTF8, at, "this is not UTF-8 text")
        .help("save the file as UTF-8, or find out what wrote this line")
}

pub(super) fn too_long() -> Diagnostic {
    let at = Anchor::Span(Span::default());
    Diagnostic::new(&codes::TOO_LARGE, at, "the line is longer than 1 GiB")
}

/// Why nothing in the file can be read, as far as a line shows it: events do not stand on one line
/// each, or the file is no such text at all.
pub(super) fn misshapen(source: &Source) -> Option<Diagnostic> {
    let text = source.text.trim();
    let is_first = source.first_line() == 1;
    let at = Anchor::Span(Span::new(0, source.text.chars().next().map_or(0, char::len_utf8)));
    if text.contains('\0') {
        let help = "if it is text, save it as UTF-8: `iconv -f UTF-16 -t UTF-8 FILE` does";
        let message = "this is no text, or UTF-16 text";
        return Some(Diagnostic::new(&codes::NOT_UTF8, at, message).help(help));
    }
    let (message, help) = match text.as_bytes() {
        [b'[', ..] if is_first => (
            "each line is an event, and here a list begins",
            "`jq -c '.[]' FILE` makes lines of it",
        ),
        [b'{', .., b'{' | b'[' | b','] | [b'{'] => (
            "each line is an event, and this one goes on behind its line",
            "`jq -c . FILE` puts each event on a line of its own",
        ),
        _ => return None,
    };
    Some(Diagnostic::new(&codes::NOT_AN_EVENT, at, message).help(help))
}

pub(super) fn not_a_line(source: &Source, not_a_line: NotALine) -> Diagnostic {
    let start = Anchor::Span(Span::new(0, 1));
    match not_a_line.why {
        Why::Refused(refused) => not_hashable(source, &refused),
        Why::NotAnEvent(why) => {
            let is_alone = matches!(not_a_line.whose, Whose::Alone(_) | Whose::Anybody);
            let base = if is_alone { Pointer::root() } else { member("event") };
            not_an_event(source, &base, &why)
        }
        Why::Place(name) => {
            let message = format!("`{name}` does not say where the event stands");
            let help = "such a line has `event`, `link`, `seq` and `stream`, and nothing else";
            Diagnostic::new(&codes::NOT_AN_EVENT, at(&name), message).help(help)
        }
        Why::NotAnOperation => {
            let message = "this does not say how a name was moved";
            Diagnostic::new(&codes::BROKEN_NAME, start, message)
        }
        Why::NotABlob => {
            let message = "this does not say which bytes there are";
            let help = "such a line has `blob` and either `text` or `base64`";
            Diagnostic::new(&codes::BLOB_MISMATCH, start, message).help(help)
        }
    }
}

fn not_hashable(source: &Source, refused: &Refused) -> Diagnostic {
    match refused {
        Refused::NotJson(error) => diagnostics::unreadable(source, error),
        Refused::Duplicate(first) => {
            let name = first.tokens().last().unwrap_or_default();
            let at = Anchor::Pointer(first.clone(), Part::KeyAgain);
            Diagnostic::new(&codes::DUPLICATE_MEMBER, at, format!("`{name}` is given twice"))
                .label(Anchor::key(first.clone()), "here first")
                .help("an event with one name for two things has no hash; keep one of them")
        }
        Refused::Inexact { at, pointer, becomes } => {
            let written = &source.text[at.clone()];
            let at = Anchor::Located(Span::new(at.start, at.end), pointer.clone());
            let message = format!("the number {written} cannot be kept exactly");
            Diagnostic::new(&codes::INEXACT_NUMBER, at, message)
                .help(format!("it would become {becomes}; write it as text, in quotes"))
        }
    }
}

/// `base` is where the event stands in its line.
fn not_an_event(source: &Source, base: &Pointer, why: &NotAnEvent) -> Diagnostic {
    let at = |name| Anchor::value(base.child(name));
    match why {
        NotAnEvent::Refused(refused) => not_hashable(source, refused),
        NotAnEvent::NotAnObject => {
            let at = Anchor::value(base.clone());
            Diagnostic::new(&codes::NOT_AN_EVENT, at, "an event is an object")
        }
        NotAnEvent::NoKind | NotAnEvent::NotCanonical => {
            let message = "an event needs a `kind`, which is text";
            Diagnostic::new(&codes::NOT_AN_EVENT, at("kind"), message)
        }
        NotAnEvent::BadId => {
            let message = "`event_id` must be 64 hexadecimal digits";
            Diagnostic::new(&codes::WRONG_ID, at("event_id"), message)
                .help("leave it out, and it is computed")
        }
        NotAnEvent::WrongId { computed, .. } => {
            let message = "`event_id` is not the hash of this event";
            Diagnostic::new(&codes::WRONG_ID, at("event_id"), message).help(format!(
                "its hash is {computed}; the event was changed after it was given its id, \
                 or hashed in another way"
            ))
        }
    }
}

pub(super) fn broken_link(place: &Place, computed: Link) -> Diagnostic {
    let message = format!("the link of `{place}` does not follow from the events before it");
    Diagnostic::new(&codes::BROKEN_LINK, at("link"), message)
        .help(format!("it would be {computed}; an event before it was changed, added or left out"))
}

pub(super) fn gap(stream: &Stream, next: u64, seq: u64) -> Diagnostic {
    let message = if next + 1 == seq {
        format!("`{stream}` goes on at {seq}, but event {next} is missing")
    } else {
        format!("`{stream}` goes on at {seq}, but events {next} to {} are missing", seq - 1)
    };
    Diagnostic::new(&codes::GAP, at("seq"), message)
        .help("export the run again, whole; or import the part that is missing first")
}

pub(super) fn diverges(place: &Place, there: Option<EventId>) -> Diagnostic {
    let message = match there {
        Some(id) => format!("`{place}` is another event already: {id}"),
        None => format!("`{place}` is not an event of this run: it forks later"),
    };
    Diagnostic::new(&codes::DIVERGES, at("seq"), message).help(
        "two histories have the same run id; import one of them into another store to compare them",
    )
}

/// Why a fork cannot go on from where it says: nothing or something else is there.
fn not_from(stream: &Stream, origin: &Place, there: Option<EventId>) -> String {
    match there {
        None => format!("`{stream}` goes on from `{origin}`, which is not there"),
        Some(id) => format!("`{stream}` goes on from `{origin}`, which is another event: {id}"),
    }
}

pub(super) fn no_origin(
    stream: &Stream,
    origin: &Place,
    event: &EventId,
    there: Option<EventId>,
) -> Diagnostic {
    let message = not_from(stream, origin, there);
    Diagnostic::new(&codes::NO_ORIGIN, Anchor::value(member("event").child("from")), message)
        .help(format!("the event is {event}; import its run first"))
}

pub(super) fn origin_elsewhere(stream: &Stream, origin: &Place, seq: u64) -> Diagnostic {
    let message = format!("`{stream}` goes on from `{origin}`, so that it cannot begin at {seq}");
    Diagnostic::new(&codes::NO_ORIGIN, at("seq"), message)
}

/// What becomes of a fork whose origin nobody knows.
const OF_ITS_OWN: &str = "it is kept as a run of its own";

pub(super) fn origin_unknown(
    stream: &Stream,
    origin: &Place,
    there: Option<EventId>,
    strict: bool,
) -> Diagnostic {
    let message = not_from(stream, origin, there);
    let (code, help) = match there {
        None => (&codes::ORIGIN_UNKNOWN, "to keep it as a fork, import that run first"),
        Some(_) => (&codes::WRONG_ORIGIN, "`from` names the last event that the fork shares"),
    };
    Diagnostic::new(code, at("from"), message).help(kept(strict, OF_ITS_OWN, help))
}

pub(super) fn no_origin_said(stream: &Stream, strict: bool) -> Diagnostic {
    let message = format!("`from` does not say which event `{stream}` goes on from");
    let help = "`from` has the `run_id`, the `seq` (0 or more) and the `event_id` of the last \
                event that a fork shares";
    Diagnostic::new(&codes::ORIGIN_UNKNOWN, at("from"), message)
        .help(kept(strict, OF_ITS_OWN, help))
}

pub(super) fn wrong_stream(stream: &Stream, name: &str, found: &str) -> Diagnostic {
    let message = format!("the event is of `{found}`, and stands in `{stream}`");
    let at = Anchor::value(member("event").child(name));
    Diagnostic::new(&codes::WRONG_STREAM, at, message)
}

pub(super) fn driven_here(stream: &Stream) -> Diagnostic {
    let message = format!("`{stream}` is run here, and only its own engine says how it goes on");
    let help = "an event alone says nothing of its place: import an export of the run, which does";
    Diagnostic::new(&codes::WRONG_STREAM, at("run_id"), message).help(help)
}

pub(super) fn repeated_event(stream: &Stream, strict: bool) -> Diagnostic {
    let message = format!("this event of `{stream}` stands in the file before");
    let help = "two events of one run differ in something, such as their time";
    Diagnostic::new(&codes::REPEATED_EVENT, Anchor::Span(Span::new(0, 1)), message).help(kept(
        strict,
        "it is kept once",
        help,
    ))
}

/// The order of the file is not that of the store. `end` is what an event that is new is put behind.
pub(super) fn order_differs(stream: &Stream, end: Option<Place>, strict: bool) -> Diagnostic {
    let (message, how) = match end {
        Some(end) => (
            format!("`{stream}` goes on in another way in the store"),
            format!("this event is put behind its last one, `{end}`"),
        ),
        None => (
            format!("the events of `{stream}` stand in another order in the store"),
            "they stay as they are there".to_string(),
        ),
    };
    let help = "if the file is another history of it, import it into another store, or give it \
                another `run_id`";
    Diagnostic::new(&codes::ORDER_DIFFERS, Anchor::Span(Span::new(0, 1)), message)
        .help(kept(strict, &how, help))
}

pub(super) fn blob_mismatch(computed: BlobId) -> Diagnostic {
    let message = "`blob` is not the hash of these bytes";
    Diagnostic::new(&codes::BLOB_MISMATCH, at("blob"), message)
        .help(format!("their hash is {computed}"))
}

pub(super) fn missing_blob(base: &Pointer, name: &str, id: BlobId, strict: bool) -> Diagnostic {
    let message = format!("`{name}` stands behind {id}, which is not there");
    let help = "import a file that has this `blob`";
    Diagnostic::new(&codes::MISSING_BLOB, Anchor::value(base.child(name)), message).help(kept(
        strict,
        "the event is kept without it",
        help,
    ))
}

/// What the event says contradicts what was said before it.
pub(super) fn violation(base: &Pointer, violation: &Violation) -> Diagnostic {
    let pointer = violation.pointer();
    let pointer = pointer.tokens().fold(base.clone(), |pointer, token| pointer.child(token));
    Diagnostic::new(violation.code(), Anchor::value(pointer), violation).help(violation.help())
}

pub(super) fn wrong_operation_id(computed: OperationId) -> Diagnostic {
    let message = "`id` is not the hash of this move";
    Diagnostic::new(&codes::BROKEN_NAME, at("id"), message).help(format!("its hash is {computed}"))
}

pub(super) fn broken_name(message: String) -> Diagnostic {
    Diagnostic::new(&codes::BROKEN_NAME, at("operation"), message)
}
