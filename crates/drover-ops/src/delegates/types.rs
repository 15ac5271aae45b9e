//! What a delegate is asked, and what is told of it.

use std::time::Duration;

use drover_core::duration::Limit;
use drover_store::agents::Agent;
use drover_store::delegates::{self, Delegate};
use drover_store::projects::{self, Project};
use drover_store::{WriteTx, time_text};

use crate::ctx::Ctx;
use crate::error::{DelegateError, Result};

/// How long what a delegate was told and answered is kept after its end.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// A task in words for a helper.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The task, as bytes of anywhere.
    pub task: Vec<u8>,
    /// What it is about, in a word or two: part of its name.
    pub label: Option<String>,
    /// What comes before the task.
    pub brief: Option<String>,
    /// Where it works; where the caller stands when absent.
    pub cwd: Option<std::path::PathBuf>,
    /// Gives it a workspace of its own in the project that is meant.
    pub workspace: bool,
    /// What it runs.
    pub engine: Option<String>,
    /// The model it is to use.
    pub model: Option<String>,
    /// How long it may take.
    pub timeout: Limit,
    /// Leaves its pane open when it is done.
    pub keep: bool,
    /// The task on which its answer is noted.
    pub record: Option<String>,
}

/// A delegate with what is told of it.
#[derive(Debug, Clone)]
pub struct Delegated {
    /// The project its agent lives in.
    pub project: Project,
    /// The delegate.
    pub delegate: Delegate,
    /// What it answered; what its screen showed where there was no answer.
    pub answer: Option<String>,
    /// Its agent, as long as it is not closed.
    pub agent: Option<Agent>,
}

/// How a wait for a delegate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// It has ended.
    Ended,
    /// Only a person can move it on.
    NeedsPerson,
    /// It has not ended in time.
    TimedOut,
    /// The person asked to stop.
    Interrupted,
}

impl Delegated {
    /// All that is told of a delegate.
    pub(super) fn of(ctx: &Ctx, delegate: Delegate) -> Result<Self> {
        let tx = ctx.read();
        let unknown = || DelegateError::Unknown { name: delegate.name.clone() };
        let project = projects::by_pk(&tx, delegate.project_pk)?.ok_or_else(unknown)?;
        let answer = delegates::texts(&tx, delegate.pk)?.and_then(|it| it.1);
        let agent = match &delegate.agent_uid {
            Some(uid) => drover_store::agents::by_uid(&tx, uid)?,
            None => None,
        };
        let agent = agent.filter(|it| it.lifecycle.holds_name());
        Ok(Self { project, delegate, answer, agent })
    }
}

/// Whether a delegate in this state has ended.
pub(super) fn is_over(state: &str) -> bool {
    !["queued", "starting", "running"].contains(&state)
}

/// When the texts of a delegate that ends now are erased.
pub(super) fn erase_after(tx: &WriteTx<'_>) -> String {
    time_text(tx.at().saturating_add(KEPT).unwrap_or(jiff::Timestamp::MAX))
}
