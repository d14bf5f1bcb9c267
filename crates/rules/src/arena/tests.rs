use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A record that cannot be copied bit by bit: the text is what is compared.
#[derive(Clone, Debug, PartialEq)]
struct Note {
    text: Arc<str>,
    next: u32,
}

impl Record for Note {
    fn vacant(next: u32) -> Note {
        Note { text: "".into(), next }
    }

    fn next_vacant(&self) -> u32 {
        self.next
    }
}

fn note(number: u32) -> Note {
    Note { text: number.to_string().into(), next: 7 }
}

/// An arena, and what it should hold: the records, and the free places.
#[derive(Default)]
struct Pair {
    arena: Arena<Note>,
    model: Vec<Option<Note>>,
    free: Vec<u32>,
}

impl Pair {
    fn insert(&mut self, note: Note) {
        let expected = self.free.pop().unwrap_or_else(|| {
            self.model.push(None);
            self.model.len() as u32 - 1
        });
        assert_eq!(self.arena.insert(note.clone()), expected);
        self.model[expected as usize] = Some(note);
    }

    fn fork(&mut self) -> Pair {
        Pair { arena: self.arena.fork(), model: self.model.clone(), free: self.free.clone() }
    }

    /// A number that is used, if there is one, near the one given.
    fn used(&self, near: u32) -> Option<u32> {
        let count = self.model.len() as u32;
        let mut ids = (0..count).map(|step| (near % count + step) % count);
        ids.find(|id| self.model[*id as usize].is_some())
    }

    fn check(&self) {
        assert_eq!(self.arena.len(), self.model.iter().flatten().count());
        assert_eq!(self.arena.places() as usize, self.model.len());
        for (id, expected) in (0..).zip(&self.model) {
            if let Some(expected) = expected {
                assert_eq!(self.arena.get(id), expected);
            }
        }
        let layers = &self.arena.layers;
        assert!(layers.len() < 40, "{} layers", layers.len());
        for layer in layers {
            let pages: BTreeSet<_> = layer.pages.iter().collect();
            assert_eq!(pages.len(), layer.pages.len(), "a page is kept twice");
        }
        let held: usize = layers.iter().map(|layer| layer.records.len()).sum();
        let records = self.arena.all.len() + self.arena.own.len() + held;
        assert!(records <= 3 * self.model.len() + 2 * PAGE, "{records} for {:?}", self.model.len());
    }
}

#[derive(Clone, Debug)]
enum Change {
    Insert(u16),
    Remove(u32),
    Write(u32),
    Fork,
    Drop,
}

fn changes() -> impl Strategy<Value = Vec<(usize, Change)>> {
    let change = prop_oneof![
        2 => (1_u16..300).prop_map(Change::Insert),
        3 => any::<u32>().prop_map(Change::Remove),
        6 => any::<u32>().prop_map(Change::Write),
        3 => Just(Change::Fork),
        2 => Just(Change::Drop),
    ];
    prop::collection::vec((any::<usize>(), change), 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn forks_never_see_each_other(changes in changes()) {
        let mut pairs = vec![Pair::default()];
        for (step, (which, change)) in (0..).zip(changes) {
            let which = which % pairs.len();
            let pair = &mut pairs[which];
            match change {
                Change::Insert(count) => {
                    for extra in 0..u32::from(count) {
                        pair.insert(note(step * 1_000 + extra));
                    }
                }
                Change::Remove(near) => {
                    if let Some(id) = pair.used(near) {
                        let expected = pair.model[id as usize].take();
                        prop_assert_eq!(Some(pair.arena.remove(id)), expected);
                        pair.free.push(id);
                    }
                }
                Change::Write(near) => {
                    if let Some(id) = pair.used(near) {
                        *pair.arena.get_mut(id) = note(step);
                        pair.model[id as usize] = Some(note(step));
                    }
                }
                Change::Fork => {
                    let fork = pair.fork();
                    pairs.push(fork);
                }
                Change::Drop if pairs.len() > 1 => drop(pairs.swap_remove(which)),
                Change::Drop => {}
            }
            if let Some(changed) = pairs.get(which) {
                changed.check();
            }
        }
        pairs.iter().for_each(Pair::check);
        // What two arenas do not share holds all that differs.
        for one in &pairs {
            for two in &pairs {
                let unshared: BTreeSet<u32> = one.arena.unshared(&two.arena).collect();
                for id in 0..one.model.len().max(two.model.len()) {
                    let differs = one.model.get(id) != two.model.get(id);
                    prop_assert!(!differs || unshared.contains(&(id as u32)), "{}", id);
                }
            }
        }
    }
}

/// Hundreds of forks in a line, each of which changes a little. `kept` of them live on.
fn line_of_forks(kept: usize) {
    let mut pair = Pair::default();
    for number in 0..2_000 {
        pair.insert(note(number));
    }
    let mut alive = Vec::new();
    for step in 0..400_u32 {
        let fork = pair.fork();
        alive.push(std::mem::replace(&mut pair, fork));
        if alive.len() > kept {
            alive.remove(0).check();
        }
        for extra in 0..3 {
            let id = step.wrapping_mul(2_654_435_761).rotate_left(extra * 7) % 2_000;
            *pair.arena.get_mut(id) = note(step);
            pair.model[id as usize] = Some(note(step));
        }
        if step % 50 == 0 {
            pair.insert(note(step));
        }
    }
    alive.iter().for_each(Pair::check);
    pair.check();
}

#[test]
fn a_line_of_forks_of_which_the_last_lives() {
    line_of_forks(0);
}

#[test]
fn a_line_of_forks_of_which_some_live() {
    line_of_forks(20);
}

#[test]
fn a_page_nobody_else_reads_is_not_kept_twice() {
    let mut arena = Arena::filled(note(1), 1_000);
    drop(arena.fork());
    *arena.get_mut(5) = note(2);
    drop(arena.fork());
    assert_eq!(arena.layers.len(), 1);
    assert_eq!(arena.get(5), &note(2));
}

#[test]
fn an_arena_that_was_written_to_a_lot_is_flat_again() {
    let mut arena = Arena::filled(note(1), 1_000);
    let fork = arena.fork();
    for id in 0..600 {
        *arena.get_mut(id) = note(2);
    }
    assert!(arena.layers.is_empty());
    assert_eq!((arena.get(599), arena.get(600), fork.get(0)), (&note(2), &note(1), &note(1)));
}

#[test]
fn arenas_go_to_other_threads() {
    fn sent<T: Send + Sync>(_: T) {}
    sent(Arena::<Note>::default());
}

#[test]
fn forks_share_what_was_not_written_to() {
    let mut arena = Arena::filled(note(1), 1_000);
    let mut fork = arena.fork();
    assert_eq!(arena.unshared(&fork).count(), 0);
    *arena.get_mut(5) = note(2);
    *fork.get_mut(999) = note(3);
    let ids: Vec<u32> = arena.unshared(&fork).collect();
    assert_eq!(ids, (0..32).chain(992..1_000).collect::<Vec<u32>>());
    let later = arena.fork();
    assert_eq!(arena.unshared(&later).count(), 0);
}
