//! `drover task`.

mod add;
mod claim;
mod close;
mod delete;
mod edges;
mod entry;
mod export;
mod import;
mod list;
mod moves;
mod next;
mod note;
mod plan;
mod show;
mod update;
mod wait;
mod why;

use clap::Subcommand;

use crate::verb::Verb;

#[derive(Debug, Subcommand)]
pub(crate) enum TaskVerb {
    /// Add a task.
    Add(add::Add),
    /// Let a proposed task in.
    #[command(alias = "accept")]
    Admit(moves::Admit),
    /// Let tasks block a task.
    Block(edges::Block),
    /// Take a task.
    Claim(claim::Claim),
    /// Close a task.
    Close(close::Close),
    /// Delete a task with its edges and notes.
    Delete(delete::Delete),
    /// Print the tasks for other programs.
    Export(export::Export),
    /// List the tasks.
    List(list::List),
    /// Add the tasks of a file.
    Import(import::Import),
    /// Show what can start, best first.
    Next(next::Next),
    /// Write a note on a task.
    Note(note::Note),
    /// Read the notes of a task.
    Notes(note::Notes),
    /// Open a task again.
    Open(moves::Open),
    /// Set an open task aside.
    Park(moves::Park),
    /// Show who could do what when.
    Plan(plan::Plan),
    /// Give a task back.
    Release(moves::Release),
    /// Give a task another id.
    Rename(update::Rename),
    /// Replace all blockers of a task.
    Reparent(edges::Reparent),
    /// Show one task.
    Show(show::Show),
    /// Show what blocks a task, or what it blocks, as a tree.
    Tree(why::Tree),
    /// Take blockers off a task.
    Unblock(edges::Unblock),
    /// Take a parked task up again.
    Unpark(moves::Unpark),
    /// Change what a task says of itself.
    Update(update::Update),
    /// Wait until tasks have a status, or cannot get there by themselves.
    Wait(wait::Wait),
    /// Show what keeps a task from starting.
    Why(why::Why),
}

impl TaskVerb {
    pub(crate) fn boxed(self) -> Box<dyn Verb> {
        match self {
            Self::Add(it) => Box::new(it),
            Self::Admit(it) => Box::new(it),
            Self::Block(it) => Box::new(it),
            Self::Claim(it) => Box::new(it),
            Self::Close(it) => Box::new(it),
            Self::Delete(it) => Box::new(it),
            Self::Export(it) => Box::new(it),
            Self::List(it) => Box::new(it),
            Self::Import(it) => Box::new(it),
            Self::Next(it) => Box::new(it),
            Self::Note(it) => Box::new(it),
            Self::Notes(it) => Box::new(it),
            Self::Open(it) => Box::new(it),
            Self::Park(it) => Box::new(it),
            Self::Plan(it) => Box::new(it),
            Self::Release(it) => Box::new(it),
            Self::Rename(it) => Box::new(it),
            Self::Reparent(it) => Box::new(it),
            Self::Show(it) => Box::new(it),
            Self::Tree(it) => Box::new(it),
            Self::Unblock(it) => Box::new(it),
            Self::Unpark(it) => Box::new(it),
            Self::Update(it) => Box::new(it),
            Self::Wait(it) => Box::new(it),
            Self::Why(it) => Box::new(it),
        }
    }
}
