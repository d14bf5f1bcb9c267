//! What `[stores.ID]` may say; and that a config is held against its schema as JSON Schema does it.

use std::path::Path;

use diagnostics::Source;
use expect_test::expect;
use graph::protocols::{PROTOCOLS, misfits};
use host::config::Config;
use proptest::prelude::*;
use value::{Value, json};

fn parse(text: &str) -> Result<Config, String> {
    let parsed = Config::parse(&Source::new("quipu.toml", text), Path::new("/project"));
    parsed.map_err(|error| error.to_string())
}

#[test]
fn a_store_shows_a_folder() {
    let config = parse("[stores.docs]\nfolder = \"./docs\"\nfiles = [\"MD\"]\nfiles_max = 3");
    let config = config.unwrap();
    assert_eq!(config.stores.len(), 1);
    let looked = config.stores["docs"].look().unwrap_err();
    assert!(looked.starts_with("the folder /project/./docs: it cannot be opened"), "{looked}");
}

#[test]
fn what_is_wrong_is_said_all_at_once() {
    let wrong = parse(
        "[stores.a]\n[stores.b]\nfolder = 1\nfiles = [\".md\"]\n[stores.c]\nfolders = \"x\"\n\
         [stores.d]\nfolder = \"x\"\nmegabytes_max = 0\n",
    );
    expect![[r#"
        quipu.toml:1:9: nothing says what the store `a` shows; add `folder = "./docs"`
        quipu.toml:3:10: `folder` must be the path of a folder, as text
        quipu.toml:4:9: `files` must be a list of endings of names, such as `["md", "txt"]`
        quipu.toml:5:9: nothing says what the store `c` shows; add `folder = "./docs"`
        quipu.toml:6:1: unknown key `folders`; did you mean `folder`?
        quipu.toml:9:17: `megabytes_max` must be a whole number from 1 on"#]]
    .assert_eq(&wrong.unwrap_err());
}

fn any_member() -> impl Strategy<Value = (String, Value)> {
    let name = "protocol|provider|top_k|min_score|depth|limit|keep|ttl_s|other";
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        prop::sample::select(vec![-1, 0, 1, 5, 64, 65, 1000, 1001, 10_000, 100_001])
            .prop_map(Value::Int),
        prop::sample::select(vec![-0.5, 0.5, 1.0, 2.5, 64.0]).prop_map(Value::Float),
        prop::sample::select(vec!["vector", "graph", "quipu.doc", "quipu.memory", "fact", ""])
            .prop_map(Value::from),
        Just(Value::list([])),
        Just(json::parse("{}").unwrap()),
    ];
    (name, value)
}

proptest! {
    #[test]
    fn our_schemas_are_checked_as_json_schema_says(
        row in 0..PROTOCOLS.len(),
        members in prop::collection::vec(any_member(), 0..4),
    ) {
        let schema = serde_json::from_str(PROTOCOLS[row].config_schema).unwrap();
        let whole = jsonschema::validator_for(&schema).unwrap();
        let config = Value::map(members);
        let theirs = whole.is_valid(&serde_json::from_str(&json::compact(&config)).unwrap());
        let ours = misfits(config.as_map().unwrap(), &PROTOCOLS[row].schema());
        prop_assert_eq!(ours.is_empty(), theirs, "{:?} {}", ours, json::compact(&config));
    }
}
