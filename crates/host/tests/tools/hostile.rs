//! Programs that do not behave: each is a clear failure, and none keeps a run waiting.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::task::Poll;

use expect_test::{Expect, expect};
use host::{Bound, Calling};
use runtime::FaultKind;

use crate::scratch::{Scratch, answer, call, folded, runtime, shown};

/// Runs scripts, each with its lines in `quipu.toml`, and shows how they fail.
fn check(scripts: &[(&str, &str)], failures: Expect) {
    let folder = Scratch::new();
    let failure = |(script, lines): &(&str, &str)| {
        folded(&folder.run(script, lines, "{}").unwrap_err()) + "\n"
    };
    failures.assert_eq(&scripts.iter().map(failure).collect::<String>());
}

#[test]
fn answers_that_are_no_json_show_how_they_begin() {
    check(
        &[
            ("printf 'sunny\\033[2J all day'", ""),
            ("printf '{\"a\": 1'", ""),
            ("printf '1 2'", ""),
            ("printf '\"\\377\"'", ""),
            ("printf '{\"id\": 12345678901234567890}'", "touches = \"read\""),
        ],
        expect![[r#"
            tool (may have happened):
              the answer of `t` cannot be read as JSON (expected value);
              it begins with `sunny�[2J all day`
            tool (may have happened):
              the answer of `t` cannot be read as JSON (EOF while parsing an object);
              it begins with `{"a": 1`
            tool (may have happened):
              the answer of `t` cannot be read as JSON (trailing characters);
              it begins with `1 2`
            tool (may have happened):
              the answer of `t` cannot be read as JSON (it is not even UTF-8);
              it begins with `"�"`
            tool (has not happened):
              the answer of `t` cannot be read as JSON (the number at `/id` is not exact);
              it begins with `{"id": 12345678901234567890}`
        "#]],
    );
    let fault = Scratch::new().run("yes no | head -c 5000", "", "{}").unwrap_err();
    assert!(fault.message.len() < 400, "{}", fault.message);
}

#[test]
fn what_takes_too_long_is_killed() {
    let hang = "echo still waiting >&2\nexec sleep 600";
    let stubborn = "trap '' TERM INT HUP\nwhile :; do sleep 1; done";
    let soon = "timeout = \"300ms\"";
    check(
        &[(hang, soon), (stubborn, soon)],
        expect![[r#"
            timeout (may have happened):
              `t` took longer than 300ms and was killed
            timeout (may have happened):
              `t` took longer than 300ms and was killed
        "#]],
    );
    let fault = Scratch::new().run(hang, "timeout = \"2s\"", "{}").unwrap_err();
    let said = fault.details.unwrap().get("stderr").cloned();
    assert_eq!(said, Some("still waiting".into()), "what it said is not lost");
}

#[test]
fn floods_are_bounded() {
    check(
        &[("exec yes", ""), ("exec yes", "touches = \"read\"")],
        expect![[r#"
            tool (may have happened):
              `t` wrote more than 16777216 bytes to standard output and was killed
            tool (has not happened):
              `t` wrote more than 16777216 bytes to standard output and was killed
        "#]],
    );
    let fault = Scratch::new()
        .run("yes 0123456789 | head -c 3300000 >&2; echo the end >&2; exit 1", "", "{}")
        .unwrap_err();
    assert!(fault.message.starts_with("..."), "{}", fault.message);
    assert!(fault.message.ends_with("0123456789\nthe end"), "{}", fault.message);
    assert!(fault.message.len() <= 4_099, "{}", fault.message.len());
    // Both at once, more than any pipe holds, and the answer is right.
    let both = "head -c 300000 /dev/zero | tr '\\0' x >&2; printf '\"'; \
                head -c 300000 /dev/zero | tr '\\0' y; printf '\"'";
    let answer = Scratch::new().run(both, "", "{}").unwrap();
    assert_eq!(answer.as_text().unwrap().len(), 300_000);
}

#[test]
fn input_that_nobody_reads_is_no_failure() {
    let long = format!(r#"{{"a": "{}"}}"#, "x".repeat(1 << 20));
    let folder = Scratch::new();
    assert_eq!(folder.run("exec < /dev/null; echo 7", "", &long), Ok(7.into()));
    let fault = folder.run("exec < /dev/null; echo I need none >&2; exit 1", "", &long);
    assert_eq!(&*fault.unwrap_err().message, "I need none");
}

#[test]
fn signals_are_named() {
    check(
        &[("kill -KILL $$", ""), ("echo oh no >&2; kill -SEGV $$", "")],
        expect![[r#"
            tool (may have happened):
              `t` ended with signal 9 and wrote nothing to standard error
            tool (may have happened):
              `t` ended with signal 11, after it wrote: oh no
        "#]],
    );
}

#[test]
fn what_cannot_be_started_has_not_happened() {
    let folder = Scratch::new();
    folder.executable("no-interpreter", "#!/no/such/interpreter\n");
    std::fs::write(folder.path("plain.txt"), "hello").unwrap();
    for (program, kind) in [
        ("./nothing", "NotFound"),
        ("no-such-program-in-path", "NotFound"),
        ("./no-interpreter", "NotFound"),
        ("./plain.txt", "PermissionDenied"),
        (".", "PermissionDenied"),
        ("./", "PermissionDenied"),
    ] {
        let tool = folder.tool(&format!("command = [\"{program}\"]"));
        let fault = answer(tool.call(call("{}"))).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Tool);
        let shown = shown(&fault);
        assert!(shown.starts_with("tool (has not happened): `t` cannot be started"), "{shown}");
        let help = if kind == "NotFound" { "is it there" } else { "may it be executed" };
        assert!(shown.contains(help), "{program}: {shown}");
    }
}

#[test]
fn a_program_left_behind_with_the_pipes_keeps_nobody_waiting() {
    check(
        &[("sleep 600 & echo 1", "")],
        expect![[r#"
            tool (may have happened):
              `t` ended with exit code 0, but a program that it started holds its output open;
              redirect the output of what goes on in the background
        "#]],
    );
    // One that left the process group cannot be killed, but nobody waits for it either.
    if Path::new("/usr/bin/setsid").exists() {
        let folder = Scratch::new();
        let script = "setsid sh -c 'echo $$ > pid; exec sleep 600' & \
                      until [ -s pid ]; do :; done; echo 1";
        let fault = folder.run(script, "", "{}").unwrap_err();
        assert!(fault.message.contains("holds its output open"), "{fault}");
        let pid = std::fs::read_to_string(folder.path("pid")).unwrap();
        let killed = Command::new("kill").args(["-KILL", pid.trim()]).status();
        assert!(killed.unwrap().success());
    }
}

/// A program with a child; both hold a pipe to the test, which ends when both are dead.
const FAMILY: &str = "\
    (exec 3> alive; echo child >&3; exec sleep 600) &
    exec 3> alive
    exec sleep 600";

/// Starts a family, gives its call up in one way or another once it is complete, and waits until
/// all of them are dead.
fn family_dies(lines: &str, give_up: impl FnOnce(Arc<dyn Bound>, Receiver<()>)) {
    let folder = Scratch::new();
    let alive = folder.path("alive");
    assert!(Command::new("mkfifo").arg(&alive).status().unwrap().success());
    folder.program("program", FAMILY);
    let tool = folder.tool(&format!("command = [\"./program\"]\n{lines}"));
    let (sender, complete) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let heard = scope.spawn(move || {
            let mut pipe = BufReader::new(File::open(alive).unwrap());
            let mut first = String::new();
            pipe.read_line(&mut first).unwrap();
            sender.send(()).unwrap();
            pipe.read_to_string(&mut first).unwrap();
            first
        });
        give_up(tool, complete);
        assert_eq!(heard.join().unwrap(), "child\n");
    });
}

#[test]
fn a_timeout_kills_the_whole_process_group() {
    family_dies("timeout = \"2s\"", |tool, complete| {
        let fault = answer(tool.call(call("{}"))).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Timeout);
        complete.recv().unwrap();
    });
}

#[test]
fn giving_a_call_up_kills_the_whole_process_group() {
    family_dies("", |tool, complete| {
        let Calling::Later(mut future) = tool.call(call("{}")) else {
            panic!("programs take time")
        };
        runtime().block_on(async {
            // It starts the program, and waits for it.
            let polled = std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context)));
            assert!(polled.await.is_pending());
            complete.recv().unwrap();
            drop(future);
        });
    });
}
