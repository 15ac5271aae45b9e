//! One folder a noun, one file a verb: arguments, the call of the operation, and the report.

mod input;
mod project;
mod task;

use clap::{ArgMatches, Command, Subcommand};
use drover_ops::call::Healing;
use drover_ops::{Ctx, OpError};

pub(crate) use input::Input;

use crate::cli::noun;
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

/// The verb that was chosen; `None` when the noun stands alone.
type Chosen = Result<Option<Box<dyn Verb>>, clap::Error>;

/// A noun: its name, what it is about, and its verbs.
struct Noun {
    name: &'static str,
    about: &'static str,
    augment: fn(Command) -> Command,
    verb: fn(&ArgMatches) -> Chosen,
}

/// Every noun, in the order of `--help`.
const NOUNS: &[Noun] = &[
    Noun {
        name: "project",
        about: "Projects: a name, a repository, tasks and agents",
        augment: project::ProjectVerb::augment_subcommands,
        verb: |it| Ok(noun::<project::ProjectVerb>(it)?.map(project::ProjectVerb::boxed)),
    },
    Noun {
        name: "task",
        about: "Tasks: what is to be done, and what blocks what",
        augment: task::TaskVerb::augment_subcommands,
        verb: |it| Ok(noun::<task::TaskVerb>(it)?.map(task::TaskVerb::boxed)),
    },
];

/// Adds every noun; its verbs are built only when it is chosen, because building them all costs a millisecond.
pub(crate) fn augment(root: Command) -> Command {
    NOUNS.iter().fold(root, |root, noun| {
        root.subcommand(Command::new(noun.name).about(noun.about).defer(noun.augment))
    })
}

/// The verb that was chosen below a noun; `None` when the noun stands alone.
pub(crate) fn verb(name: &str, chosen: &ArgMatches) -> Chosen {
    match NOUNS.iter().find(|it| it.name == name) {
        Some(noun) => (noun.verb)(chosen),
        None => Ok(None),
    }
}
