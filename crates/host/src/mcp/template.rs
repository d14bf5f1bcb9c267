//! Addresses of resources that are made of arguments, as RFC 6570 writes them: `{name}` is put in
//! with everything encoded that means something in an address, `{+name}` keeps the slashes.

use value::{Map, Value, json};

use crate::http::percent_encoded;

/// The address of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Fixed(String),
    Argument(String, Kept),
}

/// What is not encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Letters, digits and what means nothing.
    Plain,
    /// The same, and what separates the parts of a path.
    Path,
}

impl Template {
    /// Reads one. What is wrong with it is said in words.
    pub(crate) fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((fixed, behind)) = rest.split_once('{') {
            let (name, behind) = behind.split_once('}').ok_or("a `{` is not closed")?;
            let (name, kept) = match name.strip_prefix('+') {
                Some(name) => (name, Kept::Path),
                None => (name, Kept::Plain),
            };
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_letter) {
                return Err(format!("`{{{name}}}` is no name of an argument"));
            }
            parts.push(Part::Fixed(fixed.to_owned()));
            parts.push(Part::Argument(name.to_owned(), kept));
            rest = behind;
        }
        parts.push(Part::Fixed(rest.to_owned()));
        let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        match !scheme.is_empty() && scheme.chars().all(is_part) {
            true => Ok(Template(parts)),
            false => Err("it must begin with a scheme, as in `file:///{+path}`".to_owned()),
        }
    }

    /// The arguments that it needs.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Argument(name, _) => Some(name.as_str()),
            Part::Fixed(_) => None,
        })
    }

    /// The address with these arguments.
    pub(super) fn fill(&self, args: &Map) -> Result<String, String> {
        let mut address = String::new();
        for part in &self.0 {
            match part {
                Part::Fixed(text) => address.push_str(text),
                Part::Argument(name, kept) => {
                    let text = match args.get(name) {
                        Some(Value::Text(text)) => text.to_string(),
                        Some(number @ (Value::Int(_) | Value::Float(_))) => json::compact(number),
                        Some(_) => return Err(format!("`{name}` must be text or a number")),
                        None => return Err(format!("`{name}` is not given")),
                    };
                    if text.split(['/', '\\']).any(|step| step == "..") {
                        return Err(format!("`{name}` leads upwards (`..`)"));
                    }
                    address.push_str(&encoded(&text, *kept));
                }
            }
        }
        Ok(address)
    }
}

/// A text as a part of an address.
pub(super) fn encoded(text: &str, kept: Kept) -> String {
    match kept {
        Kept::Plain => percent_encoded(text),
        Kept::Path => text.split('/').map(percent_encoded).collect::<Vec<_>>().join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_stay_where_they_are_put() {
        let fill = |template: &str, args: &str| {
            let args = json::parse(args).unwrap().as_map().unwrap().clone();
            Template::parse(template).and_then(|template| template.fill(&args))
        };
        for (template, args, filled) in [
            ("file:///{+path}", r#"{"path": "a b/ü.txt"}"#, Ok("file:///a%20b/%C3%BC.txt")),
            ("file:///{path}", r#"{"path": "a/b?c#d"}"#, Ok("file:///a%2Fb%3Fc%23d")),
            ("db://{table}/{id}", r#"{"table": "t", "id": 7}"#, Ok("db://t/7")),
            ("test://all", "{}", Ok("test://all")),
            ("file:///{+path}", r#"{"path": "a/../../etc"}"#, Err("`path` leads upwards (`..`)")),
            ("file:///{path}", r#"{"path": ".."}"#, Err("`path` leads upwards (`..`)")),
            ("file:///{path}", "{}", Err("`path` is not given")),
            ("file:///{path}", r#"{"path": []}"#, Err("`path` must be text or a number")),
            ("{path}", "{}", Err("it must begin with a scheme, as in `file:///{+path}`")),
            ("a:{", "{}", Err("a `{` is not closed")),
            ("a:{a b}", "{}", Err("`{a b}` is no name of an argument")),
        ] {
            let expected = filled.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(fill(template, args), expected, "{template} {args}");
        }
    }
}
