//! The outbox: messages go in before anything is typed, and can be listed, edited and withdrawn until then.

use std::time::Duration;

use drover_core::message::{Level, Mode};
use drover_store::agents::Agent;
use drover_store::messages::{self, Message, NewMessage};
use drover_store::projects::Project;
use drover_store::{ReadTx, WriteTx, time_text};

use super::compose::{Composed, compose};
use crate::ctx::Ctx;
use crate::error::{MessageError, OpError, Result};
use crate::resolve;
use crate::roles::{Caller, Within};

/// How long the exact text of a message is kept after it arrived or was withdrawn.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// A message to be put into the outbox.
#[derive(Debug, Clone, Copy)]
pub struct New<'a> {
    /// Its identity, where a repeated call must find it again.
    pub uid: Option<&'a str>,
    /// When it is to be delivered.
    pub mode: Mode,
    /// Who sends it.
    pub sender: &'a str,
    /// The task it is about.
    pub task_uid: Option<&'a str>,
    /// The text.
    pub text: &'a Composed,
    /// `mux` where it is to be typed even next to an exact channel.
    pub via: Option<&'a str>,
}

/// Puts a message into the outbox; together with a claim, in one transaction, where there is one.
pub fn put(tx: &WriteTx<'_>, agent: &Agent, new: &New<'_>) -> Result<Message> {
    messages::erase(tx, &tx.at_text())?;
    let pk = messages::insert(
        tx,
        &NewMessage {
            uid: new.uid,
            agent_pk: agent.pk,
            mode: new.mode,
            sender: new.sender,
            task_uid: new.task_uid,
            text: new.text.text.as_str(),
            digest: &new.text.text.digest(),
            removed_bytes: new.text.removed_bytes,
            via: new.via,
        },
    )?;
    messages::by_pk(tx, pk)?.ok_or_else(|| gone(pk))
}

/// When the text of a message that leaves now is erased.
pub(super) fn erase_after(tx: &WriteTx<'_>) -> String {
    time_text(tx.at().saturating_add(KEPT).unwrap_or(jiff::Timestamp::MAX))
}

/// A row that was there a moment ago.
pub(super) fn gone(pk: i64) -> OpError {
    let missing = drover_store::StoreError::BadValue {
        table: "messages",
        column: "pk",
        value: pk.to_string(),
    };
    OpError::Store(missing)
}

/// Whose messages to list.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    /// The agent.
    pub agent: String,
    /// Those that left or were stopped, too.
    pub all: bool,
}

/// A message of a list, with the text as long as it is kept.
#[derive(Debug, Clone)]
pub struct Queued {
    /// The message.
    pub message: Message,
    /// Its text.
    pub text: Option<String>,
}

/// Lists an agent's messages, oldest first.
pub fn queue(ctx: &Ctx, request: &Queue) -> Result<(Project, Agent, Vec<Queued>)> {
    let (project, agent) = resolve::agent(ctx, &request.agent)?;
    let tx = ctx.read();
    let mut queued = Vec::new();
    for message in messages::of_agent(&tx, agent.pk)? {
        if request.all || message.level.is_pending() {
            let text = messages::body(&tx, message.pk)?;
            queued.push(Queued { message, text });
        }
    }
    Ok((project, agent, queued))
}

/// A message and its new text.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// The agent.
    pub agent: String,
    /// The message's number.
    pub number: i64,
    /// The new text, as bytes of anywhere.
    pub text: Vec<u8>,
}

/// A message to be taken back.
#[derive(Debug, Clone, Default)]
pub struct Withdraw {
    /// The agent.
    pub agent: String,
    /// The message's number.
    pub number: i64,
}

/// A message that was changed.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Where.
    pub project: Project,
    /// Whose.
    pub agent: Agent,
    /// The message, as it is now.
    pub message: Message,
}

/// Takes a message back if it still waits, in a transaction of the caller's.
pub fn take_back(tx: &WriteTx<'_>, pk: i64) -> Result<()> {
    messages::withdraw(tx, pk, &erase_after(tx))?;
    Ok(())
}

/// Replaces the text of a message that waits.
pub fn edit(ctx: &mut Ctx, request: &Edit) -> Result<Changed> {
    let text = compose(ctx, &request.text)?;
    change(ctx, &request.agent, request.number, "message.edit", |tx, message| {
        let digest = text.text.digest();
        Ok(messages::edit(tx, message.pk, text.text.as_str(), &digest, text.removed_bytes)?)
    })
}

/// Takes a message back that waits.
pub fn withdraw(ctx: &mut Ctx, request: &Withdraw) -> Result<Changed> {
    change(ctx, &request.agent, request.number, "message.withdraw", |tx, message| {
        Ok(messages::withdraw(tx, message.pk, &erase_after(tx))?)
    })
}

fn change(
    ctx: &mut Ctx,
    agent: &str,
    number: i64,
    intent: &str,
    change: impl FnOnce(&WriteTx<'_>, &Message) -> Result<bool>,
) -> Result<Changed> {
    let (project, agent) = resolve::agent(ctx, agent)?;
    let caller = Caller::of(ctx);
    let message = ctx.write(intent, |tx| {
        let message = numbered(tx, &project, &agent, number)?;
        if let Some(caller) = &caller {
            // An agent of this name may have been there before.
            let is_own = message.sender == caller.agent.name
                && message.created_at >= caller.agent.created_at;
            let what = format!("{number} is from {}", message.sender);
            caller.keep(tx, (Within::OwnMessages, is_own), &what)?;
        }
        if change(tx, &message)? {
            return numbered(tx, &project, &agent, number);
        }
        let level = if message.lease.is_some() { Level::Typed } else { message.level };
        let (agent, project) = (agent.name.clone(), project.name.clone());
        Err(MessageError::Left { agent, project, number, level }.into())
    })?;
    Ok(Changed { project, agent, message })
}

fn numbered(tx: &ReadTx<'_>, project: &Project, agent: &Agent, number: i64) -> Result<Message> {
    let unknown = || MessageError::Unknown {
        agent: agent.name.clone(),
        project: project.name.clone(),
        number,
    };
    Ok(messages::by_number(tx, agent.pk, number)?.ok_or_else(unknown)?)
}
