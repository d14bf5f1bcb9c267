//! S8: `check` names the way from a text that anybody can write to what leaves the house, before
//! anything runs. `runtime/tests/telling/injected.rs` has a model that obeys every such text.

use super::*;
use crate::running::{list, text};

fn spec(tools: &str) -> String {
    format!(
        r#"
name: Clerk
version: "1.0"
entry_point: work
entities:
  - {{ id: clerk, type: agent, label: Clerk, model: m, tools: [{tools}] }}
  - {{ id: web, type: tool, label: Web, tool_type: browser }}
  - {{ id: crm, type: tool, label: Customers, tool_type: function, auth_required: true }}
  - {{ id: mail, type: tool, label: Mail, tool_type: function, side_effects: [sends email] }}
processes:
  - {{ id: work, type: step, label: Work }}
edges:
  - {{ type: invoke, from: work, to: clerk }}
"#
    )
}

#[test]
fn an_agent_that_can_be_led_is_found_before_it_runs() {
    let folder = Folder::new();
    folder.write("agent.yaml", spec("web, crm, mail"));
    let checked = folder.run(&["check", "agent.yaml", "--json"]).json();
    let findings = list(&list(&checked, "files")[0], "diagnostics").to_vec();
    let found = findings.iter().find(|finding| text(finding, "code") == "A115");
    let found = found.unwrap_or_else(|| panic!("{findings:?}"));
    assert_eq!(
        text(found, "message"),
        "text from `web` can lead the agent `clerk` to send private data of `crm` out by `mail`"
    );
    assert!(!list(found, "path").is_empty(), "with the way there: {found:?}");
    let strict = folder.run(&["check", "agent.yaml", "--strict"]);
    assert_eq!(strict.code, 1, "and it can be made an error");
    assert!(!folder.path().join(".quipu").exists(), "nothing ran");
    for tools in ["crm, mail", "web, mail", "web, crm", ""] {
        folder.write("agent.yaml", spec(tools));
        let checked = folder.run(&["check", "agent.yaml", "--json"]);
        assert!(!checked.stdout.contains("A115"), "two of the three lead nowhere: {tools}");
    }
}
