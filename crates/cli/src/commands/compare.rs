//! `quipu compare`

use anyhow::{Result, bail};

use crate::Outcome;
use crate::args::running::Compare;

pub(crate) fn run(_: &Compare) -> Result<Outcome> {
    bail!("not yet")
}
