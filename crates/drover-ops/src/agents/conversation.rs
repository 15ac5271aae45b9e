//! The conversations of agents that name them themselves, as pi does after `/new`: recorded when they are seen.

use drover_host::proc::Snapshot;
use drover_store::agents::{self, Agent, ChosenBy};

use super::look::identity;
use super::observe::Observed;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::reporters::Conversation;

/// Records the conversations that agents were seen in; a failure is said and stops nothing.
pub(crate) fn follow(ctx: &mut Ctx, seen: &[Observed]) {
    for observed in seen {
        let Some(conversation) = &observed.conversation else { continue };
        if let Err(err) = follow_one(ctx, &observed.agent, conversation) {
            ctx.warn(format!("the conversation of {} is not recorded: {err}", observed.agent.name));
        }
    }
}

fn follow_one(ctx: &mut Ctx, agent: &Agent, conversation: &Conversation) -> Result<()> {
    if ctx.is_dry_run() || is_recorded(ctx, agent, conversation)? || !is_own(agent, conversation) {
        return Ok(());
    }
    let (id, file) = (conversation.id.as_str(), conversation.file.as_deref());
    ctx.step("agent.conversation", |tx| {
        // A launch that began meanwhile has chosen another; the old program has no say any more.
        let is_same = agents::by_pk(tx, agent.pk)?.is_some_and(|it| it.nonce == agent.nonce);
        if is_same {
            agents::set_conversation(tx, agent.pk, id, file, ChosenBy::Engine)?;
        }
        Ok(())
    })
}

fn is_recorded(ctx: &Ctx, agent: &Agent, conversation: &Conversation) -> Result<bool> {
    if agent.conversation_id.as_deref() != Some(&conversation.id) {
        return Ok(false);
    }
    let known = agents::conversations(&ctx.read(), agent.pk)?;
    let recorded = known.into_iter().find(|it| it.id == conversation.id);
    Ok(recorded.is_some_and(|it| conversation.file.is_none() || it.file == conversation.file))
}

/// Whether the process that spoke is the agent's program, or one below it.
fn is_own(agent: &Agent, conversation: &Conversation) -> bool {
    let Some(binding) = &agent.binding else { return false };
    let pane = identity(&binding.pane);
    pane.pid == conversation.process
        || Snapshot::take()
            .descendants(&pane)
            .iter()
            .any(|it| it.identity.pid == conversation.process)
}
