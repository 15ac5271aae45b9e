//! The end of a try at a task: closed with its evidence, or given back with a note that says why.

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::notes::{self, Evidence};
use drover_store::{WriteTx, agents, tasks};

use super::types::{Job, WorkEnd};
use crate::ctx::Ctx;
use crate::error::Result;

/// Who has a task when the work on it is over.
enum Holder {
    /// Still the agent.
    Agent,
    /// Nobody any more: the agent itself has closed it as done.
    Done,
    /// Somebody else, or nobody.
    Other,
}

fn holder(tx: &WriteTx<'_>, job: &Job<'_>) -> Result<Holder> {
    let now = tasks::by_pk(tx, job.task.pk)?;
    let Some(now) = now.filter(|it| it.claimed_uid.as_ref() == Some(&job.agent.uid)) else {
        return Ok(Holder::Other);
    };
    Ok(match now.state {
        State::Active => Holder::Agent,
        State::Done => Holder::Done,
        _ => Holder::Other,
    })
}

/// Closes the task on its evidence, unless it was taken from the agent meanwhile.
pub(super) fn close(ctx: &mut Ctx, job: &Job<'_>, evidence: Evidence) -> Result<WorkEnd> {
    let is_closed = ctx.step("task.close", |tx| {
        agents::set_work(tx, job.agent.pk, None)?;
        if matches!(holder(tx, job)?, Holder::Other) {
            return Ok(false);
        }
        tasks::set_state(tx, job.task.pk, State::Done)?;
        notes::insert_evidence(tx, job.project.pk, &job.task.uid, &evidence)?;
        Ok(true)
    })?;
    Ok(if is_closed {
        WorkEnd::Closed { evidence: Box::new(evidence) }
    } else {
        not_held("it was released or taken while it was worked on, so it is not closed")
    })
}

/// Opens the task again with a note, and counts the try; one that is no longer the agent's stays as it is.
pub(super) fn give_back(
    ctx: &mut Ctx,
    job: &Job<'_>,
    (reason, what): (&'static str, &str),
    also: impl FnOnce(&WriteTx<'_>) -> Result<()>,
) -> Result<WorkEnd> {
    let author = ctx.actor().word();
    let note = format!("[{reason}] {what}");
    let is_ours = ctx.step("task.release", |tx| {
        agents::set_work(tx, job.agent.pk, None)?;
        also(tx)?;
        let is_ours = matches!(holder(tx, job)?, Holder::Agent);
        if is_ours {
            tasks::reap(tx, job.task.pk)?;
        }
        notes::insert(tx, job.task.pk, &author, &Text::new(&note))?;
        Ok(is_ours)
    })?;
    Ok(if is_ours { WorkEnd::Released { reason, note } } else { not_held(&note) })
}

fn not_held(note: &str) -> WorkEnd {
    WorkEnd::Released { reason: "not_held", note: note.to_owned() }
}
