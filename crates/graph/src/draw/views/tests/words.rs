//! What views say.

use diagnostics::Severity;

use super::super::{Mark, View, view_mermaid, view_svg, view_text};
use super::{declared, writer};

fn marks() -> Vec<Mark> {
    let mark = |on: &str, severity, text: &str| Mark { on: on.into(), severity, text: text.into() };
    vec![
        mark("write", Severity::Warning, "may be slow"),
        mark("write", Severity::Error, "`x` is never written"),
        mark("nobody", Severity::Note, "is not drawn"),
    ]
}

#[test]
fn the_flow_in_words() {
    let expected = r##"intake  step           logic -> round, topic
                       flow from reader (Task)
                       next -> write
write   step           read notes
                       author(Task) -> Draft  (retry 2x)
                       write notes (Draft)
                       policy thrift
                       next -> good
                       on error -> rescue
                       ! error: `x` is never written
                       ! warning: may be slow
good    gate           fine -> ask  (ship it; polarity)
                       stuck -> gone (missing)
                       else -> again
ask     checkpoint     ask "Ship it?" (yes / no) -> answer
                       fork -> mail, log
mail    spawn          template: author
                       mailer()
                       author()
                       error handler patience
                       next -> close
log     step           publish news
                       next -> close
close   step           next -> end
again   step           patient -> write  (loop)
                       else -> end
gone    missing        does not exist
rescue  error handler  fallback -> close
"##;
    assert_eq!(view_text(&writer(), View::Flow, &marks()), expected);
}

#[test]
fn the_architecture_in_words() {
    let expected = r##"notes     store          kv
                         schema: Draft
author    agent          m-1
                         tools: mailer
                         mailer()
mailer    tool           function
news      channel
intake    step           next -> write
write     step           Good enough?
                         ask
                         close
                         again
                         read notes
                         author()
                         write notes
                         next -> mail
                         next -> log
                         on error -> rescue
mail      spawn          mailer()
                         author()
                         next -> write
                         on error -> patience
log       step           publish news
                         next -> write
reader    person         user
                         observe author
                         next -> intake
desk      team           sequential
                         member author
thrift    policy         deny
                         for write
patience  error handler  retry: 3x
rescue    error handler  on error -> write
"##;
    assert_eq!(view_text(&writer(), View::Architecture, &[]), expected);
}

#[test]
fn the_schemas_in_words() {
    let expected = r##"Task   schema  topic: string
               taken by author
               given by reader
Draft  schema  parts: list<Part>
               mood: enum[Task, Part]
               of: Task | Part optional
               made by author
               kept in notes
Part   schema  words: integer = 3
"##;
    assert_eq!(view_text(&writer(), View::Schemas, &[]), expected);
}

#[test]
fn the_flow_as_mermaid() {
    let expected = r##"flowchart TD
  n0(("start")):::is_start
  n1["Take it in<br/>logic #45;#62; round, topic"]:::is_step
  n2["write<br/>#33; 2 findings"]:::is_step
  n3{"Good enough?"}:::is_gate
  n4[/"ask<br/>ask #34;Ship it?#34; (yes / no#41; #45;#62; answer"\]:::is_checkpoint
  n5[["mail<br/>template#58; author"]]:::is_spawn
  n6["log"]:::is_step
  n7["join"]:::is_join
  n8["close"]:::is_step
  n9["again"]:::is_step
  n10[("notes<br/>kv<br/>schema#58; Draft")]:::is_store
  n11(["Author<br/>m#45;1<br/>tools#58; mailer"]):::is_agent
  n12["gone<br/>does not exist"]:::is_missing
  n13["fork"]:::is_fork
  n14{{"mailer<br/>function"}}:::is_tool
  n15[/"news"/]:::is_channel
  n16((("end"))):::is_end
  n17((("end"))):::is_end
  n18("reader<br/>user"):::is_person
  n19>"thrift<br/>deny"]:::is_policy
  n20["patience<br/>retry#58; 3x"]:::is_error_handler
  n21["rescue"]:::is_error_handler
  n7 --> n8
  n0 --> n1
  n1 --> n2
  n10 -.->|"read"| n2
  n2 -->|"Task #8594; Draft<br/>retry 2x"| n11
  n2 -.->|"Draft"| n10
  n2 --> n3
  n3 -.->|"fine<br/>ship it"| n4
  n3 -.->|"stuck"| n12
  n3 -.->|"else"| n9
  n4 --> n13
  n13 --> n5
  n13 --> n6
  n5 -->|"invoke"| n14
  n5 -->|"invoke"| n11
  n5 --> n7
  n6 -->|"publish"| n15
  n6 --> n7
  n8 --> n16
  n9 -.->|"patient"| n2
  n9 --> n17
  n18 -->|"Task"| n1
  n19 -.-|"governs"| n2
  n20 -.-|"governs"| n5
  n2 -.-> n21
  n21 -.->|"fallback"| n8
  classDef is_start fill:#3b4754,stroke:#3b4754,color:#ffffff
  classDef is_step fill:#f2f2f2,stroke:#c0c0c0,color:#1f2933
  classDef is_gate fill:#fad8d5,stroke:#e74c3c,color:#1f2933
  classDef is_checkpoint fill:#f6edca,stroke:#d4ac0d,color:#1f2933
  classDef is_spawn fill:#e9dbef,stroke:#9b59b6,color:#1f2933
  classDef is_fork fill:#3b4754,stroke:#3b4754,color:#ffffff
  classDef is_join fill:#3b4754,stroke:#3b4754,color:#ffffff
  classDef is_end fill:#3b4754,stroke:#3b4754,color:#ffffff
  classDef is_agent fill:#d9f4f3,stroke:#4ecdc4,color:#1f2933
  classDef is_tool fill:#fdeacb,stroke:#f39c12,color:#1f2933
  classDef is_store fill:#e8ecec,stroke:#95a5a6,color:#1f2933
  classDef is_channel fill:#cdf1ea,stroke:#1abc9c,color:#1f2933
  classDef is_person fill:#f5d4e6,stroke:#cf3a8a,color:#1f2933
  classDef is_policy fill:#fae3cf,stroke:#e67e22,color:#1f2933
  classDef is_error_handler fill:#f2d4d1,stroke:#c0392b,color:#1f2933,stroke-dasharray:5 4
  classDef is_missing fill:#f5cfd2,stroke:#d1242f,color:#1f2933,stroke-dasharray:5 4
  linkStyle 0,1,2,6,10,11,12,15,17,18,20,21 stroke:#3498db
  linkStyle 7,8,9 stroke:#e74c3c,stroke-dasharray:6 4
  linkStyle 19 stroke:#f0883e,stroke-dasharray:6 4
  linkStyle 24,25 stroke:#c0392b,stroke-dasharray:6 4
  linkStyle 4,13,14 stroke:#4ecdc4
  linkStyle 3 stroke:#2ecc71,stroke-dasharray:2 4
  linkStyle 5 stroke:#e74c3c,stroke-dasharray:2 4
  linkStyle 16 stroke:#1abc9c
  linkStyle 22,23 stroke:#e67e22,stroke-dasharray:2 4
"##;
    assert_eq!(view_mermaid(&writer(), View::Flow, &marks()), expected);
}

#[test]
fn a_schema_is_linked_to_those_that_its_fields_name() {
    let text = view_mermaid(&writer(), View::Schemas, &[]);
    assert!(text.starts_with("flowchart LR\n  n0[\"Task<br/>topic#58; string<br/>"), "{text}");
    let links: Vec<&str> = text.lines().filter(|line| line.contains("-->")).collect();
    assert_eq!(links, ["  n1 --> n2", "  n1 --> n0", "  n1 --> n2"], "and not to words of an enum");
}

#[test]
fn nothing_is_said_of_nothing() {
    let graph = declared("", "{}");
    let texts = View::ALL.map(|view| view_text(&graph, view, &[]));
    assert_eq!(texts, ["no processes\n", "no entities\n", "no schemas\n"]);
    for view in View::ALL {
        assert!(view_mermaid(&graph, view, &[]).contains("none["));
        assert!(view_svg(&graph, view, &[]).contains(">no "));
    }
}
