//! Records addressed by number, in a memory that forks in constant time.
//!
//! All that a working memory holds (facts, matches, lists, buckets) is small records that name
//! each other by number, so that forking the arenas they live in forks the memory.

use std::sync::Arc;

/// Records are shared and copied by pages of this many. A first write costs as much as a page is
/// long, a fork as much as there are pages: of half a million records a fork costs a microsecond
/// with 32 and half of that with 128, and a first write 50 ns with 32 and 180 ns with 128.
const PAGE: usize = 1 << SHIFT;
const SHIFT: u32 = 5;

/// This many layers of about one size become one: more of them make forks dearer, fewer make
/// pages be copied more often.
const FAN: usize = 4;

/// A place in a table has the number of the layer above these bits, and its page in them.
const LAYER: u32 = 24;

/// What an arena holds. A free place holds the number of the place that was freed before it, so
/// the list of free places needs no memory of its own, and is forked with the records.
pub trait Record: Clone {
    /// What a free place holds.
    fn vacant(next: u32) -> Self;

    /// The number that a record made by [`Record::vacant`] was given.
    fn next_vacant(&self) -> u32;
}

/// Records addressed by number. Places that were freed are used again, the last one first.
///
/// An arena that was never forked is a `Vec`. A fork freezes the records, as they are, into a
/// layer that both sides share; each side copies a page of 32 records when it first writes to it.
///
/// | | costs |
/// |---|---|
/// | read and write, not forked | those of a `Vec` |
/// | read, forked | two or three loads more; no count is touched |
/// | first write to a page after a fork | a copy of the page |
/// | fork | a count per layer (about a dozen), and four bytes per page once a page was copied |
/// | memory | one page for each that was written to since the fork |
///
/// A line of forks of which only the last lives has no more than three times the records.
///
/// Two more costs are spread over the first writes that cause them. When half of the pages are
/// a fork's own, it takes the rest too and is a `Vec` again. And a fork puts what was written since
/// the last one back where it was if nobody else reads that any longer, or else, now and then,
/// joins small layers into one: a page is copied once for each power of four between the pages
/// written from fork to fork and all pages.
#[derive(Debug)]
pub struct Arena<T> {
    /// All records in their order while there are no layers, else none: a look-up that finds
    /// nothing here has to look further.
    all: Vec<T>,
    /// The pages that only this arena has, in the order in which they were first written to.
    own: Vec<T>,
    /// Which page each page of `own` is, and where it was before; empty while there are no layers.
    origins: Vec<Origin>,
    /// Where each page is; empty while there are no layers, and while all pages are in the first
    /// one in their order, so that the first fork need not write it. The layer behind the last is
    /// `own`, so that nothing has to be renumbered when it is frozen.
    table: Vec<u32>,
    layers: Vec<Arc<Layer<T>>>,
    /// How many places there are, used or free.
    places: u32,
    /// How many are used.
    used: u32,
    /// The place that was freed last, if there are fewer used ones than places.
    vacant: u32,
}

/// Pages that do not change.
#[derive(Debug)]
struct Layer<T> {
    records: Vec<T>,
    /// Which pages these are; empty for the first layer, whose pages are in their order.
    pages: Vec<u32>,
}

/// Where a page of an arena's own came from.
#[derive(Clone, Copy, Debug)]
struct Origin {
    page: u32,
    /// Where the table had it; `FRESH` if it is a new one.
    before: u32,
}

const FRESH: u32 = u32::MAX;

impl<T> Default for Arena<T> {
    fn default() -> Arena<T> {
        Arena {
            all: Vec::new(),
            own: Vec::new(),
            origins: Vec::new(),
            table: Vec::new(),
            layers: Vec::new(),
            places: 0,
            used: 0,
            vacant: 0,
        }
    }
}

impl<T: Record> Arena<T> {
    /// An arena of `count` equal records, numbered from zero.
    pub fn filled(record: T, count: u32) -> Arena<T> {
        let all = vec![record; count as usize];
        Arena { all, places: count, used: count, ..Arena::default() }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.used as usize
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// How many places there are, used or free: all numbers are smaller.
    pub fn places(&self) -> u32 {
        self.places
    }

    /// The record with this number, which [`Arena::insert`] gave and which was not removed.
    #[inline(always)]
    pub fn get(&self, id: u32) -> &T {
        match self.all.get(id as usize) {
            Some(record) => record,
            None => self.get_shared(id),
        }
    }

    #[inline(never)]
    fn get_shared(&self, id: u32) -> &T {
        let entry = self.entry(id >> SHIFT);
        let records = match self.layers.get((entry >> LAYER) as usize) {
            Some(layer) => &layer.records,
            None => &self.own,
        };
        &records[start(entry) + offset(id)]
    }

    /// The record with this number, to be changed.
    #[inline(always)]
    pub fn get_mut(&mut self, id: u32) -> &mut T {
        let index = id as usize;
        if index < self.all.len() { &mut self.all[index] } else { self.get_shared_mut(id) }
    }

    #[inline(never)]
    fn get_shared_mut(&mut self, id: u32) -> &mut T {
        let mut entry = self.entry(id >> SHIFT);
        if (entry >> LAYER) as usize != self.layers.len() {
            self.copy_page(id >> SHIFT);
            if self.layers.is_empty() {
                return &mut self.all[id as usize];
            }
            entry = self.table[(id >> SHIFT) as usize];
        }
        &mut self.own[start(entry) + offset(id)]
    }

    /// Keeps a record, and says by which number.
    #[inline(always)]
    pub fn insert(&mut self, record: T) -> u32 {
        if self.used == self.places {
            self.grow();
        }
        // The record is written once, to its place: what is put together on the stack and copied
        // has to wait until it is there.
        let id = self.vacant;
        let place = self.get_mut(id);
        let next = place.next_vacant();
        *place = record;
        self.vacant = next;
        self.used += 1;
        id
    }

    /// Frees the place of a record. Its number is the next one given.
    #[inline(always)]
    pub fn remove(&mut self, id: u32) -> T {
        let next = self.vacant;
        let record = std::mem::replace(self.get_mut(id), T::vacant(next));
        self.vacant = id;
        self.used -= 1;
        record
    }

    /// A second arena with the same records under the same numbers. From here on neither sees
    /// what the other does.
    pub fn fork(&mut self) -> Arena<T> {
        self.freeze();
        Arena {
            all: Vec::new(),
            own: Vec::new(),
            origins: Vec::new(),
            table: self.table.clone(),
            layers: self.layers.clone(),
            places: self.places,
            used: self.used,
            vacant: self.vacant,
        }
    }

    /// Numbers of all places that may differ between two arenas: those of pages that they do not
    /// share. Of two forks of one arena that is what was written to since; it costs a comparison
    /// per page. A number may be beyond the places of one of them.
    pub fn unshared<'a>(&'a self, other: &'a Arena<T>) -> impl Iterator<Item = u32> + 'a {
        let places = self.places.max(other.places);
        let pages = (0..places.div_ceil(PAGE as u32)).filter(move |page| {
            match (self.frozen(*page), other.frozen(*page)) {
                (Some(one), Some(two)) => !std::ptr::eq(one, two),
                _ => true,
            }
        });
        pages.flat_map(move |page| page << SHIFT..((page + 1) << SHIFT).min(places))
    }

    /// Where a page is.
    #[inline]
    fn entry(&self, page: u32) -> u32 {
        self.table.get(page as usize).copied().unwrap_or(page)
    }

    /// Writes the table down, before it becomes another than the first.
    fn lay_out(&mut self) {
        if self.table.is_empty() {
            let pages = self.layers.first().map_or(0, |layer| layer.records.len().div_ceil(PAGE));
            self.table = (0..pages).map(|page| entry(0, page)).collect();
        }
    }

    /// A page as others may have it, too.
    fn frozen(&self, page: u32) -> Option<&[T]> {
        if page >= self.places.div_ceil(PAGE as u32) {
            return None;
        }
        let entry = self.entry(page);
        let records = &self.layers.get((entry >> LAYER) as usize)?.records;
        records.get(start(entry)..records.len().min(start(entry) + PAGE))
    }

    /// Makes one more place, which is free.
    #[inline(never)]
    fn grow(&mut self) {
        if self.layers.is_empty() {
            self.all.push(T::vacant(0));
        } else {
            self.grow_shared();
        }
        self.vacant = self.places;
        self.places += 1;
    }

    fn grow_shared(&mut self) {
        self.lay_out();
        let page = self.places >> SHIFT;
        if offset(self.places) == 0 {
            self.table.push(entry(self.layers.len(), self.origins.len()));
            self.origins.push(Origin { page, before: FRESH });
            self.own.push(T::vacant(0));
            self.pad();
            return;
        }
        if (self.table[page as usize] >> LAYER) as usize != self.layers.len() {
            self.copy_page(page);
        }
        match self.table.get(page as usize) {
            Some(&entry) => self.own[start(entry) + offset(self.places)] = T::vacant(0),
            None => self.all.push(T::vacant(0)),
        }
    }

    /// Fills the last page of `own` up, so that the next one begins where a page begins.
    fn pad(&mut self) {
        self.own.resize(self.own.len().next_multiple_of(PAGE), T::vacant(0));
    }

    /// Makes a page this arena's own.
    #[cold]
    fn copy_page(&mut self, page: u32) {
        self.lay_out();
        let before = self.table[page as usize];
        let layer = &self.layers[(before >> LAYER) as usize];
        // The last page of the first layer may be shorter than a page.
        let end = layer.records.len().min(start(before) + PAGE);
        self.own.extend_from_slice(&layer.records[start(before)..end]);
        self.pad();
        self.table[page as usize] = entry(self.layers.len(), self.origins.len());
        self.origins.push(Origin { page, before });
        if self.origins.len() * 2 >= self.table.len() {
            self.flatten();
        }
    }

    /// Takes all pages, in their order: there are no layers afterwards.
    fn flatten(&mut self) {
        let mut layers: Vec<Result<Layer<T>, Arc<Layer<T>>>> =
            self.layers.drain(..).map(Arc::try_unwrap).collect();
        let mut own = std::mem::take(&mut self.own);
        // Capacity for more: an arena that is written to this much mostly grows.
        let mut records = Vec::with_capacity(self.table.len() * PAGE + PAGE);
        for (page, &entry) in self.table.iter().enumerate() {
            let length = (self.places as usize - page * PAGE).min(PAGE);
            let range = start(entry)..start(entry) + length;
            match layers.get_mut((entry >> LAYER) as usize) {
                Some(Err(shared)) => records.extend_from_slice(&shared.records[range]),
                Some(Ok(layer)) => records.extend(layer.records[range].iter_mut().map(taken)),
                None => records.extend(own[range].iter_mut().map(taken)),
            }
        }
        self.all = records;
        self.origins.clear();
        self.table.clear();
    }

    /// Leaves nothing that is only this arena's.
    fn freeze(&mut self) {
        if self.layers.is_empty() {
            let pages = self.all.len().div_ceil(PAGE);
            assert!(pages < 1 << LAYER, "an arena holds fewer than {} records", PAGE << LAYER);
            if pages > 0 {
                let records = std::mem::take(&mut self.all);
                self.layers.push(Arc::new(Layer { records, pages: Vec::new() }));
            }
            return;
        }
        self.put_back();
        if self.origins.is_empty() {
            return;
        }
        let records = std::mem::take(&mut self.own);
        let pages = self.origins.drain(..).map(|origin| origin.page).collect();
        self.layers.push(Arc::new(Layer { records, pages }));
        let above: usize = self.layers[1..].iter().map(|layer| layer.pages.len()).sum();
        if above > self.table.len() {
            self.flatten();
            self.freeze();
        } else {
            self.join_layers();
        }
    }

    /// Puts own pages back to where they were copied from, if nobody else reads that any longer.
    fn put_back(&mut self) {
        let number = self.layers.len();
        let mut kept = 0;
        for index in 0..self.origins.len() {
            let origin = self.origins[index];
            let place = self.layers.get_mut((origin.before >> LAYER) as usize);
            let layer = place.and_then(Arc::get_mut);
            let begin = start(origin.before);
            let old = layer.and_then(|layer| layer.records.get_mut(begin..begin + PAGE));
            if let Some(old) = old {
                old.swap_with_slice(&mut self.own[index * PAGE..(index + 1) * PAGE]);
                self.table[origin.page as usize] = origin.before;
                continue;
            }
            if kept < index {
                let (head, tail) = self.own.split_at_mut(index * PAGE);
                head[kept * PAGE..(kept + 1) * PAGE].swap_with_slice(&mut tail[..PAGE]);
                self.origins[kept] = origin;
                self.table[origin.page as usize] = entry(number, kept);
            }
            kept += 1;
        }
        self.origins.truncate(kept);
        self.own.truncate(kept * PAGE);
    }

    /// Joins the last layers while there are too many of about their size. The first is left out.
    fn join_layers(&mut self) {
        while let Some((last, rest)) = self.layers[1..].split_last() {
            let size = last.pages.len().ilog(FAN);
            let alike = rest.iter().rev().take_while(|one| one.pages.len().ilog(FAN) <= size);
            let count = alike.count() + 1;
            if count < FAN {
                return;
            }
            self.join(self.layers.len() - count);
        }
    }

    /// Makes one layer of all from this one on, of the pages that are still read.
    fn join(&mut self, from: usize) {
        let mut joined = Layer { records: Vec::new(), pages: Vec::new() };
        let layers: Vec<_> = self.layers.drain(from..).collect();
        for (number, layer) in (from..).zip(layers) {
            let mut layer = Arc::try_unwrap(layer);
            let pages = match &mut layer {
                Ok(layer) => std::mem::take(&mut layer.pages),
                Err(shared) => shared.pages.clone(),
            };
            for (index, page) in pages.into_iter().enumerate() {
                let place = &mut self.table[page as usize];
                if *place != entry(number, index) {
                    continue;
                }
                *place = entry(from, joined.pages.len());
                joined.pages.push(page);
                let range = index * PAGE..(index + 1) * PAGE;
                match &mut layer {
                    Ok(layer) => joined.records.extend(layer.records[range].iter_mut().map(taken)),
                    Err(shared) => joined.records.extend_from_slice(&shared.records[range]),
                }
            }
        }
        self.layers.push(Arc::new(joined));
    }
}

fn entry(layer: usize, page: usize) -> u32 {
    // INVARIANT: fewer than 256 layers, of fewer than 2^24 pages each; see `freeze`.
    (layer as u32) << LAYER | page as u32
}

fn start(entry: u32) -> usize {
    ((entry & ((1 << LAYER) - 1)) as usize) << SHIFT
}

fn offset(id: u32) -> usize {
    id as usize & (PAGE - 1)
}

fn taken<T: Record>(record: &mut T) -> T {
    std::mem::replace(record, T::vacant(0))
}

#[cfg(test)]
mod tests;
