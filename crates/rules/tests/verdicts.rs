//! Small programs, each with what CLIPS 6.4 says of it when it is loaded: `OK` or `BAD`. `OUT` is
//! what CLIPS takes and rules here refuse on purpose; `LATE` is what CLIPS refuses and reading
//! takes, because it shows only when patterns are joined or a function is run. In a program `\n` is
//! the end of a line.

use rules::read::read;

#[test]
fn programs_are_taken_and_refused_as_clips_does() {
    let mut wrong = Vec::new();
    for line in include_str!("verdicts.txt").lines() {
        let Some((verdict, text)) = line.split_once(char::is_whitespace) else { continue };
        let (_, findings) = read(&text.trim().replace("\\n", "\n"));
        let is_refused = diagnostics::any_error(&findings);
        let should_be = match verdict {
            "OK" | "LATE" => false,
            "BAD" | "OUT" => true,
            other => panic!("`{other}` is no verdict"),
        };
        if is_refused != should_be {
            let said: Vec<&str> = findings.iter().map(|found| found.message.as_str()).collect();
            wrong.push(format!("{line}\n    {}", said.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
