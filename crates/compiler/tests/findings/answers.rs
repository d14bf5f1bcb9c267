//! What endpoints and calls get back.

use crate::sketch::check;

fn endpoint(label: &str, returns: &str) -> String {
    format!(
        r#"{{"services": {{"core": {{"eps": {{"/u": {{"G": {{"method": "G", "label_id": "{label}",
            "return_var": {returns}}}}}}}}}}}, "declarations": {{"inputs": {{"c": {{"from": "user"}}}}}}}}"#
    )
}

#[test]
fn an_endpoint_answers_on_every_way() {
    check(
        &[("a", &["Set; name=x; ref=1"], &[])],
        &endpoint("a", "null"),
        &["A118 endpoint `G /u` may answer nothing: `a` can end without returning a value | a/n1"],
    );
    check(
        &[("a", &["If; cond=c"], &["n1 then b"]), ("b", &["J; var=1"], &[])],
        &endpoint("a", "null"),
        &["A118 endpoint `G /u` may answer nothing: `a` can end without returning a value | a/n1"],
    );
    let handled = |handler: &'static str| {
        [
            (
                "a",
                &["R; adapter=http.GET; target=u; out=p", "Err", "J; var=p"] as &[_],
                &["n1 next n2", "n1 err n2", "n2 handler b", "n2 next n3"] as &[_],
            ),
            ("b", if handler == "J" { &["J; var=1"] } else { &["Set; name=x; ref=1"] }, &[]),
        ]
    };
    check(&handled("J"), &endpoint("a", "null"), &[]);
    check(
        &handled("Set"),
        &endpoint("a", "null"),
        &[
            "A118 endpoint `G /u` may answer nothing: `b` can end without returning a value | a/n1 b/n1",
        ],
    );
    // What fails on purpose does not run out.
    check(&[("a", &["fail; target=no"], &[])], &endpoint("a", "null"), &[]);
}

#[test]
fn an_endpoint_answers_what_it_announces() {
    let label: &[_] =
        &[("a", &["Set; name=us; ref=1", "J; var=us"] as &[_], &["n1 next n2"] as &[_])];
    check(label, &endpoint("a", "\"us\""), &[]);
    check(
        label,
        &endpoint("a", "\"zz\""),
        &["A119 endpoint `G /u` announces `zz`, but `a` returns `us`"],
    );
    // One way that does is enough.
    check(
        &[
            (
                "a",
                &["Set; name=us; ref=1", "If; cond=c", "J; var=us"],
                &["n1 next n2", "n2 then b", "n2 else n3"],
            ),
            ("b", &["J; var=1"], &[]),
        ],
        &endpoint("a", "\"us\""),
        &[],
    );
}

#[test]
fn a_result_that_is_used_must_be_returned() {
    let entry = r#"{"runtime_policy": {"entry": "a"}}"#;
    let callee = ("b", &["Set; name=x; ref=1"] as &[_], &[] as &[&str]);
    check(
        &[("a", &["Call; label=b; out=r", "J; var=r"], &["n1 next n2"]), callee],
        entry,
        &["A120 `a` uses what `b` returns, but `b` can end without returning a value | a/n1 b/n1"],
    );
    // Nobody uses it, or only what the label writes.
    check(&[("a", &["Call; label=b; out=r", "J; var=x"], &["n1 next n2"]), callee], entry, &[]);
    check(&[("a", &["Call; label=b", "J; var=x"], &["n1 next n2"]), callee], entry, &[]);
    check(
        &[("a", &["Call; label=b", "J; var=_call_result"], &["n1 next n2"]), callee],
        entry,
        &["A120 `a` uses what `b` returns, but `b` can end without returning a value | a/n1 b/n1"],
    );
    // Two callers, one cause.
    check(
        &[
            (
                "a",
                &["Call; label=b; out=r", "Call; label=b; out=s", "J; var=r"],
                &["n1 next n2", "n2 next n3"],
            ),
            callee,
        ],
        entry,
        &["A120 `a` uses what `b` returns, but `b` can end without returning a value | a/n1 b/n1"],
    );
}

#[test]
fn a_return_is_no_jump() {
    let labels: &[_] = &[
        ("1", &["J; var=L2"] as &[_], &[] as &[&str]),
        ("2", &["Set; name=z; ref=3", "J; var=z"], &["n1 next n2"]),
    ];
    let said = "A121 `1` returns the text `L2`; it does not go to `2`";
    check(labels, "{}", &[said]);
    // That nothing leads to `2` follows from it.
    check(labels, &endpoint("1", "null"), &[said]);
    // Nor does what `2` lacks: a run does not begin there.
    let read = ("2", &["J; var=z"] as &[_], &[] as &[&str]);
    check(&[("1", &["Set; name=z; ref=3", "J; var=$L2"], &["n1 next n2"]), read], "{}", &[said]);
    // A variable of that name is a variable.
    let given = r#"{"declarations": {"inputs": {"L2": {"from": "user"}}}}"#;
    check(&[("1", &["J; var=$L2"], &[]), ("2", &["J; var=1"], &[])], given, &[]);
}

#[test]
fn a_label_that_no_endpoint_leads_to_is_found() {
    check(
        &[("1", &["J; var=1"], &[]), ("2", &["J; var=2"], &[])],
        &endpoint("1", "null"),
        &["A101 no path from an endpoint or a cron leads to `2`"],
    );
    let crons = endpoint("1", "null").replacen(
        '{',
        r#"{"crons": [{"label": "L2", "expr": "* * * * *"}],"#,
        1,
    );
    check(&[("1", &["J; var=1"], &[]), ("2", &["J; var=2"], &[])], &crons, &[]);
    // Nobody has to use all of what is included.
    check(
        &[("1", &["J; var=1"], &[]), ("lib/EXIT_x", &["J; var=2"], &[])],
        &endpoint("1", "null"),
        &[],
    );
    // Where nothing says how it is run, any label may be.
    check(&[("1", &["J; var=1"], &[]), ("2", &["J; var=2"], &[])], "{}", &[]);
}

#[test]
fn services_are_declared() {
    let labels: &[_] = &[(
        "a",
        &[
            "Enf; policy=admin",
            "Tx; action=begin; name=t",
            "CacheSet; name=sess; key=k; value=1",
            "CacheGet; name=sess; key=k; out=v",
            "QueuePut; queue=ordres; value=$v",
            "J; var=v",
        ] as &[_],
        &["n1 next n2", "n2 next n3", "n3 next n4", "n4 next n5", "n5 next n6"] as &[_],
    )];
    check(labels, "{}", &[]);
    check(
        labels,
        r#"{"capabilities": {"policy": {}, "cache": {}, "txn": {}, "queue": {"orders": {}}}}"#,
        &[
            "A122 the policy `admin` is not declared",
            "A122 the transaction `t` is not declared",
            "A122 the cache `sess` is not declared",
            "A122 the queue `ordres` is not declared",
        ],
    );
    check(
        labels,
        r#"{"capabilities": {"policy": {"admin": {}}, "cache": {"sess": {}}, "txn": {"t": {}},
            "queue": {"ordres": {}}}}"#,
        &[],
    );
}
