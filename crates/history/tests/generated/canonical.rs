//! Canonical JSON is RFC 8785, and what is admitted has one such form.

use history::admission::{admit, is_exact};
use proptest::prelude::*;
use sim::Random;
use value::{Value, json};

use crate::cases;

/// The numbers of RFC 8785, appendix B: the bits of a 64-bit float, and how it is written.
const NUMBERS: &[(u64, &str)] = &[
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

#[test]
fn numbers_are_written_as_the_rfc_says_and_admitted_as_themselves() {
    for (bits, text) in NUMBERS {
        let value = Value::Float(f64::from_bits(*bits));
        assert_eq!(json::canonical(&value), *text);
        assert_eq!(admit(text), Ok(value), "{text}");
        assert_eq!(json::canonical(&admit(text).unwrap()), *text);
    }
}

#[test]
fn another_implementation_writes_the_same() {
    for seed in 0..u64::from(cases(5000)) {
        let value = sim::history::value(&mut Random::new(seed), 5);
        let theirs: serde_json::Value = serde_json::from_str(&json::compact(&value)).unwrap();
        let theirs = serde_json_canonicalizer::to_string(&theirs).unwrap();
        assert_eq!(json::canonical(&value), theirs, "seed {seed}");
    }
}

#[test]
fn canonical_text_is_admitted_as_itself() {
    for seed in 0..u64::from(cases(5000)) {
        let value = sim::history::value(&mut Random::new(seed), 5);
        assert!(is_exact(&value), "seed {seed}");
        let text = json::canonical(&value);
        let admitted = admit(&text).unwrap_or_else(|why| panic!("seed {seed}: {why:?}"));
        assert_eq!(admitted, value, "seed {seed}");
        assert_eq!(json::canonical(&admitted), text, "seed {seed}");
    }
}

/// Text that is nearly JSON.
fn nearly() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{".to_string()),
        Just("}".to_string()),
        Just("[".to_string()),
        Just("]".to_string()),
        Just(",".to_string()),
        Just(":".to_string()),
        Just(r#""a""#.to_string()),
        Just(r#""\ud83d\ude00""#.to_string()),
        Just(r#""\ud83d"#.to_string()),
        "-?[0-9]{1,20}(\\.[0-9]{0,20})?([eE][+-]?[0-9]{1,4})?",
        ".{0,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A number in any notation.
fn number() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?"
}

fn slowly() -> ProptestConfig {
    ProptestConfig { cases: cases(1000), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(slowly())]

    #[test]
    fn whatever_is_admitted_has_one_canonical_form(text in prop_oneof![nearly(), ".*", number()]) {
        if let Ok(value) = admit(&text) {
            let canonical = json::canonical(&value);
            let again = admit(&canonical);
            prop_assert_eq!(again.as_ref(), Ok(&value));
            prop_assert_eq!(json::canonical(&again.unwrap()), canonical);
            prop_assert!(is_exact(&value));
        }
    }
}
