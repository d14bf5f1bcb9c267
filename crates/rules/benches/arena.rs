//! What the memory of the rules costs: beside a `Vec` while it is not forked, and when it is.
//! `cargo bench -p quipu-rules --bench arena`.

use divan::{Bencher, black_box, counter::ItemsCount};
use rules::measured::{Arena, Buckets, Record};
use std::sync::Arc;

/// The binary's allocator, so that the figures are the ones a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// As many as a memory of a hundred thousand facts has.
const RECORDS: u32 = 500_000;
const STEPS: u32 = 1_000;

/// About what a match is.
#[derive(Clone, Copy, Debug)]
struct Link([u32; 6]);

impl Record for Link {
    fn vacant(next: u32) -> Link {
        Link([next; 6])
    }

    fn next_vacant(&self) -> u32 {
        self.0[0]
    }
}

/// About what a fact is: something that is counted.
#[derive(Clone, Debug)]
struct Held(#[expect(dead_code, reason = "it is only counted")] Option<Arc<u32>>, u32);

impl Record for Held {
    fn vacant(next: u32) -> Held {
        Held(None, next)
    }

    fn next_vacant(&self) -> u32 {
        self.1
    }
}

/// Numbers all over the place, the same ones in each run.
fn ids() -> Vec<u32> {
    scattered(RECORDS, STEPS)
}

fn scattered(below: u32, count: u32) -> Vec<u32> {
    (0..count)
        .map(|step| ((u64::from(step.wrapping_mul(2_654_435_761)) * u64::from(below)) >> 32) as u32)
        .collect()
}

fn filled() -> Arena<Link> {
    Arena::filled(Link([1; 6]), RECORDS)
}

/// A thousand reads.
mod read {
    use super::*;

    #[divan::bench]
    fn vec(bencher: Bencher<'_, '_>) {
        let (records, ids) = (vec![Link([1; 6]); RECORDS as usize], ids());
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            black_box(&ids).iter().map(|id| black_box(&records)[*id as usize].0[0]).sum::<u32>()
        });
    }

    fn reads(bencher: Bencher<'_, '_>, arena: &Arena<Link>) {
        let ids = ids();
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            black_box(&ids).iter().map(|id| black_box(arena).get(*id).0[0]).sum::<u32>()
        });
    }

    #[divan::bench]
    fn arena(bencher: Bencher<'_, '_>) {
        reads(bencher, &filled());
    }

    #[divan::bench]
    fn forked(bencher: Bencher<'_, '_>) {
        let mut arena = filled();
        let _other = arena.fork();
        reads(bencher, &arena);
    }

    /// One after a hundred forks, with a dozen layers.
    #[divan::bench]
    fn layered(bencher: Bencher<'_, '_>) {
        let mut arena = filled();
        let mut others = Vec::new();
        for step in 0..100 {
            others.push(arena.fork());
            for id in scattered(RECORDS, 50) {
                arena.get_mut((id + step * 1_000) % RECORDS).0[1] = step;
            }
        }
        reads(bencher, &arena);
    }
}

/// A thousand writes.
mod write {
    use super::*;

    #[divan::bench]
    fn vec(bencher: Bencher<'_, '_>) {
        let (mut records, ids) = (vec![Link([1; 6]); RECORDS as usize], ids());
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            for id in black_box(&ids) {
                black_box(&mut records)[*id as usize].0[0] += 1;
            }
        });
    }

    fn writes(bencher: Bencher<'_, '_>, mut arena: Arena<Link>) {
        let ids = ids();
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            for id in black_box(&ids) {
                black_box(&mut arena).get_mut(*id).0[0] += 1;
            }
        });
    }

    #[divan::bench]
    fn arena(bencher: Bencher<'_, '_>) {
        writes(bencher, filled());
    }

    /// All pages are its own after the first sample.
    #[divan::bench]
    fn forked(bencher: Bencher<'_, '_>) {
        let mut arena = filled();
        let _other = arena.fork();
        writes(bencher, arena);
    }

    /// Each is the first one to its page.
    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn first(bencher: Bencher<'_, '_>) {
        let (mut arena, ids) = (filled(), ids());
        bencher.counter(ItemsCount::new(STEPS)).with_inputs(|| arena.fork()).bench_local_refs(
            |fork| {
                for id in black_box(&ids) {
                    fork.get_mut(*id).0[0] += 1;
                }
            },
        );
    }

    /// The same with records that are counted.
    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn first_counted(bencher: Bencher<'_, '_>) {
        let mut arena = Arena::default();
        for number in 0..RECORDS {
            arena.insert(Held(Some(Arc::new(number)), 0));
        }
        let ids = ids();
        bencher.counter(ItemsCount::new(STEPS)).with_inputs(|| arena.fork()).bench_local_refs(
            |fork| {
                for id in black_box(&ids) {
                    fork.get_mut(*id).1 += 1;
                }
            },
        );
    }
}

/// A thousand records kept, and freed again.
mod insert_and_remove {
    use super::*;

    #[divan::bench]
    fn vec(bencher: Bencher<'_, '_>) {
        let mut records = vec![Link([1; 6]); RECORDS as usize];
        let mut free: Vec<u32> = ids();
        let mut used = Vec::new();
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            while let Some(id) = free.pop() {
                black_box(&mut records)[id as usize] = Link([2; 6]);
                used.push(id);
            }
            while let Some(id) = used.pop() {
                black_box(&records[id as usize]);
                free.push(id);
            }
        });
    }

    #[divan::bench]
    fn arena(bencher: Bencher<'_, '_>) {
        let mut arena = filled();
        for id in ids() {
            arena.remove(id);
        }
        let mut used = Vec::new();
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            for _ in 0..STEPS {
                used.push(black_box(&mut arena).insert(Link([2; 6])));
            }
            while let Some(id) = used.pop() {
                black_box(arena.remove(id));
            }
        });
    }
}

mod fork {
    use super::*;

    /// A memory of a hundred thousand facts: ten arenas of five hundred thousand records in all.
    #[divan::bench]
    fn ten_arenas(bencher: Bencher<'_, '_>) {
        let mut arenas: Vec<_> =
            (0..10).map(|_| Arena::filled(Link([1; 6]), RECORDS / 10)).collect();
        bencher.bench_local(|| arenas.iter_mut().map(Arena::fork).collect::<Vec<_>>());
    }

    #[divan::bench]
    fn one_arena(bencher: Bencher<'_, '_>) {
        let mut arena = filled();
        bencher.bench_local(|| arena.fork());
    }

    /// The first one has to freeze what it finds.
    #[divan::bench(sample_size = 1)]
    fn first(bencher: Bencher<'_, '_>) {
        bencher.with_inputs(filled).bench_local_refs(|arena| arena.fork());
    }

    /// Fork, change ten records, drop the old one.
    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn a_thousand_in_a_line(bencher: Bencher<'_, '_>) {
        line(bencher, false);
    }

    /// The same, and all of them live on.
    #[divan::bench(sample_count = 10, sample_size = 1)]
    fn a_thousand_that_live(bencher: Bencher<'_, '_>) {
        line(bencher, true);
    }

    fn line(bencher: Bencher<'_, '_>, kept: bool) {
        let ids = scattered(RECORDS, 10_000);
        bencher.counter(ItemsCount::new(STEPS)).with_inputs(filled).bench_local_values(
            |mut arena| {
                let mut others = Vec::new();
                for written in ids.chunks(10) {
                    let fork = arena.fork();
                    let old = std::mem::replace(&mut arena, fork);
                    if kept {
                        others.push(old);
                    }
                    for id in written {
                        arena.get_mut(*id).0[0] += 1;
                    }
                }
                (arena, others)
            },
        );
    }
}

/// A thousand look-ups, changes, and new keys.
mod buckets {
    use super::*;

    fn key(number: u32) -> u64 {
        u64::from(number).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    fn index() -> Buckets {
        let mut buckets = Buckets::default();
        for number in 0..RECORDS / 5 {
            buckets.set_head(key(number), Some(number), &mut 0);
        }
        buckets
    }

    #[divan::bench]
    fn head(bencher: Bencher<'_, '_>) {
        let (buckets, ids) = (index(), scattered(RECORDS / 5, STEPS));
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            black_box(&ids).iter().filter_map(|id| buckets.head(key(*id), &mut 0)).sum::<u32>()
        });
    }

    #[divan::bench]
    fn head_of_none(bencher: Bencher<'_, '_>) {
        let (buckets, ids) = (index(), scattered(RECORDS / 5, STEPS));
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            black_box(&ids)
                .iter()
                .filter_map(|id| buckets.head(key(id + RECORDS), &mut 0))
                .sum::<u32>()
        });
    }

    #[divan::bench]
    fn replace(bencher: Bencher<'_, '_>) {
        let (mut buckets, ids) = (index(), scattered(RECORDS / 5, STEPS));
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            for id in black_box(&ids) {
                buckets.replace(key(*id), Some(1), &mut 0);
            }
        });
    }

    #[divan::bench]
    fn small(bencher: Bencher<'_, '_>) {
        let mut buckets = Buckets::default();
        bencher.counter(ItemsCount::new(STEPS)).bench_local(|| {
            for id in 0..STEPS / 10 {
                for other in 0..10 {
                    buckets.replace(key(id % 10 * 10 + other), Some(id), &mut 0);
                }
            }
        });
    }

    #[divan::bench(sample_count = 20, sample_size = 1)]
    fn a_hundred_thousand_keys(bencher: Bencher<'_, '_>) {
        bencher.counter(ItemsCount::new(RECORDS / 5)).bench_local(index);
    }
}
