//! What the wrapper knows of a verb.

use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError};

use crate::input::Input;
use crate::output::Report;

/// What a verb does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Reads only, so `--key` and `--dry-run` have nothing to do.
    Reads,
    /// Changes rows or the world, and answers a cut-off keyed call so.
    Changes(Healing),
}

/// One verb with its arguments.
pub(crate) trait Verb: std::fmt::Debug {
    /// The words that name it, as `task claim`.
    fn name(&self) -> &'static str;
    /// What it does to the world.
    fn effect(&self) -> Effect;
    /// Does it.
    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError>;
}

/// A row verb is one transaction, so a cut-off call has done nothing.
pub(crate) const CHANGES_ROWS: Effect = Effect::Changes(Healing::Looks);
