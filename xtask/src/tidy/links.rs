//! Links between the files of the repository lead somewhere.

use std::collections::BTreeSet;

use super::Finding;
use super::markdown::Page;
use super::tree::Tree;

/// Relative links in Markdown whose file or folder is not in the repository.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let places = places(tree);
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, text) in Page::read(&file.text).prose {
            let text = without_code(text);
            for target in targets(&text).into_iter().filter(|target| is_relative(target)) {
                let place = resolve(&file.path, target);
                if !place.is_some_and(|place| places.contains(place.as_str())) {
                    let what = format!("the link to `{target}` leads nowhere");
                    findings.push(Finding::new(&file.path, line, what));
                }
            }
        }
    }
    findings
}

/// Every file and every folder, the root too, which is empty.
fn places(tree: &Tree) -> BTreeSet<&str> {
    let mut places = BTreeSet::from([""]);
    for file in &tree.files {
        let folders = file.path.match_indices('/').map(|(at, _)| &file.path[..at]);
        places.extend(folders.chain([file.path.as_str()]));
    }
    places
}

/// The line without what is between backticks: no link starts there.
fn without_code(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let length = rest[start..].find(|c| c != '`').unwrap_or(rest.len() - start);
        let marks = &rest[start..start + length];
        let after = &rest[start + length..];
        let Some(end) = after.find(marks) else { break };
        kept.push_str(&rest[..start]);
        rest = &after[end + length..];
    }
    kept + rest
}

/// Where the links of a line lead: `[a](target)`, and `[a]: target` on a line of its own.
fn targets(line: &str) -> Vec<&str> {
    let mut found: Vec<&str> = line.split("](").skip(1).filter_map(until_closed).collect();
    let definition = line.trim_start().strip_prefix('[').filter(|rest| !rest.starts_with('^'));
    found.extend(definition.and_then(|rest| rest.split_once("]:")).map(|(_, target)| target));
    found.into_iter().filter_map(without_title).collect()
}

/// What stands before the parenthesis that closes the link.
fn until_closed(text: &str) -> Option<&str> {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    })?;
    Some(&text[..end])
}

/// The target without the title that may follow it.
fn without_title(text: &str) -> Option<&str> {
    match text.trim().strip_prefix('<') {
        Some(rest) => rest.split('>').next(),
        None => text.split_whitespace().next(),
    }
}

/// Whether the target is a file of the repository, and not on the web or on the same page.
fn is_relative(target: &str) -> bool {
    let scheme = target.split(['/', '#', '?']).next().is_some_and(|first| first.contains(':'));
    !scheme && !target.starts_with('#') && !target.starts_with("//")
}

/// The target as a path from the root, unless it leaves the repository.
fn resolve(from: &str, target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or(target);
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::shown;
    use super::*;

    fn checked(text: &str) -> Vec<String> {
        shown(&check(&Tree::of(&[
            ("README.md", ""),
            ("docs/codes/G101.md", ""),
            ("docs/a (b).md", ""),
            ("docs/guide.md", text),
        ])))
    }

    #[test]
    fn links_to_what_is_there_are_fine() {
        let text = "\
[a](codes/G101.md) and ![b](../README.md#use \"a title\"), [c](codes/), [d](/README.md)
[e](<a (b).md>) [root](..) [web](https://example.org/x) [mail](mailto:a@example.org) [here](#use)
[reference]: ./codes/G101.md
[^1]: a footnote is no link
`[code](nowhere.md)` and ``[`code`](nowhere.md)``

```md
[code](nowhere.md)
```
";
        assert_eq!(checked(text), [""; 0]);
    }

    #[test]
    fn links_to_nowhere_are_found() {
        let text = "\
[a](codes/G102.md) [b](README.md) `x` [c](../../README.md)
[reference]: nowhere.md \"title\"
a ` alone, then [d](nowhere.md#x)
";
        assert_eq!(
            checked(text),
            [
                "docs/guide.md:1: the link to `codes/G102.md` leads nowhere",
                "docs/guide.md:1: the link to `README.md` leads nowhere",
                "docs/guide.md:1: the link to `../../README.md` leads nowhere",
                "docs/guide.md:2: the link to `nowhere.md` leads nowhere",
                "docs/guide.md:3: the link to `nowhere.md#x` leads nowhere",
            ]
        );
    }
}
