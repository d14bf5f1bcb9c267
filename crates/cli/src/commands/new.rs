//! `quipu new`

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use value::Value;

use crate::Outcome;
use crate::args::{New, Template};
use crate::output;

/// The name of the file in a new folder.
const FILE: &str = "agent.yaml";

impl Template {
    fn text(self) -> &'static str {
        match self {
            Template::React => include_str!("../../templates/react.yaml"),
            Template::SelfRefine => include_str!("../../templates/self-refine.yaml"),
            Template::HumanApproval => include_str!("../../templates/human-approval.yaml"),
        }
    }

    /// The word for `--template` and in JSON output.
    fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

pub(crate) fn run(arguments: &New) -> Result<Outcome> {
    let folder = Path::new(&arguments.folder);
    let file = file_in(folder);
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder `{}`", arguments.folder))?;
    // One step, so that nothing that appears in between is overwritten.
    let mut created = match File::create_new(&file) {
        Ok(created) => created,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("`{file}` is already there; nothing was changed");
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write `{file}`")),
    };
    let written = created.write_all(arguments.template.text().as_bytes());
    written.with_context(|| format!("cannot write `{file}`"))?;
    let template = arguments.template.word();
    if arguments.format.is_json() {
        output::print_json(&Value::map([
            ("ok", true.into()),
            ("file", Value::text(file)),
            ("template", Value::text(template)),
        ]))?;
    } else {
        output::print(&format!("made {file} from the template {template}"))?;
        output::print(&format!("next: quipu check {}", quoted(&file)))?;
        output::print(&format!("then: quipu run {} --model stub:high", quoted(&file)))?;
    }
    Ok(Outcome::Fine)
}

/// The file as somebody in the current folder would write it.
fn file_in(folder: &Path) -> String {
    match folder.to_str() {
        Some("." | "./") => FILE.to_string(),
        _ => folder.join(FILE).display().to_string(),
    }
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@:,~".contains(letter);
    if path.chars().all(is_plain) {
        path.to_string()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}
