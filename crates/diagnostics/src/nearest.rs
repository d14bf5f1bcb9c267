//! "Did you mean": the known name that was probably meant.

/// The candidate nearest to `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names longer than this are not misspelt names; comparing them would only cost time.
    const LENGTH_MAX: usize = 80;
    let wanted: Vec<char> =
        name.chars().take(LENGTH_MAX + 1).flat_map(char::to_lowercase).collect();
    if wanted.is_empty() || wanted.len() > LENGTH_MAX {
        return None;
    }
    // Very short names differ by what they are, not by a slip.
    let distance_max = wanted.len() / 3;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|candidate| *candidate != name) {
        if candidate.len() > 4 * LENGTH_MAX {
            continue;
        }
        let letters: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
        if letters.len().abs_diff(wanted.len()) > distance_max {
            continue;
        }
        let distance = distance(&wanted, &letters);
        if distance <= distance_max && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance in which two swapped neighbours count as one edit.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        let ops = ["Filt", "Sort", "CacheGet", "R"];
        assert_eq!(nearest("Filter", ops), Some("Filt"));
        assert_eq!(nearest("cachegte", ops), Some("CacheGet"));
        assert_eq!(nearest("Zork", ops), None);
        assert_eq!(nearest("r", ops), Some("R"));
        assert_eq!(nearest("n9", ["n1", "n2"]), None);
        assert_eq!(nearest("", ops), None);
    }
}
