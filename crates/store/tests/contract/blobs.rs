//! Large values beside events.

use history::BlobId;
use history::kinds::Blob;
use store::{Append, AppendError, Durability, Expected, Store};

use crate::sample::{event_with, events, plain, run};

contract! {
    bytes_come_back_as_they_were,
    hashes_are_listed_in_order_page_by_page,
    what_is_removed_is_gone,
    nothing_is_removed_once_there_are_events_that_nobody_looked_at,
    bytes_that_events_refer_to_come_with_them_or_were_there,
    an_import_need_not_have_the_bytes,
    what_only_looks_like_a_reference_is_none,
    bytes_that_come_with_a_refused_request_are_not_kept,
}

fn bytes_come_back_as_they_were(store: &dyn Store) {
    let blobs =
        [Blob::new(""), Blob::new("text"), Blob::new(vec![0; 100_000]), Blob::new([255, 0])];
    store.put_blobs(&blobs, Durability::Os).unwrap();
    store.put_blobs(&blobs[1..], Durability::Fsync).unwrap();
    store.put_blobs(&[], Durability::Fsync).unwrap();
    for blob in &blobs {
        assert_eq!(store.blob(blob.id()).unwrap().as_deref(), Some(blob.bytes()));
        assert!(store.has_blob(blob.id()).unwrap());
    }
    assert_eq!(store.blob(Blob::new("other").id()).unwrap(), None);
    assert!(!store.has_blob(Blob::new("other").id()).unwrap());
}

fn hashes_are_listed_in_order_page_by_page(store: &dyn Store) {
    let blobs: Vec<Blob> = (0..10).map(|size| Blob::new(vec![b'x'; size])).collect();
    store.put_blobs(&blobs, Durability::Os).unwrap();
    let mut expected: Vec<(BlobId, u64)> =
        blobs.iter().map(|blob| (blob.id(), blob.bytes().len() as u64)).collect();
    expected.sort();
    let mut listed: Vec<(BlobId, u64)> = Vec::new();
    loop {
        let page = store.blobs(listed.last().map(|(id, _)| *id), 4).unwrap();
        assert!(page.len() <= 4);
        if page.is_empty() {
            break;
        }
        listed.extend(page);
    }
    assert_eq!(listed, expected);
}

fn what_is_removed_is_gone(store: &dyn Store) {
    let blobs = [Blob::new("a"), Blob::new("b")];
    store.put_blobs(&blobs, Durability::Os).unwrap();
    assert!(store.remove_blobs(&[blobs[0].id(), Blob::new("never").id()], 0).unwrap());
    assert_eq!(store.blob(blobs[0].id()).unwrap(), None);
    assert_eq!(store.blobs(None, 9).unwrap(), [(blobs[1].id(), 1)]);
    store.put_blobs(&blobs, Durability::Os).unwrap();
    assert_eq!(store.blob(blobs[0].id()).unwrap(), Some(b"a".to_vec()));
}

fn nothing_is_removed_once_there_are_events_that_nobody_looked_at(store: &dyn Store) {
    let blob = Blob::new("a");
    store.put_blobs(std::slice::from_ref(&blob), Durability::Os).unwrap();
    assert_eq!(store.last_position().unwrap(), 0);
    crate::sample::begin(store, "a", 0, 2);
    assert_eq!(store.last_position().unwrap(), 2);
    assert!(!store.remove_blobs(&[blob.id()], 1).unwrap());
    assert!(store.has_blob(blob.id()).unwrap());
    assert!(store.remove_blobs(&[blob.id()], 2).unwrap());
    assert!(!store.has_blob(blob.id()).unwrap());
}

fn bytes_that_events_refer_to_come_with_them_or_were_there(store: &dyn Store) {
    let (stream, blobs) = (run("a"), [Blob::new("one"), Blob::new("two")]);
    let added: Vec<_> = blobs.iter().map(event_with).collect();
    let append = plain(&stream, Expected::New, &added);
    let refused = store.append(&Append { blobs: &blobs[..1], ..append.clone() });
    assert!(matches!(refused, Err(AppendError::NoBlob(id)) if id == blobs[1].id()));
    // Nothing is left of what was refused.
    assert_eq!(store.stream(&stream).unwrap(), None);
    assert_eq!(store.blobs(None, 9).unwrap(), []);
    store.put_blobs(&blobs[1..], Durability::Os).unwrap();
    store.append(&Append { blobs: &blobs[..1], ..append }).unwrap();
    assert_eq!(store.blob(blobs[0].id()).unwrap(), Some(b"one".to_vec()));
}

fn an_import_need_not_have_the_bytes(store: &dyn Store) {
    let (stream, added) = (run("a"), [event_with(&Blob::new("lost"))]);
    let append = plain(&stream, Expected::New, &added);
    store.append(&Append { unverified: true, ..append }).unwrap();
    assert_eq!(crate::sample::own(store, "a"), added);
}

fn what_only_looks_like_a_reference_is_none(store: &dyn Store) {
    let hash = Blob::new("x").id();
    let texts = [
        format!(r#"{{"kind": "x", "deep": [{{"$blob": "{hash}"}}]}}"#),
        format!(r#"{{"kind": "x", "two": {{"$blob": "{hash}", "b": 1}}}}"#),
        r#"{"kind": "x", "short": {"$blob": "abc"}}"#.to_string(),
        format!(r#"{{"kind": "x", "text": "{{\"$blob\":\"{hash}\"}}"}}"#),
    ];
    let added: Vec<_> = texts.iter().map(|text| history::Event::read(text).unwrap()).collect();
    store.append(&plain(&run("a"), Expected::New, &added)).unwrap();
    assert_eq!(crate::sample::own(store, "a"), added);
}

fn bytes_that_come_with_a_refused_request_are_not_kept(store: &dyn Store) {
    crate::sample::begin(store, "a", 0, 1);
    let (stream, added, blobs) = (run("a"), events(5..6), [Blob::new("x")]);
    let append = plain(&stream, Expected::Next(9), &added);
    store.append(&Append { blobs: &blobs, ..append }).unwrap_err();
    assert_eq!(store.blobs(None, 9).unwrap(), []);
}
