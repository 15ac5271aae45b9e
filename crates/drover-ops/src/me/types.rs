//! A try at a task, and how it ended.

use std::path::PathBuf;

use drover_store::agents::Agent;
use drover_store::notes::Evidence;
use drover_store::projects::Project;
use drover_store::tasks::Task;
use drover_store::workspaces::{self, Workspace};

use crate::ctx::Ctx;
use crate::error::Result;

/// What is worked on, by whom, and where.
pub(super) struct Job<'a> {
    pub(super) agent: &'a Agent,
    pub(super) project: &'a Project,
    pub(super) task: &'a Task,
    pub(super) workspace: Option<Workspace>,
    pub(super) directory: PathBuf,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        ctx: &Ctx,
        agent: &'a Agent,
        project: &'a Project,
        task: &'a Task,
    ) -> Result<Self> {
        let workspace = workspaces::of_agent(&ctx.read(), agent.pk)?;
        let directory = workspace.as_ref().map_or(&agent.profile.cwd, |it| &it.path).into();
        Ok(Self { agent, project, task, workspace, directory })
    }
}

/// How the work on a task ended.
#[derive(Debug, Clone)]
pub enum WorkEnd {
    /// Closed as done.
    Closed {
        /// The evidence it was closed on.
        evidence: Box<Evidence>,
    },
    /// Given back.
    Released {
        /// A stable word, as `work_failed`.
        reason: &'static str,
        /// The note that says why.
        note: String,
    },
}
