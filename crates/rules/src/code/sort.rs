//! Sorting by a function that the program names: the machine asks what to compare, runs the
//! function, and says what it gave.

use crate::field::Field;

/// A list that is being sorted, by merging. Which values are compared, and in which order, is as
/// in CLIPS: it shows if the function prints, or contradicts itself.
#[derive(Debug)]
pub(super) struct Sorting {
    fields: Vec<Field>,
    /// What is being merged.
    merged: Vec<Field>,
    /// The merges to do, the next one last. Each has two stretches: from, between, to.
    todo: Vec<(usize, usize, usize)>,
    /// The next of each stretch.
    left: usize,
    right: usize,
}

impl Sorting {
    pub(super) fn new(fields: Vec<Field>) -> Sorting {
        // A stretch is halved, its halves are sorted, the left one first, then it is merged:
        // going from the whole to the parts, right before left, gives the order backwards.
        let mut todo = Vec::new();
        let mut open = vec![(0, fields.len())];
        while let Some((from, to)) = open.pop() {
            if to - from < 2 {
                continue;
            }
            let between = from + (to - from).div_ceil(2);
            todo.push((from, between, to));
            open.push((from, between));
            open.push((between, to));
        }
        let mut sorting = Sorting { fields, merged: Vec::new(), todo, left: 0, right: 0 };
        sorting.begin();
        sorting
    }

    /// Stands at the beginning of the next merge.
    fn begin(&mut self) {
        if let Some((from, between, _)) = self.todo.last() {
            (self.left, self.right) = (*from, *between);
        }
    }

    /// Two values that have to be compared; none once all is in order.
    pub(super) fn question(&self) -> Option<(&Field, &Field)> {
        self.todo.last()?;
        Some((&self.fields[self.left], &self.fields[self.right]))
    }

    /// Whether the two change places.
    pub(super) fn answer(&mut self, swapped: bool) {
        let Some((from, between, to)) = self.todo.last().copied() else { return };
        let next = if swapped { &mut self.right } else { &mut self.left };
        self.merged.push(self.fields[*next].clone());
        *next += 1;
        if self.left < between && self.right < to {
            return;
        }
        self.merged.extend_from_slice(&self.fields[self.left..between]);
        self.merged.extend_from_slice(&self.fields[self.right..to]);
        self.fields[from..to].swap_with_slice(&mut self.merged);
        self.merged.clear();
        self.todo.pop();
        self.begin();
    }

    pub(super) fn fields(self) -> Vec<Field> {
        self.fields
    }
}
