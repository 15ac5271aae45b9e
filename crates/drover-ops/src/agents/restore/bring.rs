//! Bringing one agent back: its row, its pane, the tasks it had lost.

use std::time::Duration;

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;
use drover_store::tasks::{self, Query, Task};
use drover_store::{ReadTx, notes};

use super::check;
use super::types::Back;
use crate::agents::launch::{self, Target};
use crate::agents::look::Look;
use crate::agents::reconcile::REAPER;
use crate::agents::{close, place};
use crate::ctx::Ctx;
use crate::error::{AgentError, Result};
use crate::resolve;

/// How long another call may take with the same agent.
const LOCK_LIMIT: Duration = Duration::from_mins(1);

/// Starts an agent that has ended with its profile and its conversation.
///
/// Whatever fails leaves its row as it was: ended, its conversation known.
pub(super) fn bring(ctx: &mut Ctx, project: &Project, agent: &Agent) -> Result<Back> {
    ctx.new_group()?;
    let locks = place::locks(ctx)?;
    let _lock = locks.lock(&place::launch_lock(project, &agent.name), LOCK_LIMIT)?;
    let agent = resolve::agent_in(&ctx.read(), project, &agent.name)?;
    let token = ctx.token_for(&format!("restore/{}", agent.uid))?;
    if agent.nonce.as_deref() == Some(token.as_str()) && agent.lifecycle.is_running() {
        // An earlier call with the same key got as far as this.
        return Ok(Back::default());
    }
    let look = Look::at(ctx.env(), std::slice::from_ref(&agent));
    check::check(ctx, &look, project, &agent)?;
    let target = match look.pane(&agent) {
        Some(pane) => Target::Pane(pane.id.clone()),
        None => Target::NewPane,
    };
    let deadline_at = launch::deadline(ctx);
    let again = ctx.step("agent.restore", |tx| {
        if !agents::begin_restore(tx, agent.pk, &token, &deadline_at)? {
            let (name, project) = (agent.name.clone(), project.name.clone());
            let place = "another call brings it back".to_owned();
            return Err(AgentError::StillRunning { name, project, place }.into());
        }
        agents::resume_conversation(tx, agent.pk)?;
        agents::count_restart(tx, agent.pk)?;
        Ok(agents::by_pk(tx, agent.pk)?.unwrap_or_else(|| agent.clone()))
    })?;
    // What it had started may hold on to its conversation, its files and its ports.
    close::end_processes(ctx, &look, &agent)?;
    match launch::launch(ctx, project, again, &token, &target) {
        Ok(now) => {
            let (claimed, mut differences) = take_up(ctx, project, &agent)?;
            differences.extend(moved(&agent, &now));
            Ok(Back { differences, claimed })
        }
        Err(err) => {
            let why = Text::new(&err.to_string());
            ctx.step("agent.fail", |tx| Ok(agents::abandon(tx, agent.pk, &token, &why)?))?;
            if let Err(second) = launch::clear(ctx, &agent, &token) {
                ctx.warn(format!("what was begun is still there: {second}"));
            }
            Err(err)
        }
    }
}

/// Where it runs now, if that is not where it ran.
fn moved(before: &Agent, now: &Agent) -> Option<String> {
    let (before, now) = (before.binding.as_ref()?, now.binding.as_ref()?);
    let is_same = before.pane_id == now.pane_id && before.server == now.server;
    (!is_same).then(|| format!("it is in the pane {} and was in {}", now.pane_id, before.pane_id))
}

/// Claims what it lost by its end and nobody has taken since; says of the rest who has it.
fn take_up(ctx: &mut Ctx, project: &Project, agent: &Agent) -> Result<(Vec<String>, Vec<String>)> {
    let holder = format!("{}@{}", agent.name, ctx.machine());
    if lost(&ctx.read(), project, agent, &holder)?.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    ctx.new_group()?;
    ctx.step("task.claim", |tx| {
        let (mut claimed, mut others) = (Vec::new(), Vec::new());
        for task in lost(tx, project, agent, &holder)? {
            let is_free = task.state == State::Todo && task.claimed_by.is_none();
            if is_free && tasks::claim(tx, task.pk, &holder, Some(&agent.uid))? {
                claimed.push(task.id);
            } else {
                let now = task.claimed_by.unwrap_or_else(|| task.state.full());
                others.push(format!("it held {}, which is with {now} now", task.id));
            }
        }
        Ok((claimed, others))
    })
}

/// The tasks that were open again because this agent ended, wherever they are now.
fn lost(tx: &ReadTx<'_>, project: &Project, agent: &Agent, holder: &str) -> Result<Vec<Task>> {
    let Some(ended_at) = agent.ended_at.as_deref() else { return Ok(Vec::new()) };
    let statuses = vec!["OPEN".to_owned(), "IN_PROGRESS".to_owned()];
    let open = tasks::list(tx, project.pk, &Query { statuses, ..Query::default() })?;
    let mut lost = Vec::new();
    for task in open.into_iter().filter(|it| it.last_claimed_by.as_deref() == Some(holder)) {
        let of_this_end =
            |it: &notes::Note| it.author == REAPER && it.created_at.as_str() >= ended_at;
        if notes::of_task(tx, task.pk)?.iter().any(of_this_end) {
            lost.push(task);
        }
    }
    Ok(lost)
}
