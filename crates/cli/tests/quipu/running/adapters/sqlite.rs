//! `sqlite.QUERY` and `sqlite.EXECUTE`.

use super::*;

pub(super) const CONFIG: &str =
    "[adapters.sqlite]\npath = './app.db'\nallow = ['query', 'execute']\n";

pub(super) fn statement(verb: &str, sql: &str, args: &str) -> String {
    called(&format!("sqlite.{verb}"), &json::compact(&Value::text(sql)), args)
}

/// A folder with a table of people.
pub(super) fn people() -> Folder {
    let folder = Folder::new();
    let make = statement("EXECUTE", "create table people (id integer primary key, name)", "[]");
    let first = statement("EXECUTE", "insert into people values (1, 'Ada')", "[]");
    folder
        .write("quipu.toml", CONFIG)
        .write("agent.json", agent(&[("R", &make), ("R", &first), END]));
    assert_eq!(result(&folder.ends("done", &[])), r#"{"rows":1}"#);
    folder
}

/// All names, as a run sees them.
pub(super) fn names(folder: &Folder) -> String {
    let all = statement("QUERY", "select name from people order by id", "[]");
    folder.write("agent.json", agent(&[("R", &all), END]));
    result(&folder.ends("done", &[]))
}

#[test]
fn parameters_are_bound_and_never_pasted() {
    let folder = people();
    let hostile = r#"["x'); drop table people; --"]"#;
    let insert = statement("EXECUTE", "insert into people (name) values (?)", hostile);
    let select = statement(
        "QUERY",
        "select id, name, 1.5 as half, null as no from people where name = :name",
        r#"[{"name": "x'); drop table people; --"}]"#,
    );
    folder.write("agent.json", agent(&[("R", &insert), ("R", &select), END]));
    let expected = r#"[{"half":1.5,"id":2,"name":"x'); drop table people; --","no":null}]"#;
    assert_eq!(result(&folder.ends("done", &["--id", "r"])), expected);
    folder.is_sound("r");
}

#[test]
fn what_is_wrong_with_a_statement_is_told() {
    let folder = people();
    for (verb, sql, args, told) in [
        ("QUERY", "selct 1", "[]", "syntax error"),
        ("QUERY", "select ?, ?", "[1]", "takes 2 parameters, and 1 are given"),
        ("QUERY", "select :a", r#"[{"b": 1}]"#, "`:a` is not given"),
        ("QUERY", "select x'00' as bytes", "[]", "say `hex(bytes)`"),
        ("EXECUTE", "insert into people values (1, 'again')", "[]", "UNIQUE"),
        ("QUERY", "select 1 as a, 2 as a", "[]", "two columns are called `a`"),
        ("QUERY", "select a.id, b.id from people a, people b", "[]", "name one of them with `AS`"),
    ] {
        folder.write("agent.json", agent(&[("R", &statement(verb, sql, args)), END]));
        let shown = folder.ends("tool", &[]);
        assert!(why(&shown).contains(told), "{}", why(&shown));
    }
    assert_eq!(names(&folder), r#"[{"name":"Ada"}]"#);
}

/// What says that it did not happen has left nothing: it is tried again.
#[test]
fn a_statement_that_fails_leaves_nothing_even_where_sqlite_would_keep_a_part() {
    let rows = "into people values (2, 'Bob'), (3, 'Eve'), (2, 'Eve')";
    for way in ["fail", "rollback", "abort"] {
        let folder = people();
        let insert = statement("EXECUTE", &format!("insert or {way} {rows}"), "[]");
        folder.write("agent.json", agent(&[("R", &insert), END]));
        let shown = folder.ends("tool", &[]);
        assert!(why(&shown).contains("UNIQUE"), "{}", why(&shown));
        assert_eq!(names(&folder), r#"[{"name":"Ada"}]"#, "{way}");
    }
}

#[test]
fn a_statement_has_an_end() {
    let folder = people();
    folder.write("quipu.toml", format!("{CONFIG}timeout = '1s'\n"));
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n)";
    let count = statement("QUERY", &format!("{endless} select max(i) from n"), "[]");
    folder.write("agent.json", agent(&[("R", &count), END]));
    folder.ends("timeout", &[]);
    let rows = statement("QUERY", &format!("{endless} select i from n"), "[]");
    folder.write("agent.json", agent(&[("R", &rows), END]));
    assert!(why(&folder.ends("tool", &[])).contains("more than 10000 rows"));
    // One row can be too much, and is not put together before that is seen.
    let wide: Vec<String> = (0..20).map(|n| format!("hex(zeroblob(5000000)) as c{n}")).collect();
    let wide = statement("QUERY", &format!("select {}", wide.join(", ")), "[]");
    folder.write("agent.json", agent(&[("R", &wide), END]));
    assert!(why(&folder.ends("tool", &[])).contains("hold more than 8388608 bytes"));
}

#[test]
fn rights_and_the_database_are_named() {
    let folder = people();
    folder.write("quipu.toml", "[adapters.sqlite]\npath = './app.db'\n");
    let insert = statement("EXECUTE", "delete from people", "[]");
    folder.write("agent.json", agent(&[("R", &insert), END]));
    let shown = folder.ends("denied", &[]);
    let line = "[adapters.sqlite]\nallow = [\"query\",\"execute\"]";
    assert!(why(&shown).contains(line), "{}", why(&shown));
    assert_eq!(names(&folder), r#"[{"name":"Ada"}]"#);
    folder.write("quipu.toml", "[adapters.sqlite]\npath = './none.db'\n");
    folder.write("agent.json", agent(&[("R", &statement("QUERY", "select 1", "[]")), END]));
    assert!(why(&folder.ends("tool", &[])).contains("there is no database"));
    assert!(!folder.path().join("none.db").exists());
}
