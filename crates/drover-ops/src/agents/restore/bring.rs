//! Bringing one agent back: its row, its pane, the tasks it had lost.

use std::time::Duration;

use drover_core::text::Text;
use drover_store::agents::{self, Agent};
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};

use super::types::Back;
use super::{check, lost};
use crate::agents::launch::{self, Target};
use crate::agents::look::Look;
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
        let held = tasks::held_by(&ctx.read(), &agent.uid)?;
        let claimed = held.into_iter().map(|it| it.id).collect();
        return Ok(Back { claimed, ..Back::default() });
    }
    let look = Look::at(ctx.env(), std::slice::from_ref(&agent));
    check::check(ctx, &look, project, &agent)?;
    let target = match look.pane(&agent) {
        Some(pane) => Target::Pane(pane.id.clone()),
        None => Target::NewPane,
    };
    let lost_file = check::lost_file(ctx, &agent)?;
    let lost = lost::lost(&ctx.read(), &agent, &lost::holder(ctx, &agent))?;
    let deadline_at = launch::deadline(ctx);
    let again = ctx.step("agent.restore", |tx| {
        if !agents::begin_restore(tx, agent.pk, &token, &deadline_at)? {
            let (name, project) = (agent.name.clone(), project.name.clone());
            let place = "another call brings it back".to_owned();
            return Err(AgentError::StillRunning { name, project, place }.into());
        }
        agents::resume_conversation(tx, agent.pk)?;
        Ok(agents::by_pk(tx, agent.pk)?.unwrap_or_else(|| agent.clone()))
    })?;
    // What it had started may hold on to its conversation, its files and its ports.
    close::end_processes(ctx, &look, &agent)?;
    match launch::launch(ctx, project, again, &token, &target) {
        Ok(now) => {
            let (claimed, mut differences) = taken_up(ctx, &agent, lost)?;
            differences.extend(lost_file);
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

/// Which of the tasks it had lost it holds again, and who has the others.
fn taken_up(ctx: &Ctx, agent: &Agent, lost: Vec<Task>) -> Result<(Vec<String>, Vec<String>)> {
    let (mut claimed, mut others) = (Vec::new(), Vec::new());
    for task in lost {
        let task = tasks::by_pk(&ctx.read(), task.pk)?.unwrap_or(task);
        if task.claimed_uid.as_ref() == Some(&agent.uid) {
            claimed.push(task.id);
        } else {
            let now = task.claimed_by.unwrap_or_else(|| task.state.full());
            others.push(format!("it held {}, which is with {now} now", task.id));
        }
    }
    Ok((claimed, others))
}
