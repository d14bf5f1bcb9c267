//! What is said of a tool whatever answers its calls, and `[grants]`.

use graph::{Again, Touches};
use runtime::{Money, Replay};
use toml::de::DeValue;
use value::{Text, Value, json};

use super::reader::{Item, Known, Members, Place, Reader, boolean, text, texts};
use crate::tools::Terms;
use crate::tools::schema::JsonSchema;

/// The words for what a tool touches.
pub(super) const TOUCHES: [(&str, Touches); 2] =
    [("read", Touches::Read), ("write", Touches::Write)];

/// The words for how a tool may run again.
pub(super) const AGAIN: [(&str, Again); 3] =
    [("free", Again::Freely), ("key", Again::WithKey), ("ask", Again::ByAsking)];

/// What a table of grants may have.
const GRANTS: Known = &[("capabilities", "a list of texts, such as `[\"net.web\"]`")];

/// A file with a schema is no longer than this.
const SCHEMA_BYTES_MAX: u64 = 1 << 20;

impl Reader<'_> {
    pub(super) fn terms(&mut self, members: &Members<'_, '_>) -> Terms {
        let replay = Replay::ALL.map(|replay| (replay.word(), replay));
        let texts_of = |value: &DeValue<'_>| {
            Some(texts(value)?.into_iter().map(Text::from).collect::<Vec<Text>>())
        };
        Terms {
            touches: self.word(members, "touches", &TOUCHES),
            again: self.word(members, "again", &AGAIN),
            description: self.given(members, "description", text).map(Text::from),
            input: self.schema(members, "input"),
            output: self.schema(members, "output"),
            permissions: self.given(members, "permissions", texts_of),
            cost: self.given(members, "cost", money),
            replay: self.word(members, "replay", &replay),
            auth_required: self.given(members, "auth_required", boolean),
        }
    }

    /// A schema, written here or in a file beside this one.
    fn schema(&mut self, members: &Members<'_, '_>, member: &str) -> Option<Value> {
        let item = members.get(member)?;
        let read = match item.get_ref() {
            DeValue::String(path) => self.schema_file(path),
            DeValue::Table(_) => value_of(item.get_ref())
                .ok_or_else(|| format!("`{member}` has what JSON cannot say, such as a time")),
            _ => Err(format!("`{member}` must be a JSON Schema as a table, or the path of one")),
        };
        let checked = read.and_then(|schema| {
            let compiled = JsonSchema::new(&schema);
            compiled.map(|_| schema).map_err(|why| format!("`{member}` is no JSON Schema: {why}"))
        });
        checked.map_err(|message| self.found(item.span(), message)).ok()
    }

    fn schema_file(&self, path: &str) -> Result<Value, String> {
        let unreadable = |error| format!("`{path}` cannot be read: {error}");
        let whole = self.folder.join(path);
        if std::fs::metadata(&whole).map_err(unreadable)?.len() > SCHEMA_BYTES_MAX {
            return Err(format!("`{path}` is larger than {SCHEMA_BYTES_MAX} bytes"));
        }
        let text = std::fs::read_to_string(&whole).map_err(unreadable)?;
        json::parse(&text).map_err(|error| format!("`{path}` is no JSON: {}", error.message))
    }

    /// `[grants]`
    pub(super) fn grants(&mut self, at: Place, value: Item<'_, '_>) -> Vec<Text> {
        let DeValue::Table(table) = value.get_ref() else {
            self.found(at, "`grants` must be a table: write `[grants]`");
            return Vec::new();
        };
        let members = self.members(table, GRANTS);
        let given = self.given(&members, "capabilities", texts).unwrap_or_default();
        given.into_iter().map(Text::from).collect()
    }
}

/// An amount as text, so that it is exact.
fn money(value: &DeValue<'_>) -> Option<Money> {
    Money::parse(value.as_str()?)
}

/// TOML as JSON.
fn value_of(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::text(&**text),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok()?.into()
        }
        DeValue::Float(number) => {
            Value::Float(number.as_str().parse().ok().filter(|number: &f64| number.is_finite())?)
        }
        DeValue::Boolean(is) => (*is).into(),
        DeValue::Array(items) => {
            let items: Option<Vec<Value>> =
                items.iter().map(|item| value_of(item.get_ref())).collect();
            Value::list(items?)
        }
        DeValue::Table(members) => {
            let members: Option<Vec<(Text, Value)>> = members
                .iter()
                .map(|(name, value)| {
                    Some((name.get_ref().as_ref().into(), value_of(value.get_ref())?))
                })
                .collect();
            Value::map(members?)
        }
        DeValue::Datetime(_) => return None,
    })
}
