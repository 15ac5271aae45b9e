//! `agent send`: a message goes into the outbox, and from there as far as its channel can prove.

use drover_core::duration::Limit;
use drover_core::message::{Level, Mode};
use drover_store::agents::Agent;
use drover_store::messages::{self, Message};
use drover_store::projects::Project;

use super::channel::Channel;
use super::compose::compose;
use super::deliver::{self, Delivery, Stopped};
use super::outbox::{self, New};
use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::digest::uuid_of;
use crate::engines::Kind;
use crate::error::{ActorError, MessageError, Result};
use crate::resolve;
use crate::roles::{self, Caller, Within};
use crate::workspaces::{self, OnStale, Staleness};

/// What to send, to whom, and when.
#[derive(Debug, Clone)]
pub struct Send {
    /// The agent.
    pub agent: String,
    /// The text, as bytes of anywhere.
    pub text: Vec<u8>,
    /// When it is to be delivered.
    pub mode: Mode,
    /// How long to wait for the end of the turn.
    pub timeout: Limit,
    /// Leave to have a shell run the text.
    pub run: bool,
    /// Type it, even next to an exact channel.
    pub via_mux: bool,
    /// The task it is about.
    pub task: Option<String>,
    /// What is done about a stale workspace of the agent.
    pub on_stale: OnStale,
}

/// A message that was sent, or that waits because it was asked to.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Where.
    pub project: Project,
    /// To whom.
    pub agent: Agent,
    /// How far it got.
    pub delivery: Delivery,
    /// How far the agent's workspace is behind.
    pub staleness: Option<Staleness>,
}

/// Sends a message, or says exactly how far it got and why no further.
pub fn send(ctx: &mut Ctx, request: &Send) -> Result<Sent> {
    let (project, agent) = resolve::agent(ctx, &request.agent)?;
    if let Some(caller) = Caller::of(ctx) {
        let what = format!("{} is no such agent", agent.name);
        caller.keep(&ctx.read(), (Within::Leaders, roles::leads(&agent)), &what)?;
        let is_patient = matches!(request.mode, Mode::TurnEnd | Mode::WhenIdle);
        let what = format!("a running turn of {} is not its own", agent.name);
        caller.keep(&ctx.read(), (Within::TurnsEnd, is_patient), &what)?;
    }
    let via = request.via_mux.then_some("mux");
    let channel = Channel::of(ctx, &agent, via)?;
    check(ctx, request, &agent, &channel)?;
    let staleness = workspaces::weigh(ctx, &project, &agent, request.on_stale)?;
    let message = begin(ctx, request, &agent)?;
    if ctx.is_dry_run() {
        let bytes = message.bytes;
        ctx.act(format!("type {bytes} bytes into the pane of {}", agent.name), || Ok(()))?;
        let delivery = deliver::queued(message);
        return Ok(Sent { project, agent, delivery, staleness });
    }
    let (until, stopped) = match request.mode {
        Mode::WhenIdle => (Some(ctx.now()), Stopped::Keep),
        _ => (request.timeout.deadline(ctx.now()), Stopped::Refuse),
    };
    let delivery = deliver::send_to(ctx, &agent, message.pk, until, stopped)?;
    let is_queued = delivery.message.level.is_pending() && request.mode == Mode::WhenIdle;
    if let Some(obstacle) = delivery.obstacle.filter(|_| !is_queued) {
        return Err(MessageError::Stopped {
            agent: agent.name,
            project: project.name,
            message: Box::new(delivery.message),
            obstacle,
            detail: delivery.detail,
            left_copy_mode: delivery.left_copy_mode,
        }
        .into());
    }
    if delivery.message.level == Level::Typed {
        ctx.warn(format!(
            "{} was typed into {}; nothing on its screen can be read, so more cannot be known",
            delivery.message.number, agent.name
        ));
    }
    Ok(Sent { project, agent, delivery, staleness })
}

/// Refuses what cannot be sent at all, before anything is written.
fn check(ctx: &Ctx, request: &Send, agent: &Agent, channel: &Channel) -> Result<()> {
    let (name, engine) = (agent.name.clone(), agent.profile.engine.clone());
    match (channel, request.run) {
        (Channel::Shell, false) => return Err(MessageError::ShellRuns { agent: name }.into()),
        (Channel::Shell, true) => {
            if let Actor::Agent(sender) = ctx.actor() {
                let (verb, agent) = ("agent send --run".to_owned(), sender.name.clone());
                return Err(ActorError::PeopleOnly { verb, agent }.into());
            }
        }
        (_, true) => return Err(MessageError::NoShell { agent: name, engine }.into()),
        (_, false) => {}
    }
    let has_socket = Kind::of(&engine).is_some_and(Kind::has_socket);
    if has_socket && !matches!(channel, Channel::Exact(_)) && !request.via_mux {
        return Err(MessageError::ChannelMissing { agent: name, engine }.into());
    }
    if let Channel::Exact(driver) = channel
        && let Actor::Person { .. } = ctx.actor()
        && let Some(why) =
            driver.refuses_text(request.mode, &String::from_utf8_lossy(&request.text))
    {
        return Err(MessageError::TextRefused { agent: name, why }.into());
    }
    let Some(why) = channel.refuses(&engine, request.mode) else { return Ok(()) };
    Err(MessageError::ModeUnprovable { agent: name, mode: request.mode, why }.into())
}

/// The message in the outbox: new, or the one that a cut-off call under the same key had put there.
fn begin(ctx: &mut Ctx, request: &Send, agent: &Agent) -> Result<Message> {
    let uid = keyed_uid(ctx, agent)?;
    if let Some(uid) = &uid
        && let Some(message) = messages::by_uid(&ctx.read(), uid)?
    {
        return Ok(message);
    }
    let text = compose(ctx, &request.text)?;
    let task = request.task.as_deref().map(|it| resolve::task(ctx, it)).transpose()?;
    let sender = ctx.actor().word();
    let new = New {
        uid: uid.as_deref(),
        mode: request.mode,
        sender: &sender,
        task_uid: task.as_ref().map(|it| it.1.uid.as_str()),
        text: &text,
        via: request.via_mux.then_some("mux"),
    };
    ctx.step("message.send", |tx| outbox::put(tx, agent, &new))
}

/// The identity of the message of a keyed call, the same whenever it is repeated.
fn keyed_uid(ctx: &Ctx, agent: &Agent) -> Result<Option<String>> {
    if ctx.key().is_none() {
        return Ok(None);
    }
    let token = ctx.token_for(&format!("message/{}", agent.uid))?;
    Ok(Some(uuid_of(&token)))
}
