//! Whether the models of an agent can be asked, found out before anything begins.

use anyhow::{Result, bail};
use host::ModelChoice;
use host::models::{Missing, unknown_params};
use runtime::Plan;
use value::Text;

use super::Around;
use crate::output;

impl Around {
    /// A run whose models cannot be asked would only fail: nothing of it is begun or goes on.
    pub(crate) fn refuse_without_models(&self, plan: &Plan) -> Result<()> {
        let asks = match &self.choice {
            None => Some(None),
            Some(choice) => choice.asks(),
        };
        let Some(only) = asks else { return Ok(()) };
        let agents = plan.agents();
        let own_model = |model| super::own_model(model, self.llm.as_ref());
        let nameless = agents.iter().find(|(_, model, _)| own_model(model).is_empty());
        if let (Some((agent, ..)), None) = (nameless, only) {
            bail!(
                "nothing says which model `{agent}` asks: say `--model MODEL`, or write in \
                 quipu.toml:\n\n[adapters.llm]\nmodel = \"MODEL\"\n"
            );
        }
        let own = agents.iter().map(|(_, model, _)| only.unwrap_or(own_model(model)));
        let mut names: Vec<&Text> = own.collect();
        names.sort();
        names.dedup();
        let missing: Vec<Missing> =
            names.into_iter().filter_map(|name| self.providers.missing(name)).collect();
        let Some((first, rest)) = missing.split_first() else { return Ok(()) };
        // Models of the same provider lack the same.
        let others: Vec<String> = rest
            .iter()
            .filter(|other| other.remedies != first.remedies)
            .map(|other| format!("\n{}", other.lines()))
            .collect();
        bail!("{}{}", first.lines(), others.concat())
    }
}

/// Says which parameters nobody honours.
pub(crate) fn remind_of_params(plan: &Plan, choice: Option<&ModelChoice>) {
    if choice.is_some_and(|choice| choice.asks().is_none()) {
        return;
    }
    let known: Vec<String> =
        host::models::PARAMS.iter().map(|known| format!("`{known}`")).collect();
    for (agent, _, params) in plan.agents() {
        for name in unknown_params(params) {
            output::note(&format!(
                "note: `{name}` of agent `{agent}` is sent to no model; there are {}",
                known.join(", ")
            ));
        }
    }
}

impl Around {
    /// Who answers, where somebody said so.
    pub(crate) fn choice(&self) -> Option<&ModelChoice> {
        self.choice.as_ref()
    }
}
