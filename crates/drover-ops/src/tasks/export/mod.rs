//! `task export`: the tasks of a project as a text that other programs read, and most of which `task import` does.

mod board;
mod dot;
mod escape;
mod json;
mod markdown;
mod mermaid;
mod taskwarrior;

use drover_core::task::State;
use drover_store::projects::Project;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;
use board::Board;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Our own JSON plan: everything but who holds what, and evidence.
    Json,
    /// A Markdown checklist: everything but who wrote a note, and times.
    Markdown,
    /// A drawing by Graphviz.
    Dot,
    /// A drawing by Mermaid.
    Mermaid,
    /// What Taskwarrior imports.
    Taskwarrior,
}

/// What to export.
#[derive(Debug, Clone, Copy)]
pub struct Export {
    /// The form.
    pub format: ExportFormat,
    /// Leaves out what is done.
    pub is_unfinished_only: bool,
}

/// An export.
#[derive(Debug, Clone)]
pub struct Exported {
    /// Where.
    pub project: Project,
    /// How many tasks it has.
    pub tasks: usize,
    /// How many edges it has.
    pub edges: usize,
    /// The text, ending with a line break unless it is empty.
    pub text: String,
}

impl ExportFormat {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Dot => "dot",
            Self::Mermaid => "mermaid",
            Self::Taskwarrior => "taskwarrior",
        }
    }
}

/// Writes the tasks of a project in a form, and warns of what that form cannot say.
pub fn export(ctx: &mut Ctx, request: &Export) -> Result<Exported> {
    let project = resolve::project(ctx)?;
    let keeps = |state: State| !request.is_unfinished_only || state != State::Done;
    let board = Board::read(&ctx.read(), &project, keeps)?;
    let (text, losses) = match request.format {
        ExportFormat::Json => (json::write(&board), Vec::new()),
        ExportFormat::Markdown => (markdown::write(&board), Vec::new()),
        ExportFormat::Dot => (dot::write(&board, &project.name), Vec::new()),
        ExportFormat::Mermaid => (mermaid::write(&board), Vec::new()),
        ExportFormat::Taskwarrior => taskwarrior::write(&board),
    };
    for loss in losses {
        ctx.warn(loss);
    }
    let edges = board.entries.iter().map(|it| it.blockers.len()).sum();
    Ok(Exported { project, tasks: board.entries.len(), edges, text })
}
