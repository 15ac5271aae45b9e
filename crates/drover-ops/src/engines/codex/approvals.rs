//! What a Codex asks leave for, read and answered on its own app-server in place of its screen.

use std::time::Duration;

use drover_host::control::codex::{Approval, Client, CodexError, Flag, Status, Thread};
use drover_store::agents::Agent;
use drover_store::reports;

use super::{Shown, shown, socket};
use crate::ctx::Ctx;

/// How long reading what is asked may take.
const LIMIT: Duration = Duration::from_secs(2);
/// How often it is looked whether an answer was taken.
const LOOKS: u32 = 100;

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    /// It was taken, and the turn waits for it no longer.
    Taken,
    /// What it was for does not stand any more.
    Gone,
    /// It was given, and the turn was not seen to go on.
    Unseen,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// This once.
    Accept,
    /// No, and the turn stops.
    Cancel,
}

impl Decision {
    fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Cancel => "cancel",
        }
    }
}

/// What an agent's turn waits for leave for, if it does.
///
/// Its `item` names it: the same on every connection, and another for each thing that is asked.
pub(crate) fn standing(ctx: &Ctx, agent: &Agent) -> Result<Option<Approval>, CodexError> {
    Ok(ask(ctx, agent)?.map(|(_, approval)| approval))
}

/// Answers what an agent's turn waits for, if it is still this.
pub(crate) fn answer(
    ctx: &Ctx,
    agent: &Agent,
    item: &str,
    decision: Decision,
) -> Result<Answered, CodexError> {
    let Some((mut client, approval)) = ask(ctx, agent)? else { return Ok(Answered::Gone) };
    if approval.item != item {
        return Ok(Answered::Gone);
    }
    client.allow(LIMIT);
    client.decide(&approval, decision.as_str())?;
    for _ in 0..LOOKS {
        match client.thread(&approval.thread)? {
            Some(thread) if waits_for_leave(&thread) => client.pause(),
            Some(_) | None => return Ok(Answered::Taken),
        }
    }
    Ok(Answered::Unseen)
}

fn ask(ctx: &Ctx, agent: &Agent) -> Result<Option<(Client, Approval)>, CodexError> {
    let report = reports::of_agent(&ctx.read(), agent.pk).ok().flatten();
    let last_seen = report.and_then(|it| it.conversation_id);
    let last_seen = last_seen.as_deref().or(agent.conversation_id.as_deref());
    let mut client = Client::connect(&socket(ctx.state_path(), &agent.uid), LIMIT)?;
    let threads = client.threads()?;
    let Shown::Conversation(thread) = shown(&threads, last_seen) else { return Ok(None) };
    if !waits_for_leave(thread) {
        return Ok(None);
    }
    let approval = client.approval(&thread.id)?;
    Ok(approval.map(|it| (client, it)))
}

fn waits_for_leave(thread: &Thread) -> bool {
    match &thread.status {
        Status::Active { active_flags } => active_flags.contains(&Flag::WaitingOnApproval),
        Status::Idle | Status::SystemError | Status::NotLoaded | Status::Unknown => false,
    }
}
