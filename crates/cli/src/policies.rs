//! The policies that hold for a file: those that are named, and those of its workspace.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use diagnostics::{Diagnostic, Source, any_error, render};
use host::config::Config;
use host::policy::{self, Part, Policy, Why};
use runtime::Run;
use store::Store;
use value::{Text, Value};

use crate::load::read_source;
use crate::{Outcome, output, running};

/// What was found in the files of policies, each told once.
#[derive(Default)]
pub(crate) struct Policies {
    told: BTreeMap<Text, (Source, Vec<Diagnostic>)>,
}

impl Policies {
    /// Policies in files that the user names. One with errors is none.
    pub(crate) fn named(&mut self, files: &[String]) -> Result<Vec<Policy>> {
        let read = files.iter().map(|file| self.read(file, file));
        Ok(read.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The policies that `quipu.toml` names, if there is one.
    pub(crate) fn of_workspace(&mut self, config: Option<&Path>) -> Result<Vec<Policy>> {
        let Some(config) = config else { return Ok(Vec::new()) };
        let here = std::env::current_dir().unwrap_or_default();
        let mut all = Vec::new();
        for path in Config::policies_of(config)? {
            let shown = path.strip_prefix(&here).unwrap_or(&path).display().to_string();
            all.extend(self.read(&path.to_string_lossy(), &shown)?);
        }
        Ok(all)
    }

    fn read(&mut self, path: &str, shown: &str) -> Result<Option<Policy>> {
        let mut source = read_source(path)?;
        source.file = shown.into();
        let mut findings = Vec::new();
        let policy = Policy::check(&source, &mut findings);
        for found in &mut findings {
            found.narrow(&source);
        }
        self.told.insert(shown.into(), (source, findings));
        Ok(policy)
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.told.values().any(|(_, findings)| any_error(findings))
    }

    /// Shows what is wrong with them.
    pub(crate) fn show(&self) {
        for (source, findings) in self.told.values() {
            output::show(source, findings);
        }
    }

    /// What is wrong with each, where there are any.
    pub(crate) fn described(&self) -> Option<Value> {
        let each = self.told.iter().map(|(file, (source, findings))| {
            let findings = findings.iter().map(|found| render::value(source, found));
            Value::map([
                ("file", Value::Text(file.clone())),
                ("diagnostics", Value::list(findings)),
            ])
        });
        (!self.told.is_empty()).then(|| Value::list(each))
    }

    /// The errors in them, as documents carry findings.
    pub(crate) fn errors(&self) -> Vec<Value> {
        let all = self.told.values().flat_map(|(source, findings)| {
            findings.iter().map(move |found| render::value(source, found))
        });
        all.collect()
    }

    /// Nothing runs under a policy that cannot be read.
    pub(crate) fn refuse(&self, is_json: bool) -> Result<Outcome> {
        self.show();
        if is_json {
            let members = [("ok", false.into()), ("diagnostics", Value::list(self.errors()))];
            output::print_json(&Value::map(members))?;
        }
        Ok(Outcome::Found)
    }
}

/// The `quipu.toml` that counts for a file.
pub(crate) fn config_beside(file: &str) -> Option<PathBuf> {
    running::config_file(None, None, Path::new(file).parent().unwrap_or(Path::new(".")))
}

/// The policy that is in force for an agent.
pub(crate) fn in_force(store: &dyn Store, agent: &str) -> Result<Option<Policy>> {
    let Some(active) = policy::in_force(store, agent)? else { return Ok(None) };
    kept(store, &active.digest)
}

/// The policy that decides about the calls of a run, or else the one that is in force here.
pub(crate) fn of_run(store: &dyn Store, run: &Run) -> Result<Option<Policy>> {
    match run.policy() {
        Some(digest) => kept(store, digest),
        None => in_force(store, run.agent()),
    }
}

/// A policy that the store keeps. Where that cannot be read, every call is denied when it comes.
fn kept(store: &dyn Store, digest: &str) -> Result<Option<Policy>> {
    Policy::load(store, digest)?.transpose().map_err(|why| anyhow!("the policy in force: {why}"))
}

/// What decides about the calls of a run that begins. Where only a policy that is in force does, the
/// run finds that itself.
pub(crate) fn together(
    own: Vec<Policy>,
    tried: Vec<Policy>,
    in_force: Option<Policy>,
) -> Option<Policy> {
    if own.is_empty() && tried.len() <= 1 {
        return tried.into_iter().next();
    }
    let part = |why| move |policy| Part { why, policy };
    let own = own.into_iter().map(part(Why::Workspace));
    let tried = tried.into_iter().map(part(Why::Tried));
    let in_force = in_force.into_iter().map(part(Why::InForce));
    Some(Policy::several(own.chain(tried).chain(in_force).collect()))
}
