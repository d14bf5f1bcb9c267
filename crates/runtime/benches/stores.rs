//! What a search costs, by the number of documents: in a store that was searched before, in one
//! that was written to since, in one that is searched for the first time, and on a shelf on the
//! disk.

use divan::{Bencher, black_box};
use history::Timestamp;
use runtime::stores::{Contents, StoreKind};
use store::{Change, Shelves, SqliteStore};
use value::{Digest, Value};

const DOCUMENTS: [usize; 3] = [1_000, 10_000, 100_000];
const NOW: Timestamp = Timestamp::EPOCH;

fn main() {
    divan::main();
}

/// A document of forty words out of some thousands, the first of them much more often than the
/// last, as in any language.
fn document(number: usize) -> Value {
    let mut state = number as u64 * 0x9e37_79b9_7f4a_7c15 + 1;
    let mut text = String::new();
    for _ in 0..40 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let (one, other) = (state % 8_000, state / 8_000 % 8_000);
        text.push_str(&word(one * other / 8_000));
        text.push(' ');
    }
    Value::map([("id", Value::text(number.to_string())), ("text", Value::text(text))])
}

fn word(number: u64) -> String {
    const PARTS: [&str; 20] = [
        "ka", "ro", "mi", "te", "sun", "la", "ber", "go", "ni", "ver", "pa", "dor", "es", "tun",
        "cor", "al", "ing", "qui", "ple", "sta",
    ];
    let part = |number: u64| PARTS[(number % 20) as usize];
    format!("{}{}{}{}", part(number), part(number / 20), part(number / 400), part(number / 8))
}

fn kind() -> StoreKind {
    StoreKind::of("vector")
}

fn filled(documents: usize) -> Contents {
    Contents::of_values(kind(), (0..documents).map(document))
}

fn query() -> Value {
    let words = [3, 120, 777, 2_000, 5_000, 7_500].map(word);
    Value::text(words.join(" "))
}

#[divan::bench(args = DOCUMENTS, sample_count = 20, sample_size = 1)]
fn search(bencher: Bencher<'_, '_>, documents: usize) {
    let (mut contents, query) = (filled(documents), query());
    contents.read(Some(&query), NOW).expect("it can be read");
    bencher.bench_local(|| contents.read(Some(black_box(&query)), NOW));
}

#[divan::bench(args = DOCUMENTS, sample_count = 20, sample_size = 1)]
fn write_and_search(bencher: Bencher<'_, '_>, documents: usize) {
    let (mut contents, query) = (filled(documents), query());
    contents.read(Some(&query), NOW).expect("it can be read");
    let mut number = 0;
    bencher.bench_local(|| {
        number = (number + 7_919) % documents;
        contents.write(None, document(number), NOW).expect("it can be written");
        contents.read(Some(black_box(&query)), NOW)
    });
}

#[divan::bench(args = DOCUMENTS, sample_count = 3, sample_size = 1)]
fn first_search(bencher: Bencher<'_, '_>, documents: usize) {
    let query = query();
    bencher
        .with_inputs(|| filled(documents))
        .bench_local_values(|mut contents| contents.read(Some(&query), NOW));
}

/// Reads a shelf from the disk, indexes it and searches: once for each process.
#[divan::bench(args = DOCUMENTS, sample_count = 3, sample_size = 1)]
fn first_search_of_a_shelf(bencher: Bencher<'_, '_>, documents: usize) {
    let (path, store) = shelf(documents);
    let query = query();
    bencher.bench_local(|| {
        let items = store.shelf_read("s").expect("it can be read");
        let mut contents = Contents::of_values(kind(), items.into_iter().map(|item| item.value));
        contents.read(Some(&query), NOW)
    });
    drop(store);
    let _ = std::fs::remove_dir_all(path);
}

/// Looks whether somebody has written since: before each search of a shelf.
#[divan::bench(args = DOCUMENTS, sample_count = 20, sample_size = 1)]
fn has_the_shelf_changed(bencher: Bencher<'_, '_>, documents: usize) {
    let (path, store) = shelf(documents);
    bencher.bench_local(|| store.shelf_writes("s"));
    drop(store);
    let _ = std::fs::remove_dir_all(path);
}

/// A shelf, written a hundred documents at a time.
fn shelf(documents: usize) -> (std::path::PathBuf, SqliteStore) {
    let path = std::env::temp_dir().join(format!("quipu-bench-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir(&path).expect("a folder for the bench");
    let store = SqliteStore::open(path.join("q.db")).expect("a store for the bench");
    let all: Vec<usize> = (0..documents).collect();
    for (number, batch) in all.chunks(100).enumerate() {
        let set = |number: &usize| Change::Set {
            key: number.to_string().into(),
            value: document(*number),
        };
        let changes: Vec<Change> = batch.iter().map(set).collect();
        let key = Digest::of(&number.to_be_bytes());
        store.shelf_write("s", &changes, &key).expect("it can be written");
    }
    (path, store)
}
