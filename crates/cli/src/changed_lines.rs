//! Two texts as the lines that differ, as `diff -u` shows them.

/// How many equal lines are shown around those that differ.
const AROUND: usize = 3;
/// How far one looks for where two texts are the same again.
const AHEAD_MAX: usize = 2_000;

#[derive(Clone, Copy, PartialEq)]
enum Line {
    Same,
    Gone,
    New,
}

/// What must be changed in the one to get the other; empty where they have the same lines.
pub(crate) fn changed_lines(name: &str, before: &str, after: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    let lines = compare(&before, &after);
    let mut out = String::new();
    let mut rest = 0;
    let (mut old, mut new) = (0, 0);
    while let Some(first) = lines[rest..].iter().position(|line| *line != Line::Same) {
        let start = (rest + first).saturating_sub(AROUND).max(rest);
        let mut end = rest + first;
        // Changes with little between them are shown together.
        while let Some(more) =
            lines[end..].iter().take(2 * AROUND + 1).position(|line| *line != Line::Same)
        {
            end += more + 1;
        }
        end = (end + AROUND).min(lines.len());
        (old, new) = (old + start - rest, new + start - rest);
        let shown = &lines[start..end];
        let count = |not: Line| shown.iter().filter(|line| **line != not).count();
        let (olds, news) = (count(Line::New), count(Line::Gone));
        if out.is_empty() {
            out = format!("--- {name}\n+++ {name}\n");
        }
        out.push_str(&format!("@@ -{},{olds} +{},{news} @@\n", old + 1, new + 1));
        for line in shown {
            let (sign, text) = match line {
                Line::New => ('+', after[new]),
                Line::Gone => ('-', before[old]),
                Line::Same => (' ', before[old]),
            };
            old += usize::from(*line != Line::New);
            new += usize::from(*line != Line::Gone);
            out.push_str(&format!("{sign}{text}\n"));
        }
        rest = end;
    }
    out
}

/// Goes along both, and where they differ, to the nearest place where they are the same again.
fn compare(before: &[&str], after: &[&str]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(before.len());
    let (mut old, mut new) = (0, 0);
    while old < before.len() || new < after.len() {
        if old < before.len() && new < after.len() && before[old] == after[new] {
            lines.push(Line::Same);
            (old, new) = (old + 1, new + 1);
            continue;
        }
        let (gone, added) = next_same(&before[old..], &after[new..]);
        lines.extend(std::iter::repeat_n(Line::Gone, gone));
        lines.extend(std::iter::repeat_n(Line::New, added));
        (old, new) = (old + gone, new + added);
    }
    lines
}

/// How many lines of each come before one that they share; all of them where none is near.
fn next_same(before: &[&str], after: &[&str]) -> (usize, usize) {
    let ahead = (before.len() + after.len()).min(AHEAD_MAX);
    let pairs = (1..=ahead).flat_map(|sum| (0..=sum).map(move |gone| (gone, sum - gone)));
    let is_same = |(gone, added): &(usize, usize)| {
        before.get(*gone).is_some_and(|line| after.get(*added) == Some(line))
    };
    pairs.into_iter().find(is_same).unwrap_or((before.len(), after.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_have_three_lines_around_them() {
        let before: Vec<String> = (1..=30).map(|number| format!("line {number}")).collect();
        let mut after = before.clone();
        after[4] = "five".into();
        after[5] = "six".into();
        after.insert(20, "new".into());
        after.remove(25);
        let told = changed_lines("a", &before.join("\r\n"), &after.join("\n"));
        let expected = "\
--- a
+++ a
@@ -2,8 +2,8 @@
 line 2
 line 3
 line 4
-line 5
-line 6
+five
+six
 line 7
 line 8
 line 9
@@ -18,11 +18,11 @@
 line 18
 line 19
 line 20
+new
 line 21
 line 22
 line 23
 line 24
-line 25
 line 26
 line 27
 line 28
";
        assert_eq!(told, expected);
        assert_eq!(changed_lines("a", "x\ny", "x\ny\n"), "");
        assert_eq!(changed_lines("a", "", "x"), "--- a\n+++ a\n@@ -1,0 +1,1 @@\n+x\n");
    }
}
