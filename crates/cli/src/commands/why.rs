//! `quipu why`

use anyhow::{Result, bail};

use crate::Outcome;
use crate::args::running::Why;

pub(crate) fn run(_: &Why) -> Result<Outcome> {
    bail!("not yet")
}
