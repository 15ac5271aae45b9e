//! The end of a delegate: its answer kept and noted, its pane closed when it is done.

use drover_core::text::Text;
use drover_store::delegates::{self, Delegate, End};
use drover_store::projects;
use drover_store::{WriteTx, notes, tasks};
use jiff::Timestamp;

use super::record::{self, Ended};
use super::start;
use super::types::erase_after;
use crate::agents::{self, Observed, Range};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::waits::{AgentState, Answer};
use crate::words;

/// What is kept of the screen of one that gave no answer.
const SCREEN: u32 = 50;

/// How a delegate ended.
pub(super) struct Outcome {
    pub(super) state: &'static str,
    pub(super) answer: Option<String>,
    pub(super) turn: Option<i64>,
    pub(super) reason: Option<String>,
}

impl Outcome {
    /// What came of the wait for an answer.
    pub(super) fn of(ctx: &Ctx, answer: &Answer) -> Self {
        let turn = answer.observed.turn.as_ref();
        let state = match answer.state {
            AgentState::Done => "done",
            AgentState::Empty | AgentState::Idle => "empty",
            AgentState::Error => "error",
            AgentState::Died => "died",
            AgentState::NeedsPerson
            | AgentState::Pending
            | AgentState::TimedOut
            | AgentState::Unknown => "timeout",
        };
        let said = turn.and_then(|it| it.last_text.clone()).filter(|_| state == "done");
        let answer_text = said.or_else(|| screen(ctx, &answer.observed));
        let turn = turn.filter(|_| ["done", "empty", "error"].contains(&state)).map(|it| it.number);
        let reason = answer.reason.clone().map(|it| match state {
            "died" => format!("it ended, and no answer of it was seen: {it}"),
            "timeout" => format!("nobody waits for its answer any more; {it}"),
            _ => it,
        });
        Self { state, answer: answer_text, turn, reason }
    }
}

/// The end of a screen, for those who want to know why there is no answer.
fn screen(ctx: &Ctx, observed: &Observed) -> Option<String> {
    let screen = agents::screen(ctx, observed, Range::Last(SCREEN)).ok()?;
    Some(screen.trim_end().to_owned()).filter(|it| !it.is_empty())
}

/// Records the end, once, with the note where one was asked for; then closes the pane if it is done.
pub(super) fn finish(ctx: &mut Ctx, delegate: &Delegate, outcome: &Outcome) -> Result<()> {
    let is_done = ["done", "empty"].contains(&outcome.state);
    if end(ctx, delegate, outcome)? && is_done {
        put_away(ctx, delegate)?;
    }
    Ok(())
}

/// Records the end, with the note where one was asked for; `false` when it has ended before.
pub(super) fn end(ctx: &mut Ctx, delegate: &Delegate, outcome: &Outcome) -> Result<bool> {
    let reason = outcome.reason.as_deref().map(Text::new);
    let now = ctx.now();
    ctx.step("delegate.end", |tx| {
        let erase_after = erase_after(tx);
        let end = End {
            state: outcome.state,
            answer: outcome.answer.as_deref(),
            turn: outcome.turn,
            reason: reason.as_ref().map(Text::as_str),
            erase_after: &erase_after,
        };
        let is_first = delegates::end(tx, delegate.pk, &end)?;
        if is_first && outcome.state != "cancelled" {
            note(tx, delegate, outcome, now)?;
        }
        Ok(is_first)
    })
}

/// Records that a delegate which was cancelled had answered already.
pub(super) fn landed(ctx: &mut Ctx, delegate: &Delegate, outcome: &Outcome) -> Result<()> {
    let (now, turn) = (ctx.now(), outcome.turn.unwrap_or(0));
    ctx.step("delegate.end", |tx| {
        delegates::landed(tx, delegate.pk, outcome.answer.as_deref(), turn)?;
        note(tx, delegate, outcome, now)
    })
}

fn note(tx: &WriteTx<'_>, delegate: &Delegate, outcome: &Outcome, now: Timestamp) -> Result<()> {
    let started = delegate.started_at.as_deref().unwrap_or(&delegate.created_at);
    let Some(uid) = &delegate.record_uid else { return Ok(()) };
    let Some(task) = tasks::by_uid(tx, uid)? else { return Ok(()) };
    let text = record::note(&Ended {
        label: delegate.label.as_deref().unwrap_or(&delegate.name),
        name: &delegate.name,
        elapsed: &words::age(started, now),
        outcome: outcome.state,
        answer: outcome.answer.as_deref(),
    });
    notes::insert(tx, task.pk, &delegate.name, &Text::new(&text))?;
    Ok(())
}

/// Closes its pane, unless it is to be kept; one that cannot be closed, as over work that would be lost,
/// stays and says so.
pub(super) fn put_away(ctx: &mut Ctx, delegate: &Delegate) -> Result<()> {
    if delegate.keeps_pane || delegate.agent_uid.is_none() {
        return Ok(());
    }
    let Some(project) = projects::by_pk(&ctx.read(), delegate.project_pk)? else { return Ok(()) };
    let closed = start::close(ctx, &project, &delegate.name);
    let kept = closed.err().map(|err| Text::new(&format!("its pane stays: {err}")));
    ctx.step("delegate.close", |tx| {
        let (is_open, reason) = (kept.is_some(), kept.as_ref().map(Text::as_str));
        Ok(delegates::pane(tx, delegate.pk, is_open, reason)?)
    })
}
