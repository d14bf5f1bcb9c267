//! Contract files: what verbs do that are not built in.

use std::path::Path;

use anyhow::Result;
use diagnostics::{Anchor, Diagnostic, Severity, Source, any_error, codes};
use frontends::yaml::{self, Tree};
use frontends::{Format, Origins};
use graph::validate::contract_of;
use value::{Ordered, Pointer, Value};

use crate::args::{ConfigOf, Reading};
use crate::load::{Loaded, read_source};
use crate::running::config_file;

/// The contracts that count for a file: those of `--contracts`, then those that `quipu.toml`
/// names. Of two that speak of one verb the first counts. A contract file that is wrong is what
/// was read instead, with what is wrong with it.
pub(crate) fn known(file: &str, reading: &Reading) -> Result<Result<Ordered<Value>, Box<Loaded>>> {
    let folder = Path::new(file).parent().unwrap_or(Path::new("."));
    let config = match &reading.config {
        ConfigOf::Place => config_file(None, None, folder),
        ConfigOf::File(file) => Some(file.into()),
        ConfigOf::Nothing => None,
    };
    let named = config.as_deref().map(host::config::Config::contracts_of).transpose()?;
    let named = named.unwrap_or_default();
    let named = named.iter().map(|path| path.display().to_string());
    let mut known = Ordered::default();
    for file in reading.contracts.iter().cloned().chain(named) {
        let source = read_source(&file)?;
        let (contracts, findings) = read(&source);
        if any_error(&findings) {
            return Ok(Err(Box::new(wrong(source, findings))));
        }
        for (name, contract) in contracts {
            if !known.contains_key(&name) {
                known.insert(name, contract);
            }
        }
    }
    Ok(Ok(known))
}

fn wrong(source: Source, findings: Vec<Diagnostic>) -> Loaded {
    Loaded {
        source,
        format: Format::Graph,
        graph: None,
        rules: None,
        findings,
        carried: Vec::new(),
        origins: Origins::default(),
        unmendable: None,
    }
}

/// What a file says, as JSON or YAML, and what is wrong with it.
fn read(source: &Source) -> (Ordered<Value>, Vec<Diagnostic>) {
    let is_json = source.text.trim_start().starts_with('{');
    let (value, tree, mut findings) = if is_json {
        let (value, findings) = frontends::read_json(source);
        (value, None, findings)
    } else {
        let mut findings = Vec::new();
        let tree = yaml::read(source, &mut findings);
        (tree.as_ref().map(Tree::to_value), tree, findings)
    };
    let Some(value) = value else { return (Ordered::default(), findings) };
    let Some(contracts) = value.as_map() else {
        let message = format!("a contract file is {}, and no object of contracts", value.kind());
        let at = Anchor::value(Pointer::root());
        let help = "write {\"clients.FIND\": {\"effect_tier\": \"io-read\", \"effect_kind\": \"db_read\"}}";
        findings.push(Diagnostic::new(&codes::BAD_CONTRACT, at, message).help(help));
        frontends::locate(source, &mut findings);
        return (Ordered::default(), findings);
    };
    for (name, contract) in contracts {
        let mut found = contract_of(name, contract, &Pointer::root().child(&**name));
        for finding in &mut found {
            // The file is there to say something new, so what is ignored in it is a mistake.
            finding.severity = Severity::Error;
            if let Some(tree) = &tree {
                finding.at = in_tree(tree, name, &finding.at);
            }
        }
        findings.extend(found);
    }
    if tree.is_none() {
        frontends::locate(source, &mut findings);
    }
    findings.sort_by_key(|finding| finding.at.span().start);
    (contracts.clone(), findings)
}

/// The place of a finding about a contract in YAML: a member's value, else the name of the verb.
fn in_tree(tree: &Tree, name: &str, at: &Anchor) -> Anchor {
    let Some((key, contract)) = tree.entry(name) else { return at.clone() };
    let member = at.pointer().and_then(|pointer| pointer.tokens().nth(1));
    let member = member.and_then(|member| contract.get(&member));
    Anchor::Span(member.map_or(key.span, |member| member.span))
}
