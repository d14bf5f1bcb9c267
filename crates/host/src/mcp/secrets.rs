//! Texts with secrets in them, which are looked up when they are needed and kept nowhere.

/// A text in which `{secret:NAME}` stands for the variable `NAME`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Secretive(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Fixed(String),
    Secret(String),
}

const BEGIN: &str = "{secret:";

impl Secretive {
    pub(crate) fn parse(text: &str) -> Result<Secretive, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((fixed, behind)) = rest.split_once(BEGIN) {
            let (name, behind) =
                behind.split_once('}').ok_or_else(|| format!("`{BEGIN}` is not closed"))?;
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_letter) {
                return Err("`{secret:NAME}` needs the name of a variable".to_owned());
            }
            parts.push(Part::Fixed(fixed.to_owned()));
            parts.push(Part::Secret(name.to_owned()));
            rest = behind;
        }
        parts.push(Part::Fixed(rest.to_owned()));
        Ok(Secretive(parts))
    }

    /// Whether it has secrets, and they are there.
    pub(super) fn is_secret(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Secret(_))) && self.reveal().is_ok()
    }

    /// Whether everything is there.
    pub(super) fn look(&self) -> Result<(), String> {
        self.reveal().map(drop)
    }

    /// The text with its secrets.
    pub(super) fn reveal(&self) -> Result<String, String> {
        let parts = self.0.iter().map(|part| match part {
            Part::Fixed(text) => Ok(text.clone()),
            Part::Secret(name) => match std::env::var(name) {
                Ok(secret) if !secret.is_empty() => Ok(secret),
                _ => Err(format!("the variable `{name}` is not set; `export {name}=...`")),
            },
        });
        parts.collect()
    }
}
