//! An index of texts, in blocks: a change costs what one block costs.

use super::features::{self, Counted};
use super::logarithm::ln;

/// So many rows have an index together.
pub(in crate::stores) const BLOCK: usize = 256;

/// How soon more of the same feature stops to count, and how far long texts are held against it:
/// the two numbers of BM25. Passages are short, so that the first is lower than for whole pages.
const SATURATION: f64 = 0.9;
const BY_LENGTH: f64 = 0.5;

/// So many texts are thought to be there that have nothing of any query: in a store of a few texts
/// a feature that one of them has would else count as common.
const UNSEEN: f64 = 20.0;

/// The index of up to [`BLOCK`] texts.
#[derive(Debug, PartialEq)]
pub(in crate::stores) struct Block {
    /// In order; the texts that have the feature at `n` begin at `starts[n]`.
    features: Vec<u32>,
    starts: Vec<u32>,
    /// Which text of the block, and how often.
    places: Vec<(u16, u16)>,
    /// How many words each text has; nothing where there is no text.
    words: Vec<Option<u32>>,
}

impl Block {
    /// Indexes texts. What is not there keeps its place.
    pub(in crate::stores) fn new<'t>(
        texts: impl Iterator<Item = Option<std::borrow::Cow<'t, str>>>,
    ) -> Block {
        // The feature, the place and the count as one number, which sorts fastest.
        let mut all: Vec<u64> = Vec::new();
        let mut words = Vec::new();
        for (place, text) in (0_u64..).zip(texts) {
            let Some(text) = text else {
                words.push(None);
                continue;
            };
            let Counted { counts, words: own } = features::of_text(&text);
            words.push(Some(own));
            let packed = counts
                .into_iter()
                .map(|(feature, count)| u64::from(feature) << 32 | place << 16 | u64::from(count));
            all.extend(packed);
        }
        all.sort_unstable();
        let mut block =
            Block { features: Vec::new(), starts: Vec::new(), places: Vec::new(), words };
        block.places.reserve_exact(all.len());
        for packed in all {
            let feature = (packed >> 32) as u32;
            if block.features.last() != Some(&feature) {
                block.features.push(feature);
                block.starts.push(u32::try_from(block.places.len()).expect("a block is small"));
            }
            block.places.push(((packed >> 16) as u16, packed as u16));
        }
        block
    }

    /// The texts that have a feature.
    fn with(&self, feature: u32) -> &[(u16, u16)] {
        let Ok(at) = self.features.binary_search(&feature) else { return &[] };
        let end = self.starts.get(at + 1).map_or(self.places.len(), |end| *end as usize);
        &self.places[self.starts[at] as usize..end]
    }
}

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::stores) struct Found {
    /// Its place among all.
    pub(in crate::stores) place: usize,
    /// From 0 to 1: how much of what the query is worth the text has in it.
    pub(in crate::stores) score: f64,
}

/// The texts that are most like a query, best first; of equal ones the earlier first.
pub(in crate::stores) fn best(
    blocks: &[&Block],
    query: &str,
    count: usize,
    min_score: f64,
    fits: impl Fn(usize) -> bool,
) -> Vec<Found> {
    let features = features::of_query(query);
    let all = || blocks.iter().flat_map(|block| block.words.iter().flatten());
    let (number, words) = (all().count() as f64, all().map(|words| f64::from(*words)).sum::<f64>());
    // Texts without a word have no length to compare with.
    let mean = if words > 0.0 { words / number } else { 1.0 };
    let weighed: Vec<(u32, f64)> = features
        .into_iter()
        .map(|(feature, worth)| {
            let having: usize = blocks.iter().map(|block| block.with(feature).len()).sum();
            let having = having as f64;
            (feature, worth * ln(1.0 + (number + UNSEEN - having + 0.5) / (having + 0.5)))
        })
        .collect();
    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    let mut found = Vec::new();
    for (begin, block) in (0..).step_by(BLOCK).zip(blocks) {
        let mut scores = vec![0.0; block.words.len()];
        for (feature, weight) in &weighed {
            for (place, count) in block.with(*feature) {
                let place = usize::from(*place);
                let length = f64::from(block.words[place].unwrap_or(0)) / mean;
                let count = f64::from(*count);
                let slowed = SATURATION * (1.0 - BY_LENGTH + BY_LENGTH * length);
                scores[place] += weight * count / (count + slowed);
            }
        }
        for (place, sum) in scores.into_iter().enumerate().filter(|(_, sum)| *sum > 0.0) {
            // Six digits are more than it can be trusted for, and look the same everywhere.
            let score = (sum / total * 1e6).round() / 1e6;
            if score > 0.0 && score >= min_score && fits(begin + place) {
                found.push(Found { place: begin + place, score });
            }
        }
    }
    let better = |a: &Found, b: &Found| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place));
    if count < found.len() {
        found.select_nth_unstable_by(count, better);
        found.truncate(count);
    }
    found.sort_unstable_by(better);
    found
}
