//! What slots hold where nobody says, as CLIPS 6.4 derives it.

use rules::Field;
use rules::program::Default;
use rules::read::read;

#[test]
fn defaults_are_derived_as_clips_derives_them() {
    for line in include_str!("defaults.txt").lines() {
        let (slot, expected) = line.split_once(" => ").expect("a slot and its default");
        let (program, findings) = read(&format!("(deftemplate t {slot})"));
        assert_eq!(findings, [], "{slot}");
        let Default::Value(value) = &program.templates[0].slots[0].default else {
            panic!("{slot} has no default")
        };
        let shown: String = match value {
            Field::Many(fields) => fields.iter().map(|field| format!(" {field}")).collect(),
            single => format!(" {single}"),
        };
        assert_eq!(format!("(t (a{shown}))"), expected, "{slot}");
    }
}
