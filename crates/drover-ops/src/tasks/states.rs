//! `task release`, `open`, `park`, `unpark` and `admit`: moves between states that close nothing.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::notes;
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};

use super::shared::{self, Moved, open_dependents};
use super::weighing;
use crate::ctx::Ctx;
use crate::error::{Result, TaskError};
use crate::resolve;
use crate::roles::Caller;

/// Which move to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// Gives it back: nobody holds it, and what was in progress is open again.
    Release,
    /// Gives it back and opens it, closed or not.
    ReleaseAndReopen,
    /// Opens it, its holder unchanged.
    Open,
    /// Sets it aside.
    Park,
    /// Takes it up again.
    Unpark,
    /// Lets a proposed task in.
    Admit,
}

impl Move {
    /// The word in the log and in evidence.
    fn verb(self) -> &'static str {
        match self {
            Self::Release | Self::ReleaseAndReopen => "release",
            Self::Open => "open",
            Self::Park => "park",
            Self::Unpark => "unpark",
            Self::Admit => "admit",
        }
    }

    /// The state it leads to from `state`, the same when it changes nothing.
    fn target(self, project: &Project, task: &Task) -> Result<State> {
        let project = project.name.clone();
        let state = task.state;
        Ok(match self {
            Self::Release if state == State::Active => State::Todo,
            Self::Unpark if state == State::Parked => State::Todo,
            Self::Admit if state == State::Triage => State::Todo,
            Self::Release | Self::Unpark | Self::Admit => state,
            Self::ReleaseAndReopen | Self::Open => State::Todo,
            Self::Park if state == State::Active => {
                let (id, holder) = (task.id.clone(), task.claimed_by.clone());
                return Err(TaskError::InProgress { id, project, holder }.into());
            }
            Self::Park if state.is_closed() => {
                let (id, state) = (task.id.clone(), state.to_string());
                return Err(TaskError::Closed { id, project, state }.into());
            }
            Self::Park => State::Parked,
        })
    }

    fn clears_holder(self) -> bool {
        matches!(self, Self::Release | Self::ReleaseAndReopen)
    }
}

/// What to move and how.
#[derive(Debug, Clone)]
pub struct MoveTask {
    /// The task.
    pub id: String,
    /// The move.
    pub step: Move,
    /// Why, kept as a note; needed for parking.
    pub why: Option<String>,
    /// What the caller says.
    pub evidence: Option<String>,
}

/// Moves a task; what is there already is left as it is, and nothing is recorded.
pub fn move_task(ctx: &mut Ctx, request: &MoveTask) -> Result<Moved> {
    let (project, task) = resolve::task(ctx, &request.id)?;
    let verb = request.step.verb();
    let why = request.why.as_deref().map(|it| shared::prose("reason", it)).transpose()?;
    let evidence = shared::said(ctx, verb, request.evidence.as_deref())?;
    let (author, caller) = (ctx.actor().word(), Caller::of(ctx));
    if let Some(why) = &why {
        ctx.note_redactions(why);
    }
    let mut is_weak = false;
    let moved = ctx.write(&format!("task.{verb}"), |tx| {
        let before = shared::again(tx, &project, &task)?;
        let target = request.step.target(&project, &before)?;
        let lets_go = request.step.clears_holder() && before.claimed_by.is_some();
        let changed = target != before.state || lets_go;
        if changed {
            shared::check_holder(tx, caller.as_ref(), &before)?;
        }
        if changed && request.step == Move::Admit {
            let said = evidence.as_ref().and_then(|it| it.text.as_ref());
            is_weak = weighing::is_weak(tx, &before, &[said])?;
        }
        if changed {
            if request.step.clears_holder() {
                tasks::release(tx, before.pk, target)?;
            } else {
                tasks::set_state(tx, before.pk, target)?;
            }
            if let Some(why) = &why {
                let note = Text::new(&format!("{}: {}", verb.to_uppercase(), why.as_str()));
                notes::insert(tx, before.pk, &author, &note)?;
            }
            shared::record(tx, &before, evidence.as_ref())?;
        }
        let blocked_again = if before.state.satisfies_edge() && !target.satisfies_edge() {
            open_dependents(tx, before.pk)?.into_iter().map(|it| it.id).collect()
        } else {
            Vec::new()
        };
        let task = shared::again(tx, &project, &before)?;
        let (was, was_held_by) = (before.state, before.claimed_by);
        Ok(Moved { project: project.clone(), task, was, was_held_by, changed, blocked_again })
    })?;
    if is_weak {
        ctx.warn(weighing::warning(&moved.project.name, &moved.task.id, "admitted"));
    }
    Ok(moved)
}
