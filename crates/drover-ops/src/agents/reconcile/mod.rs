//! The reaper: agents and work that are provably gone give back what they hold.

use drover_core::agent::reap::{self, Reap};
use drover_core::text::Text;
use drover_host::proc;
use drover_store::agents::{self, Agent, Ending};
use drover_store::{WriteTx, notes, tasks};

use super::look::{Look, identity};
use super::{labels, settle};
use crate::ctx::Ctx;
use crate::error::Result;

/// The author of the reaper's notes, and the actor in the log.
pub(crate) const REAPER: &str = "reaper";

/// Takes launches back whose caller is gone, and reaps what is provably gone on every server.
///
/// One call asks every server that a row names, at most two seconds, and what they said is
/// returned. A server that does not answer reaps nothing. A dry run changes nothing.
pub fn reconcile(ctx: &mut Ctx) -> Result<Look> {
    settle::settle_launches(ctx)?;
    let agents = agents::all(&ctx.read())?;
    let look = Look::at(ctx.env(), &agents);
    if !ctx.is_dry_run() {
        for agent in &agents {
            reap(ctx, &look, agent)?;
        }
        release_stranded(ctx)?;
        labels::refresh(ctx, &look, &agents)?;
    }
    Ok(look)
}

/// Reaps one agent if the look proves it gone, and its work if that is.
pub(crate) fn reap(ctx: &mut Ctx, look: &Look, agent: &Agent) -> Result<()> {
    match look.probe(agent).as_ref().map(reap::verdict) {
        Some(Reap::Gone { proof, exit, .. }) => {
            let ending =
                Ending { status: exit.status.map(i64::from), signal: exit.signal.map(i64::from) };
            let why = format!("{proof}{}", ended_with(ending));
            ctx.as_part(REAPER, |ctx| {
                ctx.step("agent.exit", |tx| {
                    // Asked again under the write lock: it may have been started anew meanwhile.
                    let is_same =
                        |it: &Agent| it.lifecycle.is_running() && it.binding == agent.binding;
                    if agents::by_pk(tx, agent.pk)?.as_ref().is_some_and(is_same)
                        && agents::exited(tx, agent.pk, ending)?
                    {
                        release_tasks(tx, agent, &why)?;
                    }
                    Ok(())
                })
            })
        }
        Some(Reap::Alive | Reap::Unknown { .. }) | None => reap_work(ctx, agent),
    }
}

/// Opens tasks in progress whose agent has ended already, as an undo of their close leaves them.
fn release_stranded(ctx: &mut Ctx) -> Result<()> {
    if tasks::stranded(&ctx.read())?.is_empty() {
        return Ok(());
    }
    ctx.as_part(REAPER, |ctx| {
        ctx.step("task.reap", |tx| {
            for agent_uid in tasks::stranded(tx)? {
                if let Some(agent) = agents::by_uid(tx, &agent_uid)? {
                    release_tasks(tx, &agent, "it has ended before")?;
                }
            }
            Ok(())
        })
    })
}

/// A `me work` that ended without saying so loses its task; the agent goes on.
fn reap_work(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    let Some(work) = agent.work.as_ref().filter(|it| !proc::is_alive(&identity(it))) else {
        return Ok(());
    };
    // Its command may outlive it, and still writes where the next one would.
    if u32::try_from(work.pid).is_ok_and(proc::is_group_alive) {
        return Ok(());
    }
    ctx.as_part(REAPER, |ctx| {
        ctx.step("agent.work_lost", |tx| {
            // Asked again under the write lock: it may have ended well, or another begun, meanwhile.
            let now = agents::by_pk(tx, agent.pk)?;
            if now.and_then(|it| it.work).as_ref() == Some(work) {
                agents::set_work(tx, agent.pk, None)?;
                release_tasks(tx, agent, "its `me work` ended without saying how")?;
            }
            Ok(())
        })
    })
}

/// Opens every task in progress that an agent holds, with a note; returns their ids.
pub(crate) fn release_tasks(tx: &WriteTx<'_>, agent: &Agent, why: &str) -> Result<Vec<String>> {
    let mut released = Vec::new();
    for task in tasks::held_by(tx, &agent.uid)? {
        tasks::reap(tx, task.pk)?;
        let text = format!("[reaper] {} no longer works on it: {why}", agent.name);
        notes::insert(tx, task.pk, REAPER, &Text::new(&text))?;
        released.push(task.id);
    }
    Ok(released)
}

fn ended_with(ending: Ending) -> String {
    match (ending.status, ending.signal) {
        (_, Some(signal)) => format!(", by signal {signal}"),
        (Some(status), None) => format!(", with exit code {status}"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests;
