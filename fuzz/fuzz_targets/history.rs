//! Any bytes are a line of an export, an event, or neither, never a panic; and what was read is
//! written and read again as the same.
#![no_main]

use history::kinds::flaws;
use history::line::{Line, write_blob, write_event, write_operation};
use history::{Entry, Event};
use libfuzzer_sys::fuzz_target;
use value::json;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(event) = Event::read(text) {
        check_event(&event);
    }
    let _ = Line::may_be_blob(text);
    let Ok(line) = Line::read(text) else { return };
    let mut written = String::new();
    match &line {
        Line::Event { stream, seq, link, event } => {
            check_event(event);
            let entry = Entry { seq: *seq, link: *link, event: event.clone() };
            write_event(&mut written, stream, &entry);
        }
        Line::Bare(event) => written.push_str(&json::compact(&event.value())),
        Line::Operation { id, operation } => write_operation(&mut written, *id, operation),
        Line::Blob { id, bytes } => write_blob(&mut written, *id, bytes),
    }
    assert_eq!(Line::read(written.trim_end()).as_ref(), Ok(&line), "written as\n{written}");
});

fn check_event(event: &Event) {
    assert_eq!(Event::from_body(event.body()).as_ref(), Ok(event));
    assert_eq!(Event::read(&json::compact(&event.value())).as_ref(), Ok(event));
    let _ = flaws(&event.members());
    // What is understood of an event can be said again; what was not understood is left out.
    let Some(fact) = event.fact() else { return };
    let sealed = fact.what.seal(&fact.common);
    let again = sealed.event.fact_with(|id| {
        let blob = sealed.blobs.iter().find(|blob| blob.id() == id)?;
        json::parse(std::str::from_utf8(blob.bytes()).ok()?).ok()
    });
    assert_eq!(again.as_ref(), Some(&fact), "sealed as\n{}", sealed.event.body());
}
