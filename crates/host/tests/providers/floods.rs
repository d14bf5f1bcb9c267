//! Servers that send more than anybody can hold. How much memory that takes is measured from
//! outside, at the binary; here it is what is said of it.

use std::sync::Arc;

use loopback::{Act, Failing, Model, Protocol};
use runtime::Fault;
use serde_json::json;

use crate::desk::{Heard, ask, model_of, providers, question};

/// What becomes of it in all protocols, without and with somebody who listens.
fn flooded(failing: &Failing, check: impl Fn(bool, Fault, usize)) {
    for protocol in Protocol::ALL {
        for is_stream in [false, true] {
            let model = Model::script(vec![Act::Fail(failing.clone()); 4]);
            let mut providers = providers(&model);
            if is_stream {
                providers = providers.with_voice(Arc::new(Heard::default()));
            }
            let fault = ask(providers, question(model_of(protocol))).unwrap_err();
            check(is_stream, fault, model.seen().len());
        }
    }
}

#[test]
fn a_body_without_an_end_is_too_large() {
    for failing in [Failing::Endless, Failing::EndlessLine] {
        flooded(&failing, |_, fault, seen| {
            assert!(fault.message.contains("larger than 16 MiB"), "{}", fault.message);
            assert_eq!(seen, 1, "it would not get smaller");
        });
    }
}

#[test]
fn an_error_without_an_end_is_one() {
    flooded(&Failing::EndlessError(400), |_, fault, seen| {
        assert!(fault.message.contains("refused with status 400: xxxx"), "{}", fault.message);
        assert!(fault.message.len() < 1000);
        assert_eq!(seen, 1);
    });
    flooded(&Failing::EndlessError(503), |_, fault, seen| {
        assert!(fault.message.contains("asked 4 times"), "{}", fault.message);
        assert_eq!(seen, 4);
    });
}

#[test]
fn what_is_packed_stays_packed() {
    flooded(&Failing::Packed, |_, fault, _| {
        assert!(fault.message.contains("no JSON"), "{}", fault.message);
    });
    // Nobody said that we could unpack it.
    let model = Model::script([Act::text("ok")]);
    ask(providers(&model), question("gpt-4o")).unwrap();
    assert_eq!(model.seen()[0].headers.get("accept-encoding"), None);
}

#[test]
fn many_small_values_are_too_many() {
    let objects = vec![json!({"a": 0}); 200_000];
    let whole = json!({"choices": objects, "content": objects, "candidates": objects});
    let garbage = Failing::Garbage("application/json".into(), whole.to_string());
    flooded(&garbage, |is_stream, fault, seen| {
        assert!(fault.message.contains("more than 131072 values"), "{}", fault.message);
        // It was no stream, and was asked for again without one.
        assert_eq!(seen, if is_stream { 2 } else { 1 });
    });
}

#[test]
fn many_small_values_in_many_pieces_are_too_many() {
    let frames = (0..400).map(|frame| {
        let members = (0..1000).map(|at| (format!("m{frame}_{at}"), json!({"a": 0})));
        let delta: serde_json::Map<_, _> = members.collect();
        format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}))
    });
    let garbage = Failing::Garbage("text/event-stream".into(), frames.collect());
    let model = Model::script([Act::Fail(garbage)]);
    let providers = providers(&model).with_voice(Arc::new(Heard::default()));
    let fault = ask(providers, question("gpt-4o")).unwrap_err();
    assert!(fault.message.contains("more than 131072 values"), "{}", fault.message);
}
