//! `shell = ["/usr/bin/git", "log", "-n", "{count}"]`, or
//! `shell = { programs = ["/usr/bin/git"], subcommands = ["log"], options = ["-n"] }`

use std::sync::Arc;

use toml::de::DeValue;
use value::Text;

use super::reader::{Item, Known, Members, Reader, command, text, texts, time, variables};
use super::tools::UNKNOWN;
use crate::adapter::Bound;
use crate::tools::{Allowed, Element, Program, Shell};

const MEMBERS: Known = &[
    ("programs", "a list of paths, such as `[\"/usr/bin/git\"]`"),
    ("subcommands", "a list of texts, such as `[\"log\", \"status\"]`"),
    ("options", "a list of texts, such as `[\"--oneline\", \"--format=\"]`"),
];

impl Reader<'_> {
    pub(super) fn shell(&mut self, id: &Text, members: &Members<'_, '_>) -> Option<Arc<dyn Bound>> {
        let contract = self.contract(members, UNKNOWN);
        let timeout = self.given(members, "timeout", time);
        let env = self.given(members, "env", variables).unwrap_or_default();
        let secrets = self.program_secrets(members);
        let dashes = self.given(members, "dashes", texts).unwrap_or_default();
        let folder = self.given(members, "folder", text);
        let folder = folder.map_or(self.folder.to_path_buf(), |inner| self.folder.join(inner));
        let item = members.get("shell")?;
        let allowed = match item.get_ref() {
            DeValue::Table(table) => {
                let own = self.members(table, MEMBERS);
                self.programs(item, &own)
            }
            DeValue::Array(_) => self.line(item),
            _ => {
                let message = "`shell` is a list of a program and its arguments, such as \
                               `[\"/usr/bin/git\", \"log\", \"{path}\"]`: no text is read by a shell";
                self.found(item.span(), message);
                None
            }
        }?;
        let id = id.clone();
        Some(Arc::new(Shell { id, allowed, dashes, folder, contract, timeout, env, secrets }))
    }

    fn line(&mut self, item: Item<'_, '_>) -> Option<Allowed> {
        let Some(line) = command(item.get_ref()) else {
            self.found(item.span(), "`shell` must be a list of texts, the program first");
            return None;
        };
        let (name, arguments) = line.split_first()?;
        let program = self.exact(item, name)?;
        let mut elements = Vec::new();
        for argument in arguments {
            match Element::read(argument) {
                Ok(element) => elements.push(element),
                Err(message) => self.found(item.span(), message),
            }
        }
        Some(Allowed::Template(program, elements))
    }

    fn programs(&mut self, item: Item<'_, '_>, own: &Members<'_, '_>) -> Option<Allowed> {
        let names = self.given(own, "programs", texts).unwrap_or_default();
        if names.is_empty() {
            self.found(item.span(), "`shell` needs `programs`: a list of at least one path");
            return None;
        }
        let programs = names.iter().filter_map(|name| self.exact(item, name)).collect();
        let subcommands = self.given(own, "subcommands", texts).unwrap_or_default();
        let options = self.given(own, "options", texts).unwrap_or_default();
        Some(Allowed::Programs { programs, subcommands, options })
    }

    /// A bare name would be whatever `PATH` leads to first.
    fn exact(&mut self, item: Item<'_, '_>, name: &str) -> Option<Program> {
        if !name.contains('/') || name.contains(['{', '}', '\0']) {
            let help = "write where it is, such as `/usr/bin/git`".to_owned();
            let message = format!("`{}` is no path of a program", diagnostics::plain(name));
            self.helped(item.span(), message, Some(help));
            return None;
        }
        Some(Program { name: name.to_owned(), path: self.folder.join(name) })
    }
}
