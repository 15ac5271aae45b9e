//! What an agent had in its hands when it ended, and takes up again with its return.

use drover_core::task::State;
use drover_store::agents::Agent;
use drover_store::tasks::{self, Task};
use drover_store::{ReadTx, WriteTx, notes};

use crate::agents::reconcile::REAPER;
use crate::ctx::Ctx;
use crate::error::Result;

/// An agent as the holder of a task.
pub(crate) fn holder(ctx: &Ctx, agent: &Agent) -> String {
    format!("{}@{}", agent.name, ctx.machine())
}

/// The tasks that were opened again because this agent ended, wherever they are now.
pub(crate) fn lost(tx: &ReadTx<'_>, agent: &Agent, holder: &str) -> Result<Vec<Task>> {
    let Some(ended_at) = agent.ended_at.as_deref() else { return Ok(Vec::new()) };
    let mut lost = Vec::new();
    for task in tasks::lost_by(tx, agent.project_pk, holder)? {
        let of_this_end =
            |it: &notes::Note| it.author == REAPER && it.created_at.as_str() >= ended_at;
        if notes::of_task(tx, task.pk)?.iter().any(of_this_end) {
            lost.push(task);
        }
    }
    Ok(lost)
}

/// Claims what an agent lost by its end and nobody has taken since, in the transaction that binds it again.
pub(crate) fn take_up(tx: &WriteTx<'_>, agent: &Agent, holder: &str) -> Result<()> {
    for task in lost(tx, agent, holder)? {
        if task.state == State::Todo && task.claimed_by.is_none() {
            tasks::claim(tx, task.pk, holder, Some(&agent.uid))?;
        }
    }
    Ok(())
}
