//! Patterns of names, in which `*` stands for any letters, none included.

use std::fmt;

use value::Text;

/// A pattern. The case of letters does not matter: nobody gets around a rule by writing `Http.Get`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    written: Text,
    /// In lower case, cut at the stars.
    parts: Vec<String>,
}

impl Glob {
    /// A pattern as it is written.
    pub fn new(written: &Text) -> Glob {
        Glob { written: written.clone(), parts: parts(written) }
    }

    /// A pattern of adapter verbs: a namespace alone stands for all of its verbs.
    pub fn of_verbs(written: &Text) -> Glob {
        let parts = match written.contains('.') || &**written == "*" {
            true => parts(written),
            false => parts(&format!("{written}.*")),
        };
        Glob { written: written.clone(), parts }
    }

    /// The namespace of a pattern of verbs, where it names one.
    pub fn namespace(&self) -> Option<&str> {
        let namespace = self.written.split('.').next()?;
        (!namespace.contains('*')).then_some(namespace)
    }

    /// Whether a name is as the pattern says.
    pub fn matches(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let [first, rest @ ..] = self.parts.as_slice() else { return name.is_empty() };
        let Some(mut left) = name.strip_prefix(first.as_str()) else { return false };
        let [middle @ .., last] = rest else { return left.is_empty() };
        for part in middle {
            match left.find(part.as_str()) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        left.ends_with(last.as_str())
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

fn parts(written: &str) -> Vec<String> {
    written.split('*').map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        let glob = |written: &str| Glob::of_verbs(&written.into());
        for (pattern, name, fits) in [
            ("http.*", "http.GET", true),
            ("http.*", "https.GET", false),
            ("http", "HTTP.Get", true),
            ("http", "http2.get", false),
            ("queue.Put", "queue.PUT", true),
            ("*.DELETE", "fs.delete", true),
            ("*.DELETE", "fs.undelete", false),
            ("*", "core.NOW", true),
            ("a*b*a", "aba.x", true),
            ("m*.*a*a", "memory.aa", true),
            ("m*.*a*a", "memory.a", false),
            ("**.get", "x.get", true),
        ] {
            assert_eq!(glob(pattern).matches(name), fits, "{pattern} {name}");
        }
        assert!(Glob::new(&"".into()).matches("") && !Glob::new(&"".into()).matches("x"));
    }

    #[test]
    fn a_namespace_is_named_or_not() {
        let of = |written: &str| Glob::of_verbs(&written.into()).namespace().map(str::to_owned);
        assert_eq!(of("http.GET").as_deref(), Some("http"));
        assert_eq!(of("http").as_deref(), Some("http"));
        assert_eq!(of("*.GET"), None);
    }
}
