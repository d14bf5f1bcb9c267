//! What the stores of the protocols hold, in whichever of them: values in order, some with a key.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use value::{Text, Value};

use super::search::{BLOCK, Block, Found, best};

/// A change of what is held. It hangs on nothing that is there, so that it can be made twice, or
/// by whoever keeps the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Puts a value behind a key. One that was there before is replaced, at its place.
    Put {
        /// The key.
        key: Text,
        /// The value.
        value: Value,
    },
    /// Puts a value behind all others.
    Push(Value),
    /// Takes away what is behind a key.
    Remove {
        /// The key.
        key: Text,
    },
    /// Takes away the oldest, until so many are left.
    Trim(usize),
    /// Takes away what is behind every key that begins so.
    RemoveUnder {
        /// The beginning of the keys.
        prefix: Text,
    },
    /// Takes away what has an `until` up to this one.
    Forget(i64),
}

/// Values in order. A copy costs little until one of the two changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    rows: Arc<Rows>,
    /// An index for so many rows each, made when somebody searches.
    blocks: Vec<OnceLock<Arc<Block>>>,
}

#[derive(Clone, Debug, Default)]
struct Rows {
    /// What was taken away leaves a hole, so that places stay.
    held: Vec<Option<(Option<Text>, Value)>>,
    places: BTreeMap<Text, usize>,
    count: usize,
}

/// From so many rows on holes are closed when they are more than what is left.
const HOLES_FROM: usize = 64;

impl Entries {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.count == 0
    }

    /// The values, in order.
    pub(super) fn values(&self) -> impl DoubleEndedIterator<Item = &Value> {
        self.rows.held.iter().flatten().map(|(_, value)| value)
    }

    /// The value behind a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        let place = self.rows.places.get(key)?;
        self.at(*place)
    }

    fn at(&self, place: usize) -> Option<&Value> {
        self.rows.held.get(place)?.as_ref().map(|(_, value)| value)
    }

    pub(super) fn make(&mut self, edit: Edit) {
        let rows = Arc::make_mut(&mut self.rows);
        let touched = match edit {
            Edit::Put { key, value } => match rows.places.get(&key) {
                Some(place) => {
                    rows.held[*place] = Some((Some(key), value));
                    *place
                }
                None => {
                    rows.places.insert(key.clone(), rows.held.len());
                    rows.push((Some(key), value))
                }
            },
            Edit::Push(value) => rows.push((None, value)),
            Edit::Remove { key } => match rows.places.remove(&key) {
                Some(place) => {
                    rows.held[place] = None;
                    rows.count -= 1;
                    place
                }
                None => return,
            },
            Edit::RemoveUnder { prefix } => {
                let from = (Bound::Included(&*prefix), Bound::Unbounded);
                let behind = rows.places.range::<str, _>(from);
                let places = behind.take_while(|(key, _)| key.starts_with(&*prefix));
                let places = places.map(|(_, place)| *place).collect();
                if rows.clear(places) {
                    self.blocks.clear();
                }
                return;
            }
            Edit::Forget(until) => {
                let is_over = |row: &Option<(Option<Text>, Value)>| {
                    let until_then = row.as_ref().and_then(|(_, value)| value.get("until"));
                    matches!(until_then, Some(Value::Int(own)) if *own <= until)
                };
                let over = rows.held.iter().enumerate().filter(|(_, row)| is_over(row));
                let places = over.map(|(place, _)| place).collect();
                if rows.clear(places) {
                    self.blocks.clear();
                }
                return;
            }
            Edit::Trim(left) => {
                if rows.count > left {
                    rows.trim(left);
                    self.blocks.clear();
                }
                return;
            }
        };
        if rows.held.len() >= HOLES_FROM && rows.held.len() > 2 * rows.count {
            rows.close();
            self.blocks.clear();
        } else if let Some(block) = self.blocks.get_mut(touched / BLOCK) {
            *block = OnceLock::new();
        }
    }

    /// What is most like a text, best first.
    pub(super) fn search(
        &mut self,
        query: &str,
        count: usize,
        min_score: f64,
        text: fn(&Value) -> Cow<'_, str>,
        fits: impl Fn(&Value) -> bool,
    ) -> Vec<(f64, &Value)> {
        let number = self.rows.held.len().div_ceil(BLOCK);
        self.blocks.resize_with(number, OnceLock::new);
        let blocks = self.blocks.iter().zip(self.rows.held.chunks(BLOCK));
        let blocks: Vec<&Block> = blocks
            .map(|(block, rows)| {
                let texts = || rows.iter().map(|row| row.as_ref().map(|(_, value)| text(value)));
                &**block.get_or_init(|| Arc::new(Block::new(texts())))
            })
            .collect();
        let fits = |place| self.at(place).is_some_and(&fits);
        let found = best(&blocks, query, count, min_score, fits);
        let shown = |Found { place, score }| Some((score, self.at(place)?));
        found.into_iter().filter_map(shown).collect()
    }
}

impl Rows {
    fn push(&mut self, row: (Option<Text>, Value)) -> usize {
        self.held.push(Some(row));
        self.count += 1;
        self.held.len() - 1
    }

    /// Takes away what is at these places, and says whether that is anything.
    fn clear(&mut self, places: Vec<usize>) -> bool {
        for place in &places {
            self.held[*place] = None;
        }
        if !places.is_empty() {
            self.close();
        }
        !places.is_empty()
    }

    fn trim(&mut self, left: usize) {
        let too_many = self.count - left;
        let gone = self.held.iter_mut().filter(|row| row.is_some()).take(too_many);
        gone.for_each(|row| *row = None);
        self.close();
    }

    fn close(&mut self) {
        self.held.retain(Option::is_some);
        self.count = self.held.len();
        let keys = self.held.iter().flatten().enumerate();
        self.places = keys.filter_map(|(place, (key, _))| Some((key.clone()?, place))).collect();
    }
}
