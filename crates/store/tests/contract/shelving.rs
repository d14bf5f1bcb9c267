//! What agents keep beyond their runs.

use store::{AppendError, Change, Clean, Item, Shelves, SqliteStore, Store, StoreError};
use value::{Digest, Value, json};

use crate::sample::{Folder, begin};

contract! {
    a_shelf_is_empty_at_first,
    what_is_set_is_found_by_its_key,
    what_is_pushed_is_taken_in_order,
    items_stand_in_the_order_in_which_they_came,
    items_are_removed_by_key_or_by_age,
    items_are_removed_by_the_beginning_of_their_keys,
    items_are_forgotten_when_their_time_is_over,
    a_full_shelf_takes_nothing,
    the_same_key_changes_nothing_again,
    a_key_is_for_the_same_changes_only,
    changes_are_made_together,
    values_come_back_as_they_were,
    one_item_goes_to_one_of_many_threads,
    shelves_are_in_no_export_and_left_alone,
}

fn key(number: u64) -> Digest {
    Digest::of(&number.to_be_bytes())
}

fn set(key: &str, value: impl Into<Value>) -> Change {
    Change::Set { key: key.into(), value: value.into() }
}

fn push(value: impl Into<Value>) -> Change {
    Change::Push(value.into())
}

fn item(key: Option<&str>, value: impl Into<Value>) -> Item {
    Item { key: key.map(Into::into), value: value.into() }
}

fn a_shelf_is_empty_at_first(store: &dyn Store) {
    assert_eq!(store.shelf_read("s").unwrap(), []);
    assert_eq!(store.shelf_get("s", "k").unwrap(), None);
    assert_eq!(store.shelf_write("s", &[Change::Take], &key(1)).unwrap(), None);
    assert_eq!(store.shelf_read("s").unwrap(), []);
}

fn what_is_set_is_found_by_its_key(store: &dyn Store) {
    assert_eq!(store.shelf_write("s", &[set("k", "a"), set("", 1)], &key(1)).unwrap(), None);
    assert_eq!(store.shelf_get("s", "k").unwrap(), Some("a".into()));
    assert_eq!(store.shelf_get("s", "").unwrap(), Some(Value::Int(1)));
    store.shelf_write("s", &[set("k", Value::Null)], &key(2)).unwrap();
    assert_eq!(store.shelf_get("s", "k").unwrap(), Some(Value::Null));
    assert_eq!(store.shelf_get("another", "k").unwrap(), None);
}

fn what_is_pushed_is_taken_in_order(store: &dyn Store) {
    store.shelf_write("s", &[push("a"), set("k", "not taken"), push("b")], &key(1)).unwrap();
    store.shelf_write("another", &[push("x")], &key(1)).unwrap();
    for (number, expected) in [(2, Some("a")), (3, Some("b")), (4, None)] {
        let taken = store.shelf_write("s", &[Change::Take], &key(number)).unwrap();
        assert_eq!(taken, expected.map(Value::from));
    }
    assert_eq!(store.shelf_read("s").unwrap(), [item(Some("k"), "not taken")]);
    assert_eq!(store.shelf_read("another").unwrap(), [item(None, "x")]);
}

fn items_stand_in_the_order_in_which_they_came(store: &dyn Store) {
    store.shelf_write("s", &[set("z", 1), push(2), set("a", 3)], &key(1)).unwrap();
    store.shelf_write("other", &[push(0)], &key(1)).unwrap();
    store.shelf_write("s", &[push(4), set("z", 5)], &key(2)).unwrap();
    let expected = [item(Some("z"), 5), item(None, 2), item(Some("a"), 3), item(None, 4)];
    assert_eq!(store.shelf_read("s").unwrap(), expected);
    store.shelf_write("s", &[Change::Take, push(6)], &key(3)).unwrap();
    let expected = [item(Some("z"), 5), item(Some("a"), 3), item(None, 4), item(None, 6)];
    assert_eq!(store.shelf_read("s").unwrap(), expected);
}

fn items_are_removed_by_key_or_by_age(store: &dyn Store) {
    store.shelf_write("s", &[set("a", 1), push(2), set("b", 3), push(4)], &key(1)).unwrap();
    store.shelf_write("other", &[set("a", 1)], &key(1)).unwrap();
    let gone = |key: &str| Change::Remove { key: key.into() };
    store.shelf_write("s", &[gone("a"), gone("nobody")], &key(2)).unwrap();
    assert_eq!(store.shelf_read("s").unwrap(), [item(None, 2), item(Some("b"), 3), item(None, 4)]);
    store.shelf_write("s", &[Change::Trim(3)], &key(3)).unwrap();
    store.shelf_write("s", &[set("a", 5), Change::Trim(2)], &key(4)).unwrap();
    assert_eq!(store.shelf_read("s").unwrap(), [item(None, 4), item(Some("a"), 5)]);
    assert_eq!(store.shelf_writes("s").unwrap(), 4);
    store.shelf_write("s", &[set("a", 5), Change::Trim(2)], &key(4)).unwrap();
    assert_eq!(store.shelf_writes("s").unwrap(), 4);
    store.shelf_write("s", &[Change::Trim(0)], &key(5)).unwrap();
    assert_eq!(store.shelf_read("s").unwrap(), []);
    assert_eq!(store.shelf_read("other").unwrap(), [item(Some("a"), 1)]);
    assert_eq!(store.shelf_writes("never").unwrap(), 0);
}

fn items_are_removed_by_the_beginning_of_their_keys(store: &dyn Store) {
    let all = [set("ab", 1), set("a%", 2), set("AB", 3), set("b", 4), push("ab")];
    store.shelf_write("s", &all, &key(1)).unwrap();
    store.shelf_write("other", &[set("ab", 1)], &key(1)).unwrap();
    let under = |prefix: &str| Change::RemoveUnder { prefix: prefix.into() };
    store.shelf_write("s", &[under("a%")], &key(2)).unwrap();
    assert_eq!(store.shelf_read("s").unwrap().len(), 4);
    store.shelf_write("s", &[under("a"), set("a", 5)], &key(3)).unwrap();
    let left = [item(Some("AB"), 3), item(Some("b"), 4), item(None, "ab"), item(Some("a"), 5)];
    assert_eq!(store.shelf_read("s").unwrap(), left);
    assert_eq!(store.shelf_read("other").unwrap(), [item(Some("ab"), 1)]);
    // Whatever the beginning ends with.
    for (number, prefix) in
        (4..).zip(["x\0", "x\u{7f}", "x\u{d7ff}", "x\u{10ffff}", "\u{10ffff}", ""])
    {
        let long = format!("{prefix}\u{10ffff}\u{10ffff}");
        let all = [set("w", 0), set(prefix, 1), set(&long, 2), set("y", 3), under(prefix)];
        let shelf = number.to_string();
        store.shelf_write(&shelf, &all, &key(number)).unwrap();
        let left = [item(Some("w"), 0), item(Some("y"), 3)];
        let left = if prefix.is_empty() { &[] } else { &left[..] };
        assert_eq!(store.shelf_read(&shelf).unwrap(), left, "{prefix:?}");
    }
}

fn items_are_forgotten_when_their_time_is_over(store: &dyn Store) {
    let until = |until: Value| Value::map([("until", until)]);
    let (late, text) = (until(Value::Int(11)), until("9".into()));
    let all = [
        set("a", until(Value::Int(9))),
        set("b", until(Value::Int(10))),
        set("c", late.clone()),
        push(text.clone()),
        push(3),
        push("until"),
    ];
    store.shelf_write("s", &all, &key(1)).unwrap();
    store.shelf_write("s", &[Change::Forget(10)], &key(2)).unwrap();
    let left = [item(Some("c"), late), item(None, text), item(None, 3), item(None, "until")];
    assert_eq!(store.shelf_read("s").unwrap(), left);
}

fn a_full_shelf_takes_nothing(store: &dyn Store) {
    let put = |number: u64| store.shelf_write("s", &[Change::IfFewer(2), push(1)], &key(number));
    put(1).unwrap();
    put(2).unwrap();
    let full = put(3).unwrap_err();
    assert_eq!(full.to_string(), "the shelf `s` is full: it holds 2 items at most");
    // What was put there once is not put there again, and not refused either.
    put(2).unwrap();
    assert_eq!(store.shelf_read("s").unwrap().len(), 2);
    store.shelf_write("s", &[Change::Take], &key(4)).unwrap();
    put(3).unwrap();
    assert_eq!(store.shelf_read("s").unwrap().len(), 2);
}

fn the_same_key_changes_nothing_again(store: &dyn Store) {
    store.shelf_write("s", &[push("a"), push("b"), push("c")], &key(1)).unwrap();
    for _ in 0..3 {
        let changes = [Change::Take, Change::Take, push("d")];
        assert_eq!(store.shelf_write("s", &changes, &key(2)).unwrap(), Some("b".into()));
        let expected = [item(None, "c"), item(None, "d")];
        assert_eq!(store.shelf_read("s").unwrap(), expected);
    }
    // A key counts for its shelf.
    assert_eq!(store.shelf_write("other", &[push(1)], &key(2)).unwrap(), None);
    assert_eq!(store.shelf_read("other").unwrap(), [item(None, 1)]);
}

fn a_key_is_for_the_same_changes_only(store: &dyn Store) {
    store.shelf_write("s", &[set("k", 1)], &key(1)).unwrap();
    for changes in [vec![set("k", Value::Float(1.0))], vec![push(1)], vec![]] {
        let refused = store.shelf_write("s", &changes, &key(1)).unwrap_err();
        assert_eq!(refused.to_string(), "the key was used for other changes of the shelf `s`");
    }
    assert_eq!(store.shelf_read("s").unwrap(), [item(Some("k"), 1)]);
}

fn changes_are_made_together(store: &dyn Store) {
    let deep = (0..200).fold(Value::Null, |inner, _| Value::list([inner]));
    let refused = store.shelf_write("s", &[set("k", 1), push(deep)], &key(1));
    assert!(matches!(refused, Err(AppendError::TooDeep)), "{refused:?}");
    assert_eq!(store.shelf_read("s").unwrap(), []);
    // The key was not used up.
    store.shelf_write("s", &[set("k", 1)], &key(1)).unwrap();
    assert_eq!(store.shelf_read("s").unwrap(), [item(Some("k"), 1)]);
}

fn values_come_back_as_they_were(store: &dyn Store) {
    let value = Value::map([
        ("whole", Value::Int(i64::MAX)),
        ("float", Value::Float(1.0)),
        ("text", "ä\n\u{0}\"".into()),
        ("list", Value::list([Value::Null, true.into(), Value::Float(-0.5e-300)])),
    ]);
    let text = json::compact(&value);
    store.shelf_write("s\u{0}", &[set("k\u{0}", value)], &key(1)).unwrap();
    let back = store.shelf_get("s\u{0}", "k\u{0}").unwrap().unwrap();
    assert_eq!(json::compact(&back), text);
    assert_eq!(store.shelf_read("s").unwrap(), []);
}

fn one_item_goes_to_one_of_many_threads(store: &dyn Store) {
    const ITEMS: i64 = 40;
    let all: Vec<Change> = (0..ITEMS).map(push).collect();
    store.shelf_write("s", &all, &key(u64::MAX)).unwrap();
    let mut taken: Vec<Value> = std::thread::scope(|scope| {
        let take = move |thread: u64| {
            let take = |number| {
                let key = key(thread * 1_000 + number);
                let taken = store.shelf_write("s", &[Change::Take], &key).unwrap();
                assert_eq!(store.shelf_write("s", &[Change::Take], &key).unwrap(), taken);
                taken
            };
            (0..ITEMS as u64 / 4).filter_map(take).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || take(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    taken.sort_by_key(json::compact);
    let mut expected: Vec<Value> = (0..ITEMS).map(Value::from).collect();
    expected.sort_by_key(json::compact);
    assert_eq!(taken, expected);
    assert_eq!(store.shelf_read("s").unwrap(), []);
}

fn shelves_are_in_no_export_and_left_alone(store: &dyn Store) {
    begin(store, "a", 0, 3);
    let export = || {
        let mut lines = Vec::new();
        store::export(store, None, &mut lines).unwrap();
        String::from_utf8(lines).unwrap()
    };
    let before = export();
    store.shelf_write("s", &[set("k", "v"), push("w")], &key(1)).unwrap();
    assert_eq!(export(), before);
    store::gc(store, Clean::Remove).unwrap();
    assert_eq!(store.shelf_read("s").unwrap().len(), 2);
    assert_eq!(store.check_files().unwrap(), Vec::<String>::new());
}

#[test]
fn a_shelf_is_there_when_the_store_is_opened_again_and_is_read_by_others() {
    let folder = Folder::new();
    let path = folder.file("store");
    let changes = [push("a"), set("k", "b")];
    SqliteStore::open(&path).unwrap().shelf_write("s", &changes, &key(1)).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let reader = SqliteStore::open_reader(&path).unwrap();
    for store in [&store, &reader] {
        let expected = [item(None, "a"), item(Some("k"), "b")];
        assert_eq!(store.shelf_read("s").unwrap(), expected);
    }
    store.shelf_write("s", &changes, &key(1)).unwrap();
    assert_eq!(reader.shelf_read("s").unwrap().len(), 2);
    let refused = reader.shelf_write("s", &[Change::Take], &key(2)).unwrap_err();
    assert!(refused.to_string().ends_with("is open for reading only"));
}

#[test]
fn an_item_that_is_no_json_is_damage() {
    let folder = Folder::new();
    let path = folder.file("store");
    SqliteStore::open(&path).unwrap().shelf_write("s", &[set("k", 1)], &key(1)).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("UPDATE shelf SET value = 'x'", []).unwrap();
    drop(other);
    let store = SqliteStore::open(&path).unwrap();
    let expected = "the store is damaged: an item on the shelf `s` is no JSON";
    for found in [store.shelf_read("s").map(drop), store.shelf_get("s", "k").map(drop)] {
        match found {
            Err(error @ StoreError::Damaged(_)) => assert_eq!(error.to_string(), expected),
            other => panic!("{other:?}"),
        }
    }
}
