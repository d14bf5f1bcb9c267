//! `llm.COMPLETION`: a model is asked as any agent asks one.

use loopback::{Act, Model};

use super::*;

fn asking(args: &str) -> Folder {
    let folder = Folder::new();
    let ask = called("llm.COMPLETION", "$question", args).replace("$question", "\"$question\"");
    let set = r#"{"name": "question", "ref": "Say \"hello\"."}"#;
    folder.write("agent.json", agent(&[("Set", set), ("R", &ask), END]));
    folder
}

fn run_on(folder: &Folder, model: &Model, more: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
    command.args(["run", "agent.json", "--json", "--id", "r"]).args(more);
    command.current_dir(folder.path()).stdin(Stdio::null());
    command.env("OPENAI_BASE_URL", model.openai()).env("OPENAI_API_KEY", "k");
    done(command.output().unwrap())
}

#[test]
fn the_text_alone_is_asked_and_the_text_is_the_answer() {
    let model = Model::script([Act::text("hello")]);
    let folder = asking("[]");
    folder.write("quipu.toml", "[adapters.llm]\nmodel = 'gpt-4o-mini'\n");
    let document = shown(&run_on(&folder, &model, &[]));
    assert_eq!(result(&document), r#""hello""#);
    let usage = document.get("usage").unwrap();
    assert_eq!(usage.get("model_calls"), Some(&Value::Int(1)));
    assert_ne!(usage.get("total_tokens"), Some(&Value::Int(0)));
    let seen = model.seen();
    assert_eq!(seen.len(), 1);
    let body = seen[0].body.to_string();
    assert!(body.contains(r#"Say \"hello\"."#) && body.contains("gpt-4o-mini"), "{body}");
    assert!(!body.contains("question"), "nothing else of the frame is told: {body}");
    folder.is_sound("r");
}

#[test]
fn which_model_is_asked_can_be_said_in_three_places() {
    let config = "[adapters.llm]\nmodel = 'of-config'\n";
    for (args, more, asked) in [
        ("[]", &[][..], "of-config"),
        (r#"["of-graph"]"#, &[], "of-graph"),
        (r#"["of-graph"]"#, &["--model", "of-run"], "of-run"),
    ] {
        let model = Model::script([Act::text("hello")]);
        let folder = asking(args);
        folder.write("quipu.toml", config);
        assert_eq!(ending(&shown(&run_on(&folder, &model, more))), "done");
        assert!(model.seen()[0].body.to_string().contains(asked));
    }
    let folder = asking("[]");
    let done = folder.run(&["run", "agent.json"]);
    assert_eq!(done.code, 2, "{}{}", done.stdout, done.stderr);
    assert!(done.stderr.contains("[adapters.llm]\nmodel = \"MODEL\""), "{}", done.stderr);
}

#[test]
fn scripts_stubs_and_recordings_answer_it() {
    let folder = asking("[]");
    folder.write("script.json", r#"["from the script"]"#);
    let shown = folder.ends("done", &["--model", "script:script.json"]);
    assert_eq!(result(&shown), r#""from the script""#);
    folder.ends("done", &["--model", "stub:high"]);
    folder.ends("done", &["--model", "record:tape.jsonl,script:script.json"]);
    let shown = folder.ends("done", &["--model", "replay:tape.jsonl"]);
    assert_eq!(result(&shown), r#""from the script""#);
    let limits = ["--model", "script:script.json", "--max-tokens", "0"];
    folder.ends("tokens_exceeded", &limits);
}
