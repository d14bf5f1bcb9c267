//! Texts with secrets in them.

use value::Text;

use super::{Revealed, is_name};

/// A text in which `{secret:NAME}` stands for a secret. Nothing else in it has a meaning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Secretive(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Fixed(String),
    Secret(Text),
}

const BEGIN: &str = "{secret:";

impl Secretive {
    pub(crate) fn parse(text: &str) -> Result<Secretive, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((fixed, behind)) = rest.split_once(BEGIN) {
            let (name, behind) =
                behind.split_once('}').ok_or_else(|| format!("`{BEGIN}` is not closed"))?;
            if !is_name(name) {
                return Err(format!("`{BEGIN}{name}}}` names no secret: write `{BEGIN}NAME}}`"));
            }
            parts.push(Part::Fixed(fixed.to_owned()));
            parts.push(Part::Secret(name.into()));
            rest = behind;
        }
        parts.push(Part::Fixed(rest.to_owned()));
        Ok(Secretive(parts))
    }

    /// The secrets that it names.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Text> {
        self.0.iter().filter_map(|part| match part {
            Part::Secret(name) => Some(name),
            Part::Fixed(_) => None,
        })
    }

    /// The text with its secrets.
    pub(crate) fn reveal(&self, revealed: &Revealed) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Fixed(text) => text,
            Part::Secret(name) => revealed.get(name),
        });
        parts.collect()
    }
}
