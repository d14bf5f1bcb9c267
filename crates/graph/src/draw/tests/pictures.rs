//! What pictures say.

use super::super::text::Words;
use super::super::{mermaid, outline, svg};
use super::sketch;

const SMALL: &str = r#"
= 1 P /orders
n1 R {"adapter": "http.GET", "target": "https://x", "out": "res"}
n1 err> n2
n2 Err {}
n2 handler>> oops
n1 next> n3
n3 If {"cond": "res = 3"}
n3 then>> 2
n3 else> n4
n4 Call {"label": "2", "out": "r"}
+ n5 J {"var": "r"}
= 2
n1 J {"var": "res"}
n9 Odd {}
= 3
"#;

#[test]
fn the_outline_of_a_small_graph() {
    let expected = r#"label 1  (POST /orders)
  n1  R     http.GET "https://x" -> res  read
              err -> n2
              next -> n3
  n2  Err   on error
              handler -> label oops (missing)
  n3  If    if res = 3
              then -> label 2
              else -> n4
  n4  Call  call 2 -> r
  n5  J     return r

label 2
  n1  J    return res
  (not reached from the entry)
  n9  Odd  Odd ?       unknown op

label 3
  (empty)
"#;
    assert_eq!(outline(&sketch::graph(SMALL), None), expected);
}

#[test]
fn the_mermaid_of_a_small_graph() {
    let expected = r#"flowchart TD
  subgraph c0["label 1 #183; POST /orders"]
    direction TB
    c0r0["n1 http.GET #34;https#58;//x#34; #45;#62; res"]:::is_read
    c0r1("n2 on error"):::is_guard
    c0r2{{"n3 if res = 3"}}:::is_control
    c0r3[["n4 call 2 #45;#62; r"]]:::is_control
    c0r4(["n5 return r"]):::is_control
  end
  x0["no label oops"]:::missing
  x1["label 2"]:::elsewhere
  c0r0 -.->|"err"| c0r1
  c0r0 --> c0r2
  c0r1 -.->|"handler"| x0
  c0r2 -->|"then"| x1
  c0r2 -->|"else"| c0r3
  c0r3 -.->|"call"| x1
  c0r3 --> c0r4
  classDef is_read fill:#e8f1fd,stroke:#2f7fd6,color:#1f2933
  classDef is_control fill:#e5f6ee,stroke:#1a936f,color:#1f2933
  classDef is_guard fill:#fdf8d8,stroke:#b79a0b,color:#1f2933
  classDef elsewhere fill:#ffffff,stroke:#94a3b8,color:#52606d
  classDef missing fill:#fff5f5,stroke:#d1242f,color:#d1242f,stroke-dasharray:4 3
  linkStyle 0,2 stroke:#d1242f,stroke-dasharray:6 4
"#;
    assert_eq!(mermaid(&sketch::graph(SMALL), Some("1")), expected);
}

#[test]
fn an_edge_for_other_tools_is_not_drawn() {
    let mut graph = sketch::graph("= 1\nn1 Call {\"label\": \"2\"}\nn1 next>> 2\n= 2\nn1 J {}");
    let before = mermaid(&graph, None);
    graph.labels.get_mut("1").unwrap().edges[0].analysis_only = true;
    let after = mermaid(&graph, None);
    assert_eq!((before.matches(" --> ").count(), after.matches(" --> ").count()), (1, 0));
    assert_eq!(after.matches("-.->|\"call\"| c1r0").count(), 1);
}

#[test]
fn what_is_cut_stands_in_full_in_the_title() {
    let url = format!("https://x/{}", "long/".repeat(30));
    let text = format!("= 1\nn1 R {{\"adapter\": \"http.GET\", \"target\": \"{url}\"}}");
    let picture = svg(&sketch::graph(&text), None);
    assert_eq!(picture.matches(&url).count(), 1);
    assert!(picture.contains(&format!("<title>n1 http.GET &quot;{url}&quot; (read)</title>")));
    assert!(picture.contains("\u{2026}</text>"));
}

#[test]
fn nodes_in_words() {
    for (node, words) in [
        (
            r#"R {"adapter": "cache.get", "target": "k", "args": [1, "a"]}"#,
            r#"cache.get "k" 1 "a""#,
        ),
        (r#"If {"cond": "score = 3"}"#, "if score = 3"),
        (r#"If {"cond": "score > 3"}"#, "if score > 3"),
        (r#"Set {"name": "a", "ref": 1}"#, "set a = 1"),
        (r#"Set {"name": "a"}"#, "set a = ?"),
        (r#"J {"var": "$a"}"#, "return a"),
        ("J {}", "return"),
        (r#"Call {"label": "2", "out": "r"}"#, "call 2 -> r"),
        (r#"Loop {"ref": "$xs", "item": "it"}"#, "for it in xs"),
        (r#"While {"cond": "go", "limit": 3}"#, "while go (limit 3)"),
        (r#"While {"cond": "go"}"#, "while go"),
        (
            r#"Retry {"count": 2, "backoff_ms": 100, "backoff_strategy": "exponential"}"#,
            "retry 2x, 100 ms exponential",
        ),
        ("Retry {}", "retry"),
        ("Err {}", "on error"),
        (r#"X {"dst": "n", "fn": "add", "args": ["$a", 1]}"#, "set n = add a 1"),
        (r#"Ask {"prompt": "Go?", "out": "yes"}"#, r#"ask "Go?" -> yes"#),
        ("Odd {}", "Odd ?"),
    ] {
        let graph = sketch::graph(&format!("= 1\nn1 {node}"));
        assert_eq!(Words::of(&graph.labels["1"].nodes[0]).line(), words);
    }
}
