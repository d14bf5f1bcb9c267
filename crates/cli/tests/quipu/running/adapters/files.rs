//! `fs.READ`, `fs.LIST`, `fs.WRITE`, `fs.DELETE`, and `core.ENV`.

use super::*;

fn folder_with(rights: &str, steps: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    folder
        .write("quipu.toml", format!("[adapters.fs]\nroot = './data'\nallow = {rights}\n"))
        .write("agent.json", agent(steps));
    folder
}

#[test]
fn files_are_written_listed_read_and_deleted() {
    let write = called("fs.WRITE", "\"a/b.txt\"", r#"["hello"]"#);
    let data = called("fs.WRITE", "\"a/c.json\"", r#"[{"n": 1}]"#);
    let (list, read) = (called("fs.LIST", "\"a\"", "[]"), called("fs.READ", "\"a/c.json\"", "[]"));
    let delete = called("fs.DELETE", "\"a/b.txt\"", "[]");
    let rights = "['read', 'list', 'write', 'delete']";
    let folder = folder_with(rights, &[("R", &write), ("R", &data), ("R", &list), END]);
    let listed = result(&folder.ends("done", &["--id", "r"]));
    assert!(listed.contains("b.txt") && listed.contains("c.json"), "{listed}");
    folder.is_sound("r");
    folder.write("agent.json", agent(&[("R", &delete), ("R", &read), END]));
    assert_eq!(result(&folder.ends("done", &[])), r#""{\"n\":1}""#);
    assert!(!folder.path().join("data/a/b.txt").exists());
}

#[test]
fn what_is_not_allowed_is_denied_and_says_what_to_write() {
    let write = called("fs.WRITE", "\"x\"", r#"["hello"]"#);
    let folder = folder_with("['read']", &[("R", &write), END]);
    let shown = folder.ends("denied", &[]);
    assert!(why(&shown).contains("[adapters.fs]\nallow = [\"read\",\"write\"]"), "{}", why(&shown));
    let shown = folder.ends("missing", &["--no-config"]);
    assert!(why(&shown).contains("[adapters.fs]\nroot = \"./data\"\nallow = [\"write\"]"));
    assert!(!folder.path().join("data/x").exists());
}

#[test]
fn a_variable_is_read_if_it_is_listed() {
    let folder = Folder::new();
    folder
        .write("quipu.toml", "[adapters.env]\nallow = ['HOME_REGION']\n")
        .write("agent.json", agent(&[("R", &called("core.ENV", "\"HOME_REGION\"", "[]")), END]));
    let run = |value: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command.args(["run", "agent.json", "--json"]).current_dir(folder.path());
        command.env_remove("HOME_REGION").envs(value.map(|value| ("HOME_REGION", value)));
        shown(&done(command.output().unwrap()))
    };
    assert_eq!(result(&run(Some("eu"))), r#""eu""#);
    assert_eq!(result(&run(None)), "null");
}
