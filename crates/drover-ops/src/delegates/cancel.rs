//! Taking a delegate back: its turn stopped, its pane closed, an answer that landed meanwhile kept.

use std::time::Duration;

use drover_core::duration::Limit;
use drover_store::delegates::{self, Delegate};
use drover_store::{agents as agent_rows, messages as message_rows};

use super::finish::{self, Outcome};
use super::list::row;
use super::start;
use super::types::{Delegated, is_over};
use crate::agents;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::messages::{self, Abort};
use crate::waiting::Waiter;
use crate::waits::WORDS_FOLLOW;

/// How long its turn may take to stop.
const STOP: Duration = Duration::from_secs(10);

/// Cancels a delegate; one that has ended stays as it ended.
pub fn cancel(ctx: &mut Ctx, name: &str) -> Result<Delegated> {
    let delegate = row(ctx, name)?;
    if is_over(&delegate.state) {
        return Delegated::of(ctx, delegate);
    }
    if ctx.is_dry_run() {
        ctx.act(format!("cancel the delegate {}", delegate.name), || Ok(()))?;
        return Delegated::of(ctx, delegate);
    }
    if let Some(outcome) = answer(ctx, &delegate)? {
        finish::finish(ctx, &delegate, &outcome)?;
    } else {
        let cancelled = Outcome { state: "cancelled", answer: None, turn: None, reason: None };
        // Told first, so that nobody takes the end of the turn that is stopped now for its answer.
        if finish::end(ctx, &delegate, &cancelled)? {
            stop(ctx, &delegate)?;
            finish::put_away(ctx, &delegate)?;
        }
    }
    start::advance(ctx)?;
    let delegate = delegates::by_pk(&ctx.read(), delegate.pk)?.unwrap_or(delegate);
    Delegated::of(ctx, delegate)
}

/// What it has answered already, if it has.
fn answer(ctx: &Ctx, delegate: &Delegate) -> Result<Option<Outcome>> {
    let (Some(agent_uid), Some(message_uid)) = (&delegate.agent_uid, &delegate.message_uid) else {
        return Ok(None);
    };
    let tx = ctx.read();
    let taken = message_rows::by_uid(&tx, message_uid)?.and_then(|it| it.turn);
    let (Some(taken), Some(agent)) = (taken, agent_rows::by_uid(&tx, agent_uid)?) else {
        return Ok(None);
    };
    let mut waiter = Waiter::start(ctx)?;
    let until = ctx.after(WORDS_FOLLOW);
    let turn = loop {
        let turn = agents::observe_one(ctx, agent.clone()).turn;
        let turn = turn.filter(|it| it.number >= taken && it.last_error.is_none());
        let is_wordless = turn.as_ref().is_some_and(|it| it.last_text.is_none());
        if !is_wordless || ctx.now() >= until {
            break turn;
        }
        waiter.pause(ctx, WORDS_FOLLOW / 5)?;
    };
    Ok(turn.map(|turn| Outcome {
        state: if turn.last_text.is_some() { "done" } else { "empty" },
        answer: turn.last_text,
        turn: Some(turn.number),
        reason: None,
    }))
}

/// Withdraws its task if it has not arrived, else stops its turn; what cannot be stopped ends with its pane.
fn stop(ctx: &mut Ctx, delegate: &Delegate) -> Result<()> {
    let (Some(agent_uid), Some(message_uid)) = (&delegate.agent_uid, &delegate.message_uid) else {
        return Ok(());
    };
    if let Some(message) = message_rows::by_uid(&ctx.read(), message_uid)?
        && message.level.is_pending()
    {
        return ctx.step("message.withdraw", |tx| messages::take_back(tx, message.pk));
    }
    let Some(agent) = agent_rows::by_uid(&ctx.read(), agent_uid)? else { return Ok(()) };
    let project = drover_store::projects::by_pk(&ctx.read(), agent.project_pk)?;
    let name = format!("{}/{}", project.map(|it| it.name).unwrap_or_default(), agent.name);
    let abort = Abort { name, timeout: Limit::For(STOP) };
    let stopped = ctx.meaning_none(|ctx| messages::abort(ctx, &abort));
    if stopped.is_ok_and(|it| it.was_busy) {
        return Ok(());
    }
    if let Some(outcome) = answer(ctx, delegate)? {
        finish::landed(ctx, delegate, &outcome)?;
    }
    Ok(())
}
