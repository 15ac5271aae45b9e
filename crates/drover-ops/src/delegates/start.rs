//! Starting a delegate: its agent, its task in the outbox, and the process that waits for its answer.

use std::path::Path;

use drover_core::message::{Mode, SentText};
use drover_core::text::Text;
use drover_host::process::Command;
use drover_store::agents::{self as agent_rows, Agent};
use drover_store::delegates::{self, Delegate};
use drover_store::projects::{self, Project};

use super::types::erase_after;
use crate::agents::{self, Close, Purpose, Spawn, Start, Taken};
use crate::ctx::Ctx;
use crate::error::{DelegateError, OpError, Result};
use crate::messages::{self, Composed, New};
use crate::policy::Policy;

/// Starts a delegate whose row says that we do; one that cannot be started has ended, with the reason.
pub(super) fn start(ctx: &mut Ctx, delegate: &Delegate) -> Result<()> {
    match start_agent(ctx, delegate) {
        Ok(()) => watch_over(ctx, &delegate.uid),
        Err(err) => {
            let why = err.to_string();
            ctx.step("delegate.end", |tx| {
                let erase_after = erase_after(tx);
                let reason = Text::new(&why);
                let end = delegates::End {
                    state: "failed",
                    answer: None,
                    turn: None,
                    reason: Some(reason.as_str()),
                    erase_after: &erase_after,
                };
                Ok(delegates::end(tx, delegate.pk, &end)?)
            })?;
            Err(err)
        }
    }
}

/// Makes its agent, or takes the one that a start which was cut off has made, and tells it its task.
fn start_agent(ctx: &mut Ctx, delegate: &Delegate) -> Result<()> {
    let unknown = || DelegateError::Unknown { name: delegate.name.clone() };
    let project = projects::by_pk(&ctx.read(), delegate.project_pk)?.ok_or_else(unknown)?;
    let agent = match made_before(ctx, &project, delegate)? {
        Some(agent) => agent,
        None => spawn(ctx, &project, delegate)?,
    };
    let text = delegates::texts(&ctx.read(), delegate.pk)?.map(|it| it.0).unwrap_or_default();
    let text = SentText::new(&text).map_err(|err| OpError::Usage(err.to_string()))?;
    let new = New {
        uid: None,
        mode: Mode::WhenIdle,
        sender: &delegate.delegator,
        task_uid: None,
        text: &Composed { text, removed_bytes: 0 },
        via: None,
    };
    let is_wanted = ctx.step("delegate.start", |tx| {
        let message = messages::put(tx, &agent, &new)?;
        let its = (agent.uid.as_str(), agent.name.as_str());
        if delegates::running(tx, delegate.pk, its, &message.uid)? {
            return Ok(true);
        }
        messages::take_back(tx, message.pk)?;
        Ok(false)
    })?;
    if !is_wanted {
        // It was cancelled meanwhile.
        close(ctx, &project, &agent.name)?;
    }
    Ok(())
}

/// The agent of a start that was cut off: delegates have their names for themselves.
fn made_before(ctx: &mut Ctx, project: &Project, delegate: &Delegate) -> Result<Option<Agent>> {
    agents::settle_launches(ctx)?;
    let there = agent_rows::find(&ctx.read(), project.pk, &delegate.name)?;
    Ok(there.filter(|it| it.lifecycle.is_running() && it.created_at >= delegate.created_at))
}

fn spawn(ctx: &mut Ctx, project: &Project, delegate: &Delegate) -> Result<Agent> {
    let request = Spawn {
        name: format!("{}/{}", project.name, delegate.name),
        taken: Taken::NextFree,
        purpose: Purpose::Help,
        engine: Some(delegate.engine.clone()),
        model: delegate.model.clone(),
        start: delegate.cwd.as_ref().map_or(Start::Workspace, |it| Start::In(it.into())),
        ..Spawn::default()
    };
    // A caller that means another project by a flag means that of the task, not of the helper.
    Ok(ctx.meaning_none(|ctx| agents::spawn(ctx, &request))?.agent)
}

/// Closes the agent of a delegate; its work, if it has any, is never given up.
pub(super) fn close(ctx: &mut Ctx, project: &Project, name: &str) -> Result<()> {
    let name = format!("{}/{name}", project.name);
    ctx.meaning_none(|ctx| agents::close(ctx, &Close { name, ..Close::default() }))?;
    ctx.commit()
}

/// Has a process of its own wait for a delegate's answer; that it waits already does no harm.
pub(super) fn watch_over(ctx: &mut Ctx, uid: &str) -> Result<()> {
    let program = agents::own_program()?;
    let mut environment = ctx.env().for_own_part();
    environment.set("DROVER_STATE_DIR", ctx.state_path());
    let call = Command::new(program, Path::new("/")).environment(environment);
    ctx.act("wait for the answer beside", || Ok(call.args(["delegate-run", uid]).detach()?))?;
    Ok(())
}

/// Starts those that wait, as many as have room now.
pub(super) fn advance(ctx: &mut Ctx) -> Result<()> {
    loop {
        let own = ctx.own_process()?;
        let Some(first) = delegates::open(&ctx.read())?.into_iter().find(|it| it.state == "queued")
        else {
            return Ok(());
        };
        let Some(project) = projects::by_pk(&ctx.read(), first.project_pk)? else { return Ok(()) };
        let most = Policy::of(ctx, &project)?.delegates;
        let next = ctx.step("delegate.start", |tx| {
            let open = delegates::open(tx)?;
            let has_room = open.iter().filter(|it| it.state != "queued").count() < most;
            let next = open.into_iter().find(|it| it.state == "queued").filter(|_| has_room);
            let Some(next) = next else { return Ok(None) };
            Ok(delegates::begin(tx, next.pk, &own)?.then_some(next))
        })?;
        let Some(next) = next else { return Ok(()) };
        if let Err(err) = start(ctx, &next) {
            ctx.warn(format!("{} was not started: {err}", next.name));
        }
    }
}
