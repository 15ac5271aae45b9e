//! Delivery under the pane's lock: the oldest first, one at a time, each typed once or never.

use std::time::Duration;

use drover_core::agent::Presence;
use drover_core::message::{Level, Mode, Obstacle};
use drover_host::lock::{Lock, LockError, Locks};
use drover_host::state_dir::Folder;
use drover_store::agents::Agent;
use drover_store::messages::{self, Message, Receipt};
use jiff::Timestamp;

use super::channel::Channel;
use super::handed::Handed;
use super::outbox::{erase_after, gone};
use super::ready::{self, Open, Ready};
use super::typing::Hand;
use crate::agents::{Look, Observed, follow_conversations, observe, observe_by};
use crate::ctx::Ctx;
use crate::engines::Kind;
use crate::error::{OpError, Result};
use crate::waiting::{Event, Waiter};

/// A lock without a deadline is waited for so long.
const LONG: Duration = Duration::from_hours(24 * 365);

/// The pause between two looks at an agent that is at work, if nothing wakes the wait.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// How long a line of Drover's own waits for a text that is being typed.
const PATIENCE: Duration = Duration::from_secs(30);

/// How far a message got in one attempt to deliver it.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The message as it is now.
    pub message: Message,
    /// What stopped it; none if it got as far as its channel can prove.
    pub obstacle: Option<Obstacle>,
    /// What was seen, in words.
    pub detail: String,
    /// Whether the pane was taken out of copy mode for it.
    pub left_copy_mode: bool,
}

/// What becomes of a message that a dialog, a draft or a dead program stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It is refused, and its sender told.
    Refuse,
    /// It stays in the outbox.
    Keep,
}

/// What one attempt at the oldest message came to.
enum Attempt {
    /// It left, or it never can.
    Settled(Box<Delivery>),
    /// It was edited or withdrawn meanwhile.
    Changed,
    /// Not by the deadline.
    NotYet(String),
    /// Not as the agent is.
    Stopped(Obstacle, String),
    /// The person asked to stop.
    Interrupted,
}

/// Delivers an agent's messages up to and with this one, waiting until `until` for the agent to be idle.
///
/// A message still queued at the deadline stays in the outbox; later calls deliver it.
pub fn send_to(
    ctx: &mut Ctx,
    agent: &Agent,
    pk: i64,
    until: Option<Timestamp>,
    stopped: Stopped,
) -> Result<Delivery> {
    let mut waiter = Waiter::start(ctx)?;
    loop {
        if let Some(over) = wait_beside(ctx, &mut waiter, agent, (pk, until))? {
            return Ok(over);
        }
        let Some(_lock) = lock(ctx, agent, until)? else {
            let message = reload(ctx, pk)?;
            return Ok(still_queued(message, "another call is typing into its pane"));
        };
        settle_cut_off(ctx, agent)?;
        if let Some(delivery) = deliver_up_to(ctx, &mut waiter, agent, (pk, until), stopped)? {
            return Ok(delivery);
        }
    }
}

/// Waits for an agent with a channel of its own until this message may be handed over, without the lock of its
/// pane: who waits for the end of a turn must not keep others from joining or stopping it.
///
/// Some when that is not needed any more, or was not the case by the deadline.
fn wait_beside(
    ctx: &mut Ctx,
    waiter: &mut Waiter,
    agent: &Agent,
    (pk, until): (i64, Option<Timestamp>),
) -> Result<Option<Delivery>> {
    loop {
        let message = reload(ctx, pk)?;
        if !message.level.is_pending() {
            return Ok(Some(settled_before(message)));
        }
        let channel = Channel::of(ctx, agent, message.via.as_deref())?;
        if !matches!(channel, Channel::Exact(_)) {
            return Ok(None);
        }
        let now = ctx.now();
        match ready::wait(ctx, waiter, agent, (&channel, message.mode), Some(now))? {
            Ready::Open(_) | Ready::Stopped(..) => return Ok(None),
            Ready::NotYet(why) if until.is_some_and(|it| now >= it) => {
                return Ok(Some(still_queued(message, &why)));
            }
            Ready::NotYet(_) => {
                if waiter.wait_at_most(ctx, until, LOOK_AGAIN)? == Event::Interrupted {
                    return Err(interrupted(&message));
                }
            }
            Ready::Interrupted => return Err(interrupted(&message)),
        }
    }
}

/// Delivers the oldest messages up to this one under the lock; none if an agent with a channel of its own has
/// begun another turn, which is not waited for under it.
fn deliver_up_to(
    ctx: &mut Ctx,
    waiter: &mut Waiter,
    agent: &Agent,
    (pk, until): (i64, Option<Timestamp>),
    stopped: Stopped,
) -> Result<Option<Delivery>> {
    loop {
        let message = reload(ctx, pk)?;
        if !message.level.is_pending() {
            return Ok(Some(settled_before(message)));
        }
        let oldest = match message.mode {
            // What waits for the end of the turn must not hold up what is for the turn itself.
            Mode::Interrupt | Mode::Steer | Mode::Fresh => None,
            Mode::TurnEnd | Mode::WhenIdle => {
                // What is to be typed and what goes over a channel do not stand in each other's way.
                let queued = messages::queued(&ctx.read(), agent.pk)?;
                queued.into_iter().find(|it| it.via == message.via)
            }
        };
        let oldest = oldest.unwrap_or_else(|| message.clone());
        let is_own = oldest.pk == pk;
        let is_exact = matches!(Channel::of(ctx, agent, oldest.via.as_deref())?, Channel::Exact(_));
        let patience = if is_exact { Some(ctx.now()) } else { until };
        match attempt(ctx, waiter, agent, (oldest, patience))? {
            Attempt::Settled(delivery) if is_own => return Ok(Some(*delivery)),
            Attempt::Changed if waiter.is_interrupted() => return Err(interrupted(&message)),
            Attempt::Changed if until.is_some_and(|it| ctx.now() >= it) => {
                let now = reload(ctx, pk)?;
                return Ok(Some(still_queued(now, "somebody else was faster")));
            }
            Attempt::Settled(_) | Attempt::Changed => {}
            Attempt::NotYet(_) if is_exact && until.is_none_or(|it| ctx.now() < it) => {
                return Ok(None);
            }
            Attempt::NotYet(why) => return Ok(Some(still_queued(message, &why))),
            Attempt::Stopped(obstacle, detail) if stopped == Stopped::Keep => {
                let stopped = Delivery { obstacle: Some(obstacle), detail, ..queued(message) };
                return Ok(Some(stopped));
            }
            Attempt::Stopped(obstacle, detail) => {
                let refused = Handed::stuck(Level::Refused, obstacle, detail);
                return settle(ctx, &message, refused, false).map(Some);
            }
            Attempt::Interrupted => return Err(interrupted(&message)),
        }
    }
}

fn interrupted(message: &Message) -> OpError {
    OpError::Interrupted(format!("the message {} is still queued", message.number))
}

/// Delivers the oldest waiting message of an agent if the agent is idle now; says how far it got.
///
/// For every call that sees an agent idle. One whose pane another call types into is left alone.
pub fn deliver_due(ctx: &mut Ctx, agent: &Agent) -> Result<Option<Delivery>> {
    let now = ctx.now();
    deliver_due_until(ctx, agent, now)
}

/// The same with patience: an agent that has just said that it is idle may still be drawing its composer.
pub(super) fn deliver_due_until(
    ctx: &mut Ctx,
    agent: &Agent,
    until: Timestamp,
) -> Result<Option<Delivery>> {
    let has_none = {
        let tx = ctx.read();
        messages::queued(&tx, agent.pk)?.is_empty() && messages::leased(&tx, agent.pk)?.is_empty()
    };
    if has_none || ctx.is_dry_run() {
        return Ok(None);
    }
    let Some(_lock) = lock(ctx, agent, Some(until))? else { return Ok(None) };
    settle_cut_off(ctx, agent)?;
    let Some(oldest) = messages::queued(&ctx.read(), agent.pk)?.into_iter().next() else {
        return Ok(None);
    };
    let mut waiter = Waiter::start(ctx)?;
    match attempt(ctx, &mut waiter, agent, (oldest, Some(until)))? {
        Attempt::Settled(delivery) => Ok(Some(*delivery)),
        Attempt::Changed | Attempt::NotYet(_) | Attempt::Stopped(..) | Attempt::Interrupted => {
            Ok(None)
        }
    }
}

/// What agents are doing by the reaper's look, after those that are idle were given the oldest message
/// that is due to them.
///
/// The servers are asked again only if something was typed. A delivery that fails is said and takes
/// nothing away from what is seen.
pub fn observe_delivering(ctx: &mut Ctx, look: &Look, agents: Vec<Agent>) -> Vec<Observed> {
    let seen = observe_by(ctx, look, agents.clone());
    follow_conversations(ctx, &seen);
    let mut has_typed = false;
    for observed in seen.iter().filter(|it| it.decided.state == Presence::Idle) {
        match deliver_due(ctx, &observed.agent) {
            Ok(delivery) => has_typed |= delivery.is_some(),
            Err(err) => ctx.warn(format!("nothing was sent to {}: {err}", observed.agent.name)),
        }
    }
    if has_typed { observe(ctx, agents) } else { seen }
}

fn attempt(
    ctx: &mut Ctx,
    waiter: &mut Waiter,
    agent: &Agent,
    (message, until): (Message, Option<Timestamp>),
) -> Result<Attempt> {
    let channel = Channel::of(ctx, agent, message.via.as_deref())?;
    let has_socket = Kind::of(&agent.profile.engine).is_some_and(Kind::has_socket);
    if has_socket && message.via.is_none() && !matches!(channel, Channel::Exact(_)) {
        let why = "it is gone, and what is not meant to be typed is not typed".to_owned();
        return Ok(Attempt::Stopped(Obstacle::ChannelSilent, why));
    }
    let open = match ready::wait(ctx, waiter, agent, (&channel, message.mode), until)? {
        Ready::Open(open) => open,
        Ready::NotYet(why) => return Ok(Attempt::NotYet(why)),
        Ready::Stopped(obstacle, detail) => return Ok(Attempt::Stopped(obstacle, detail)),
        Ready::Interrupted => return Ok(Attempt::Interrupted),
    };
    // The row says that typing begins before anything is typed: an owner that is gone leaves
    // either a free message or one that is never typed again.
    let own = ctx.own_process()?;
    let lease = format!("{}/{}", own.pid, own.started);
    if !ctx.step("message.deliver", |tx| Ok(messages::lease(tx, message.pk, &lease)?))? {
        return Ok(Attempt::Changed);
    }
    let Some(text) = messages::body(&ctx.read(), message.pk)? else {
        return Err(gone(message.pk));
    };
    let (handed, left_copy_mode) = match &channel {
        Channel::Exact(driver) => (driver.hand(ctx, agent, &message, &text), false),
        Channel::Screen(_) | Channel::Shell | Channel::Blind => {
            type_into(ctx, waiter, &channel, &open, (&message.uid, &text))
        }
    };
    if handed.level == Level::Refused
        && let Some(obstacle) = handed.obstacle.filter(|it| leaves_it_queued(*it))
    {
        ctx.step("message.deliver", |tx| Ok(messages::let_go(tx, message.pk)?))?;
        return Ok(match obstacle {
            // Somebody else began a turn between the look and the text.
            Obstacle::StillQueued => Attempt::Changed,
            other => Attempt::Stopped(other, handed.detail),
        });
    }
    let delivery = settle(ctx, &message, handed.held_to(channel.best()), left_copy_mode)?;
    Ok(Attempt::Settled(Box::new(delivery)))
}

/// Whether a message that was not taken for this is as it was before, and may go later.
fn leaves_it_queued(obstacle: Obstacle) -> bool {
    match obstacle {
        Obstacle::AgentDead
        | Obstacle::ChannelSilent
        | Obstacle::DialogStands
        | Obstacle::StillQueued => true,
        Obstacle::CopyMode
        | Obstacle::CutOff
        | Obstacle::Declined
        | Obstacle::DraftStands
        | Obstacle::LineTooLong
        | Obstacle::NotTaken
        | Obstacle::PasteLost
        | Obstacle::TakenForCommand
        | Obstacle::Unproven
        | Obstacle::Unsubmitted => false,
    }
}

fn type_into(
    ctx: &Ctx,
    waiter: &mut Waiter,
    channel: &Channel,
    open: &Open,
    (uid, text): (&str, &str),
) -> (Handed, bool) {
    let rules = match channel {
        Channel::Screen(rules) => Some(rules.as_ref()),
        Channel::Exact(_) | Channel::Shell | Channel::Blind => None,
    };
    let mut hand = Hand { ctx, waiter, place: &open.place, tty: &open.tty, rules };
    if let Err(refused) = hand.check(text) {
        return (refused, false);
    }
    match hand.leave_copy_mode(open.in_mode) {
        Ok(()) => (hand.type_text(&format!("drover-{uid}"), text), open.in_mode),
        Err(refused) => (refused, false),
    }
}

/// Whether another call is typing into an agent's pane now; what a call that is gone left is settled.
pub fn is_being_typed(ctx: &mut Ctx, agent: &Agent) -> Result<bool> {
    if messages::leased(&ctx.read(), agent.pk)?.is_empty() {
        return Ok(false);
    }
    let Some(_lock) = locks(ctx)?.try_lock(&lock_name(agent))? else { return Ok(true) };
    settle_cut_off(ctx, agent)?;
    Ok(false)
}

/// Keeps all others from typing into an agent's pane as long as the lock is held.
pub fn hold_pane(ctx: &Ctx, agent: &Agent) -> Result<Lock> {
    Ok(locks(ctx)?.lock(&lock_name(agent), PATIENCE)?)
}

/// Messages that somebody began to type before this process took the lock: whoever it was is gone.
fn settle_cut_off(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    for message in messages::leased(&ctx.read(), agent.pk)? {
        let channel = Channel::of(ctx, agent, message.via.as_deref())?;
        let recalled = match &channel {
            Channel::Exact(driver) => driver.recall(ctx, agent, &message),
            Channel::Screen(_) | Channel::Shell | Channel::Blind => None,
        };
        let cut_off = || Handed::stuck(Level::Uncertain, Obstacle::CutOff, "");
        settle(ctx, &message, recalled.unwrap_or_else(cut_off), false)?;
    }
    Ok(())
}

fn settle(
    ctx: &mut Ctx,
    message: &Message,
    handed: Handed,
    left_copy_mode: bool,
) -> Result<Delivery> {
    let proof = handed
        .proof
        .map(|it| if left_copy_mode { format!("{it}; copy mode was left") } else { it });
    let reason = handed.obstacle.map(|it| it.as_str().to_owned());
    let (turn, turn_id) = (handed.turn, handed.turn_id);
    let receipt = Receipt { level: handed.level, proof, reason, turn, turn_id };
    ctx.step("message.settle", |tx| {
        Ok(messages::settle(tx, message.pk, &receipt, Some(&erase_after(tx)))?)
    })?;
    let message = reload(ctx, message.pk)?;
    Ok(Delivery { message, obstacle: handed.obstacle, detail: handed.detail, left_copy_mode })
}

/// What another call made of a message.
fn settled_before(message: Message) -> Delivery {
    let obstacle = message.reason.as_deref().and_then(|it| Obstacle::parse(it).ok());
    Delivery { obstacle, ..queued(message) }
}

fn still_queued(message: Message, why: &str) -> Delivery {
    if !message.level.is_pending() {
        return settled_before(message);
    }
    let obstacle = Some(Obstacle::StillQueued);
    Delivery { obstacle, detail: why.to_owned(), ..queued(message) }
}

pub(super) fn queued(message: Message) -> Delivery {
    Delivery { message, obstacle: None, detail: String::new(), left_copy_mode: false }
}

fn reload(ctx: &Ctx, pk: i64) -> Result<Message> {
    messages::by_pk(&ctx.read(), pk)?.ok_or_else(|| gone(pk))
}

/// The lock of an agent's pane; none if it is still held at the deadline.
fn lock(ctx: &Ctx, agent: &Agent, until: Option<Timestamp>) -> Result<Option<Lock>> {
    let left = until.map_or(LONG, |it| {
        Duration::try_from(it.duration_since(ctx.now())).unwrap_or(Duration::ZERO)
    });
    match locks(ctx)?.lock(&lock_name(agent), left) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Busy { .. }) => Ok(None),
        Err(err) => Err(err.into()),
    }
}

fn locks(ctx: &Ctx) -> Result<Locks> {
    Ok(Locks::new(ctx.state().folder(Folder::Locks)?))
}

fn lock_name(agent: &Agent) -> String {
    format!("pane-{}", agent.uid)
}
