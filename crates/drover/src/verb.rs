//! What the wrapper knows of a verb.

use std::path::Path;

use clap::Command;
use drover_ops::call::Healing;
use drover_ops::{Ctx, Env, OpError};

use crate::input::Input;
use crate::output::{Printer, Report};

/// What a verb does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Reads only, so `--key` and `--dry-run` have nothing to do.
    Reads,
    /// Changes files alone, so that there is no database in which `--key` could be kept.
    ChangesFiles,
    /// Changes rows or the world, and answers a cut-off keyed call so.
    Changes(Healing),
}

/// A part of Drover that takes a process over and answers in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    /// The verbs as tools.
    Mcp,
}

/// One verb with its arguments.
pub(crate) trait Verb: std::fmt::Debug {
    /// The words that name it, as `task claim`.
    fn name(&self) -> &'static str;
    /// What it does to the world.
    fn effect(&self) -> Effect;
    /// Does it.
    fn run(&self, ctx: &mut Ctx, input: &Input) -> Result<Report, OpError>;
    /// A file whose contents are part of the request.
    fn file(&self) -> Option<&Path> {
        None
    }
    /// Prints as things happen until it is told to stop, and returns the exit code; only for a
    /// verb that goes on.
    fn follow(&self, _: &mut Ctx, _: Printer) -> Option<Result<u8, OpError>> {
        None
    }
    /// What takes the process over in place of an answer.
    fn face(&self) -> Option<Face> {
        None
    }
    /// What a verb answers that needs neither the state directory nor the database; `is_preview`
    /// says that nothing may be changed.
    fn run_alone(&self, _: &Env, _is_preview: bool) -> Option<Result<Report, OpError>> {
        None
    }
    /// What a verb answers that is about the tree of all arguments and needs nothing else; the tree is
    /// built when it is asked for.
    fn describe(&self, _: fn() -> Command, _is_preview: bool) -> Option<Result<Report, OpError>> {
        None
    }
    /// What is left to do where the state directory or the database cannot be opened: for most
    /// verbs nothing.
    fn run_unopened(&self, _: &Env, why: OpError) -> Result<Report, OpError> {
        Err(why)
    }
}

/// A row verb is one transaction, so a cut-off call has done nothing.
pub(crate) const CHANGES_ROWS: Effect = Effect::Changes(Healing::Looks);
