//! Handing one task to one agent: its checkout brought onto the trunk, the claim, and the word to begin.

use std::path::Path;
use std::time::Duration;

use drover_core::agent::Presence;
use drover_core::message::{Level, Mode};
use drover_core::task::State;
use drover_host::mux::{self, PaneId};
use drover_store::agents::Agent;
use drover_store::messages::Message;
use drover_store::projects::Project;
use drover_store::tasks::{self, Task};
use drover_store::{WriteTx, workspaces as rows};

use crate::ctx::Ctx;
use crate::error::{DispatchError, Result};
use crate::messages::{Delivery, New, Stopped};
use crate::workspaces::Refresh;
use crate::{agents, briefs, messages, words, workspaces};

/// How long an idle agent's screen may take to show that a brief can be typed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Claims a task for an agent and tells it to begin; a word that cannot be given releases the claim.
pub(super) fn hand(ctx: &mut Ctx, project: &Project, task: &Task, agent: &Agent) -> Result<()> {
    if rows::of_agent(&ctx.read(), agent.pk)?.is_some() {
        ctx.new_group()?;
        let agent = format!("{}/{}", project.name, agent.name);
        workspaces::refresh(ctx, &Refresh { agent, ..Refresh::default() })?;
    }
    match agent.profile.takes_work.as_str() {
        "run" => by_line(ctx, task, agent),
        "message" if messages::may_get_briefs(ctx, agent)? => by_message(ctx, project, task, agent),
        other => {
            let (agent, takes_work) = (agent.name.clone(), other.to_owned());
            Err(DispatchError::TakesNoWork { agent, takes_work }.into())
        }
    }
}

fn by_line(ctx: &mut Ctx, task: &Task, agent: &Agent) -> Result<()> {
    ctx.new_group()?;
    let holder = holder(ctx, agent);
    ctx.step("task.claim", |tx| claim(tx, task, agent, &holder))?;
    let told = type_work(ctx, agent);
    if told.is_err() {
        give_back(ctx, task, agent, None)?;
    }
    told
}

/// Sends the brief. What may have been typed stays claimed: a second agent must not begin as well.
fn by_message(ctx: &mut Ctx, project: &Project, task: &Task, agent: &Agent) -> Result<()> {
    ctx.new_group()?;
    let brief = briefs::for_message(ctx, project, task, agent)?;
    let text = messages::compose(ctx, brief.as_bytes())?;
    let (holder, sender) = (holder(ctx, agent), ctx.actor().word());
    let new = New {
        uid: None,
        mode: Mode::TurnEnd,
        sender: &sender,
        task_uid: Some(&task.uid),
        text: &text,
        via: None,
    };
    let message = ctx.step("task.claim", |tx| {
        claim(tx, task, agent, &holder)?;
        messages::put(tx, agent, &new)
    })?;
    if ctx.is_dry_run() {
        ctx.act(format!("send {} its brief", agent.name), || Ok(()))?;
        return Ok(());
    }
    let until = ctx.now().saturating_add(PATIENCE).ok();
    let sent = messages::send_to(ctx, agent, message.pk, until, Stopped::Refuse);
    let why = match &sent {
        Ok(delivery) => match reached(delivery) {
            Reached::Agent => return Ok(()),
            Reached::Unknown(why) => {
                ctx.warn(format!("{} may not have its brief for {}: {why}", agent.name, task.id));
                return Ok(());
            }
            Reached::Nobody(why) => why,
        },
        Err(_) => String::new(),
    };
    give_back(ctx, task, agent, Some(&message))?;
    sent?;
    let (task, agent) = (task.id.clone(), agent.name.clone());
    Err(DispatchError::NotTold { task, agent, why }.into())
}

/// Who has a brief after its delivery ended.
enum Reached {
    Agent,
    Unknown(String),
    Nobody(String),
}

fn reached(delivery: &Delivery) -> Reached {
    let why = || {
        let word = delivery.obstacle.map_or_else(String::new, |it| it.as_str().to_owned());
        if delivery.detail.is_empty() { word } else { format!("{word}: {}", delivery.detail) }
    };
    match (delivery.message.level, delivery.obstacle) {
        (Level::Typed | Level::Submitted | Level::Received, None) => Reached::Agent,
        (Level::Typed | Level::Submitted | Level::Received | Level::Uncertain, _) => {
            Reached::Unknown(why())
        }
        (Level::Queued | Level::Refused | Level::Withdrawn, _) => Reached::Nobody(why()),
    }
}

fn holder(ctx: &Ctx, agent: &Agent) -> String {
    format!("{}@{}", agent.name, ctx.machine())
}

fn claim(tx: &WriteTx<'_>, task: &Task, agent: &Agent, holder: &str) -> Result<()> {
    let now = tasks::by_pk(tx, task.pk)?;
    let is_ready = now.is_some_and(|it| it.is_ready() && it.claimed_by.is_none());
    if is_ready && tasks::claim(tx, task.pk, holder, Some(&agent.uid))? {
        return Ok(());
    }
    Err(DispatchError::Taken { task: task.id.clone() }.into())
}

/// Releases a claim of ours that led to nothing, with the message that was to tell of it.
fn give_back(ctx: &mut Ctx, task: &Task, agent: &Agent, message: Option<&Message>) -> Result<()> {
    ctx.new_group()?;
    ctx.step("task.release", |tx| {
        let now = tasks::by_pk(tx, task.pk)?;
        if now.is_some_and(|it| {
            it.state == State::Active && it.claimed_uid == Some(agent.uid.clone())
        }) {
            tasks::release(tx, task.pk, State::Todo)?;
        }
        message.map_or(Ok(()), |it| messages::take_back(tx, it.pk))
    })
}

/// Types the one fixed line into the agent's own shell; it holds nothing that anybody wrote.
pub(super) fn type_work(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    let Some(binding) = agent.binding.clone() else { return Ok(()) };
    let program = agents::own_program()?;
    let line = format!("{} me work", words::quote(&program.to_string_lossy()));
    let pane = PaneId::parse(&binding.pane_id).map_err(mux::MuxError::from)?;
    let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket))?;
    let what = format!("tell {} to work", agent.name);
    // A text that somebody types there now must not be cut in two by the line.
    let _lock = messages::hold_pane(ctx, agent)?;
    check_idle(ctx, agent)?;
    ctx.act(what, || Ok(mux.type_line(&pane, &line)?)).map(|_| ())
}

/// Since the last look a landing may have taken minutes: the pane must still be the agent's, and its
/// shell in front.
fn check_idle(ctx: &Ctx, agent: &Agent) -> Result<()> {
    let seen = agents::observe(ctx, vec![agent.clone()]).into_iter().next();
    if seen.is_some_and(|it| it.decided.state == Presence::Idle) {
        return Ok(());
    }
    Err(DispatchError::NotIdle { agent: agent.name.clone() }.into())
}
