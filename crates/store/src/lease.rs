//! Who drives a stream. A lease is a row beside the events and no event: it says who works now,
//! not what happened. It keeps two from doing the same work; that no two add the same event is
//! what [`crate::Expected::Next`] is for.

use std::fmt;
use std::sync::OnceLock;

use history::{Stream, Timestamp};
use value::Text;

use crate::StoreError;

/// Who may have a lease, so that others of the same machine can tell whether it still lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder(Text);

/// The right to drive a stream, until it ends or somebody else takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The how manieth lease of its stream it is, from 1.
    pub epoch: u64,
}

/// Somebody else drives the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Who.
    pub holder: Holder,
    /// When the lease ends, unless it is renewed.
    pub until: Timestamp,
}

/// Keeps leases. They survive the death of a process, and need not survive that of the machine:
/// nobody of before it lives then.
pub trait Leases {
    /// Takes the lease of a stream for so long, if nobody has it: it was never taken, was
    /// released, has ended, or its holder is a process of this machine that is dead. The same
    /// holder gets no second one: two parts of a process are two.
    ///
    /// The stream need not exist.
    fn acquire(
        &self,
        stream: &Stream,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Result<Lease, Held>, StoreError>;

    /// Makes a lease last from now for so long. Says whether it could: not if it was released,
    /// or somebody else took it after it had ended.
    fn renew(
        &self,
        stream: &Stream,
        lease: &Lease,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<bool, StoreError>;

    /// Gives a lease back. One that somebody else has meanwhile is not touched.
    fn release(&self, stream: &Stream, lease: &Lease) -> Result<(), StoreError>;
}

/// What a backend keeps of the leases of a stream: the last one.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) epoch: u64,
    /// Nobody once it was released.
    pub(crate) holder: Option<Holder>,
    pub(crate) until: Timestamp,
}

impl Kept {
    /// What is to be kept from now on, if the one before allows it.
    pub(crate) fn next(
        before: Option<Kept>,
        holder: &Holder,
        now: Timestamp,
        ttl_ms: u64,
    ) -> Result<Kept, Held> {
        let epoch = before.as_ref().map_or(0, |kept| kept.epoch) + 1;
        match before {
            Some(Kept { holder: Some(other), until, .. }) if until > now && !other.is_dead() => {
                Err(Held { holder: other, until })
            }
            _ => Ok(Kept { epoch, holder: Some(holder.clone()), until: after(now, ttl_ms) }),
        }
    }
}

/// The time so many milliseconds after another.
pub(crate) fn after(now: Timestamp, ttl_ms: u64) -> Timestamp {
    let micros = i64::try_from(ttl_ms).unwrap_or(i64::MAX).saturating_mul(1_000);
    Timestamp::from_micros(now.micros().saturating_add(micros))
}

impl Holder {
    /// This process, by what no other process has: the start of the machine, the namespace of
    /// process numbers, the number, and when the process began.
    pub fn this_process() -> Holder {
        static OWN: OnceLock<Holder> = OnceLock::new();
        OWN.get_or_init(|| {
            let process = std::process::id();
            let own = machine().zip(read_process(process)).map(|(machine, found)| match found {
                Process::Runs { begun } => Some(format!("{machine} {process} {begun}")),
                Process::Gone => None,
            });
            Holder(own.flatten().unwrap_or_else(|| format!("{process} {}", random())).into())
        })
        .clone()
    }

    /// A holder by any name. Whether it lives cannot be told, so that its leases must end.
    pub fn named(name: impl Into<Text>) -> Holder {
        Holder(name.into())
    }

    /// Its name, as a store keeps it.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Whether it is known to be dead: a process of this machine that is not there any more.
    pub(crate) fn is_dead(&self) -> bool {
        let Some(machine) = machine() else { return false };
        let Some(process) = self.0.strip_prefix(machine).and_then(|rest| rest.strip_prefix(' '))
        else {
            return false;
        };
        let Some((number, begun)) = process.split_once(' ') else { return false };
        let Ok(number) = number.parse() else { return false };
        match read_process(number) {
            Some(Process::Runs { begun: other }) => other != begun,
            Some(Process::Gone) => true,
            None => false,
        }
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names the machine since it was started, and the namespace in which numbers of processes mean
/// the same. Nothing where there is no such thing.
fn machine() -> Option<&'static str> {
    static MACHINE: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
        Some(format!("{} {}", boot.trim(), namespace.to_str()?))
    };
    MACHINE.get_or_init(read).as_deref()
}

/// What the system says of a process.
#[derive(Debug, PartialEq)]
enum Process {
    /// It runs, since so many ticks after the machine was started.
    Runs { begun: String },
    /// It does not run.
    Gone,
}

/// Nothing if it cannot be told.
fn read_process(number: u32) -> Option<Process> {
    match std::fs::read_to_string(format!("/proc/{number}/stat")) {
        Ok(stat) => read_stat(&stat),
        // The system may hide the processes of other users. Then it hides the first one too.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            std::fs::metadata("/proc/1").ok().map(|_| Process::Gone)
        }
        // It was there when the file was opened, or may not be looked at.
        Err(_) => None,
    }
}

/// By the text of `/proc/PID/stat`.
fn read_stat(stat: &str) -> Option<Process> {
    // The name of the program stands in parentheses, and may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let (state, threads, begun) = (fields.first()?, fields.get(17)?, fields.get(19)?);
    // One that was killed stays until its parent has asked for it; its last thread is dead then.
    let is_gone = matches!(*state, "Z" | "X") && matches!(*threads, "0" | "1");
    Some(if is_gone { Process::Gone } else { Process::Runs { begun: begun.to_string() } })
}

/// Something that no other process has, most likely.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_told_by_what_the_system_says_of_it() {
        let stat = |state: &str, threads: &str| {
            format!(
                "7 (a) b) {state} 1 7 7 0 -1 4 0 0 0 0 1 2 3 4 20 0 {threads} 0 5115 9 9 9 9 9 9"
            )
        };
        let runs = Some(Process::Runs { begun: "5115".into() });
        for (state, threads, expected) in [
            ("S", "3", &runs),
            ("D", "1", &runs),
            ("Z", "2", &runs),
            ("Z", "1", &Some(Process::Gone)),
            ("X", "0", &Some(Process::Gone)),
        ] {
            assert_eq!(read_stat(&stat(state, threads)), *expected, "{state} {threads}");
        }
        assert_eq!(read_stat(""), None);
        assert_eq!(read_stat("7 (a) S 1"), None);
    }

    #[test]
    fn this_process_lives_and_one_that_began_at_another_time_does_not() {
        let own = Holder::this_process();
        assert!(!own.is_dead());
        if machine().is_some() {
            assert!(Holder::named(format!("{own}0")).is_dead());
        }
        let elsewhere = own.name().replace('[', "[1");
        assert!(!Holder::named(elsewhere).is_dead());
        assert!(!Holder::named("another machine").is_dead());
        assert!(!Holder::named("").is_dead());
    }

    #[test]
    fn a_lease_can_last_forever() {
        let forever = after(Timestamp::from_micros(5), u64::MAX);
        assert_eq!(forever, Timestamp::from_micros(i64::MAX));
        assert_eq!(after(Timestamp::from_micros(5), 3), Timestamp::from_micros(3_005));
    }
}
