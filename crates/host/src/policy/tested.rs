//! The tests of a policy: calls, and what must become of them.

use diagnostics::Source;
use history::kinds::records::TestsSummary;
use value::{Map, Text, Value};

use super::{Policy, decision, with_defaults, yaml_tree};

/// What must become of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What the policy is told.
    pub call: Map,
    /// The word that is expected.
    pub expect: Text,
}

/// How a test came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Which.
    pub test: Test,
    /// What the policy decided.
    pub decision: &'static str,
    /// Why.
    pub reason: Option<Text>,
    /// Whether it gave a decision at all. One that broke meets no expectation.
    pub is_broken: bool,
}

impl Tested {
    /// Whether it is as expected.
    pub fn passes(&self) -> bool {
        !self.is_broken && *self.test.expect == *self.decision
    }
}

/// Reads tests: a list, or a map whose `tests` is one.
pub fn read_tests(source: &Source) -> Result<Vec<Test>, String> {
    let value = yaml_tree(source)?.to_value();
    let listed = value.get("tests").unwrap_or(&value);
    tests_of(listed).map_err(|why| format!("{}: {why}", source.file))
}

/// The tests that a value is.
pub(super) fn tests_of(listed: &Value) -> Result<Vec<Test>, String> {
    let listed = listed.as_list().ok_or("tests are a list of `{call: {...}, expect: WORD}`")?;
    let tests = (1..).zip(listed).map(|(number, test)| {
        let wrong = |what: String| format!("test {number}: {what}");
        let call = test.get("call").and_then(Value::as_map);
        let call = call.ok_or_else(|| wrong("there is no `call`".into()))?;
        let call = with_defaults(call).map_err(wrong)?;
        let expect =
            test.get("expect").and_then(Value::as_text).filter(|word| decision::is_word(word));
        let expect = expect.cloned().ok_or_else(|| {
            wrong(format!("`expect` must be one of {}", decision::WORDS.join(", ")))
        })?;
        Ok(Test { call, expect })
    });
    tests.collect()
}

impl Test {
    pub(super) fn to_value(&self) -> Value {
        Value::map([("call", self.call.clone().into()), ("expect", self.expect.clone().into())])
    }
}

impl Policy {
    /// Runs tests.
    pub fn test(&mut self, tests: &[Test]) -> Vec<Tested> {
        let run = tests.iter().map(|test| {
            let ruling = self.decide(&test.call);
            Tested {
                test: test.clone(),
                decision: decision::word(&ruling.outcome),
                is_broken: ruling.outcome == runtime::Ruled::Broken,
                reason: ruling.reason,
            }
        });
        run.collect()
    }
}

/// How tests came out, in numbers.
pub(super) fn summary(tested: &[Tested]) -> TestsSummary {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let passed = tested.iter().filter(|one| one.passes()).count();
    TestsSummary {
        total: Some(count(tested.len())),
        passed: Some(count(passed)),
        failed: count(tested.len() - passed),
    }
}
