//! The call that the hooks of a Claude Code agent make.

use std::path::Path;
use std::time::Duration;

use drover_host::control::claude;
use drover_host::env::{self, Env};
use drover_host::proc::{self, Identity};
use drover_host::process::Command;
use drover_host::{clock, input};
use drover_store::agents::{self, Agent, ChosenBy};
use drover_store::messages;
use drover_store::reports::{self, Report};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::event::{Event, is_in_turn};
use crate::agents::identity;
use crate::ctx::Ctx;
use crate::engines;
use crate::error::Result;

/// The largest message, each byte of it escaped, and what goes around it.
const MOST_BYTES: usize = 32 << 20;
/// How long the agent itself may take to begin: on a busy machine it starts us long before it writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long anybody else may.
const SHORT: Duration = Duration::from_millis(60);
/// The programs between an agent and its hook.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// An agent whose own process calls.
struct Caller {
    ctx: Ctx,
    agent: Agent,
    process: Identity,
}

/// Keeps what a hook of this process's agent says; whatever goes wrong, the agent is not disturbed.
pub fn hook() {
    let caller = caller(Env::capture()).ok().flatten();
    // A caller that is not ours is read as well: it must not fail to write.
    let said = input::read(MOST_BYTES, if caller.is_some() { PATIENCE } else { SHORT });
    let event = said.as_deref().and_then(Event::read);
    if let (Some(caller), Some(event)) = (caller, event) {
        // A hook has nobody to tell what went wrong.
        let _ = keep(caller, &event);
    }
}

/// The agent that this process was called by; none if it is another's, or gone.
fn caller(env: Env) -> Result<Option<Caller>> {
    let Some(uid) = env.text("DROVER_AGENT_UID").map(str::to_owned) else { return Ok(None) };
    if !env.state_dir()?.join("drover.db").exists() {
        return Ok(None);
    }
    let ctx = Ctx::open_for_hook(env, "hook")?;
    let Some(agent) = agents::by_uid(&ctx.read(), &uid)? else { return Ok(None) };
    let Some(process) = agent.binding.as_ref().map(|it| identity(&it.pane)) else {
        return Ok(None);
    };
    let is_its = engines::Kind::of(&agent.profile.engine) == Some(engines::Kind::Claude)
        && agent.lifecycle.is_running()
        && is_called_by(&process);
    Ok(is_its.then_some(Caller { ctx, agent, process }))
}

fn keep(caller: Caller, event: &Event) -> Result<()> {
    let Caller { mut ctx, agent, process } = caller;
    if event.is_of_a_helper() {
        return Ok(());
    }
    let last = reports::of_agent(&ctx.read(), agent.pk)?;
    let has_rested = last.as_ref().is_some_and(|it| has_rested(it, &process));
    let time = (clock::now(), &TimeZone::system());
    let Some(heard) = event.heard(last, has_rested, time) else { return Ok(()) };
    ctx.step("agent.hook", |tx| {
        reports::set(tx, agent.pk, &heard.report)?;
        if let Some((digest, turn)) = &heard.prompt {
            reports::add_prompt(tx, agent.pk, digest, *turn)?;
        }
        if let Some((id, file)) = &heard.conversation {
            agents::set_conversation(tx, agent.pk, id, file.as_deref(), ChosenBy::Engine)?;
        }
        Ok(())
    })?;
    if heard.is_idle {
        deliver(&ctx, &agent)?;
    }
    Ok(())
}

/// Whether the status was idle since a turn of which no end was told.
fn has_rested(last: &Report, process: &Identity) -> bool {
    if !is_in_turn(last) {
        return false;
    }
    let Ok(status) = claude::status(process) else { return false };
    let began: Option<Timestamp> = last.since.parse().ok();
    status.since.zip(began).is_some_and(|(status, began)| status > began)
}

/// Whether an agent's own process called this one, and not another that runs inside it.
fn is_called_by(agent: &Identity) -> bool {
    let mut callers = proc::ancestors(std::process::id()).into_iter();
    let is_shell =
        |it: &Identity| proc::name(it.pid).is_some_and(|name| SHELLS.contains(&name.as_str()));
    let Some(first) = callers.find(|it| it == agent || !is_shell(it)) else { return false };
    if first == *agent {
        return true;
    }
    // An agent that was started by a script is the script's child.
    is_shell(agent) && callers.next().is_some_and(|it| it == *agent)
}

/// Has the next message delivered by a process that outlives this call.
fn deliver(ctx: &Ctx, agent: &Agent) -> Result<()> {
    if messages::queued(&ctx.read(), agent.pk)?.is_empty() {
        return Ok(());
    }
    let Ok(program) = env::current_exe() else { return Ok(()) };
    let call = Command::new(program, Path::new("/")).environment(ctx.env().clone());
    call.args(["agent-idle", &agent.uid]).detach()?;
    Ok(())
}
