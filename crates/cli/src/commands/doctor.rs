//! `quipu doctor`

use anyhow::{Result, bail};

use crate::Outcome;
use crate::args::running::Doctor;

pub(crate) fn run(_: &Doctor) -> Result<Outcome> {
    bail!("not yet")
}
