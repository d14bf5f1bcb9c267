//! A look at the top of a document without reading it.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, IgnoredAny, MapAccess, Visitor};

/// Which of these names comes first among the members of the object that a text begins with.
/// Nothing is kept, and nothing behind the name is looked at.
pub fn first_member<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    let mut peek = Peek { names, found: None };
    // The visitor ends with an error once it has found a name, so as to stop there.
    let _ = serde_json::Deserializer::from_str(text).deserialize_map(&mut peek);
    peek.found
}

struct Peek<'n, 'a> {
    names: &'n [&'a str],
    found: Option<&'a str>,
}

impl<'de> Visitor<'de> for &mut Peek<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            self.found = self.names.iter().copied().find(|wanted| *wanted == name);
            if self.found.is_some() {
                return Err(A::Error::custom("found"));
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_at_the_top_counts() {
        let names = ["labels", "nodes"];
        assert_eq!(first_member(r#"{"a": {"labels": 1}, "nodes": [}"#, &names), Some("nodes"));
        assert_eq!(first_member(r#"{"a": 1, "labels": {"#, &names), Some("labels"));
        assert_eq!(first_member(r#"["labels"]"#, &names), None);
        assert_eq!(first_member(r#"{"broken"#, &names), None);
    }
}
