//! How much memory a server that never stops can take from us, seen from outside.

use std::process::Child;

use super::*;

/// The most that may be in memory at once, in KiB. An answer of 16 MiB is there about twice while
/// its buffer grows; a server that were not stopped would fill gigabytes.
const PEAK_MAX: u64 = 192 << 10;

/// The most that was in memory so far, in KiB, as long as the process lives.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Runs an agent on a model that fails so; how it ended, and the most that was in memory.
fn flooded(protocol: Protocol, failing: &Failing, how: &str) -> (Done, u64) {
    let folder = agent(model_of(protocol));
    let model = Model::script(vec![Act::Fail(failing.clone()); 4]);
    let arguments = ["run", "agent.yaml", "--json", how];
    let mut command = folder.command_on(&model, &arguments);
    // What is said before it is too much is said there, and nobody reads it.
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(&child).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    (done(child.wait_with_output().unwrap()), most)
}

#[test]
fn no_server_fills_our_memory() {
    let many = format!("[{}0]", "{\"a\":0},".repeat(1_900_000));
    for failing in [
        Failing::Endless,
        Failing::EndlessLine,
        Failing::EndlessError(400),
        Failing::Packed,
        Failing::Garbage("application/json".into(), many),
    ] {
        let name: String = format!("{failing:?}").chars().take(20).collect();
        for protocol in Protocol::ALL {
            for how in ["--stream", "--no-stream"] {
                let (done, most) = flooded(protocol, &failing, how);
                assert_eq!(done.code, 1, "{name} {protocol:?} {how}: {}", done.stdout);
                assert_eq!(ending(&shown(&done)), "model", "{}", done.stdout);
                assert!(most > 1 << 10, "it was measured: {most} KiB");
                assert!(most < PEAK_MAX, "{name} {protocol:?} {how}: {most} KiB");
            }
        }
    }
}
