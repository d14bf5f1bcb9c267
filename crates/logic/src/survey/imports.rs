//! Imports, and what is taken from the imported modules.

use std::ops::Range;

use ruff_python_ast::{StmtImport, StmtImportFrom};
use ruff_text_size::Ranged;

use super::Walk;
use crate::interpreter::{self, importable_modules, instead_of};

impl<'a> Walk<'a> {
    pub(super) fn import(&mut self, import: &'a StmtImport) {
        for alias in &import.names {
            let module = alias.name.as_str();
            let name = match &alias.asname {
                Some(name) => name.as_str(),
                None => module.split('.').next().unwrap_or(module),
            };
            if interpreter::module(module).is_some() {
                self.names.define_module(name, module);
            } else {
                self.names.define(name);
                self.module_missing(self.offsets.of(&alias.name), module);
            }
        }
    }

    pub(super) fn import_from(&mut self, import: &'a StmtImportFrom) {
        for alias in &import.names {
            self.names.define(alias.asname.as_ref().unwrap_or(&alias.name));
        }
        let Some(module) = import.module.as_ref().filter(|_| import.level == 0) else {
            return self.lacks(import, &interpreter::RELATIVE_IMPORT);
        };
        if module.as_str() == "__future__" {
            return;
        }
        let Some(has) = interpreter::module(module) else {
            return self.module_missing(self.offsets.of(module), module);
        };
        for alias in &import.names {
            if alias.name.as_str() == "*" {
                self.lacks(alias, &interpreter::STAR_IMPORT);
            } else if has.binary_search(&alias.name.as_str()).is_err() {
                self.not_in_module(&alias.name, module, &alias.name);
            }
        }
    }

    pub(super) fn module_missing(&mut self, range: Range<usize>, module: &str) {
        if self.import_guards > 0 {
            return;
        }
        let known: Vec<String> = importable_modules().map(|name| format!("`{name}`")).collect();
        let only = format!("only {} can be imported", known.join(", "));
        let help = instead_of(module).map_or(only, str::to_owned);
        self.unsupported(range, format!("module `{module}` is not there"), Some(help));
    }

    pub(super) fn not_in_module(&mut self, at: &impl Ranged, module: &str, name: &str) {
        if self.import_guards > 0 {
            return;
        }
        let whole = format!("{module}.{name}");
        let help = instead_of(&whole).map(str::to_owned);
        self.unsupported(self.offsets.of(at), format!("`{whole}` is not there"), help);
    }
}
