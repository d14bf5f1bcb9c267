//! `quipu replay`

use anyhow::{Result, bail};

use crate::Outcome;
use crate::args::running::Replay;

pub(crate) fn run(_: &Replay) -> Result<Outcome> {
    bail!("not yet")
}
