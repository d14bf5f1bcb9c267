//! Any bytes, imported as a history, load, replay and are told, or are refused: never a panic, and
//! what loads replays.
#![no_main]

use std::io::Cursor;

use history::{Archive, Timestamp};
use libfuzzer_sys::fuzz_target;
use runtime::NoLogic;
use store::{Importing, MemoryStore, import};

fuzz_target!(|bytes: &[u8]| {
    let store = MemoryStore::default();
    let importing =
        Importing { file: "bytes".into(), strict: false, now: Timestamp::from_micros(0) };
    let _ = import(&store, &mut Cursor::new(bytes), &importing, &mut |_, _| {});
    for info in store.streams(None, usize::MAX).expect("memory can be read") {
        let loaded = host::load(&store, &info.stream, None, &mut NoLogic);
        let replayed = host::replay(&store, &info.stream, None, &mut NoLogic);
        assert_eq!(loaded.is_ok(), replayed.is_ok());
        let _ = host::traced(&store, &info.stream, None, &mut NoLogic);
        if let Ok(loaded) = loaded {
            let _ = loaded.run.state(&loaded.plan);
            let _ = loaded.run.places(&loaded.plan);
        }
    }
});
