//! The delegates there are, one of them, and waiting for it.

use drover_core::agent::Presence;
use drover_store::agents as agent_rows;
use drover_store::delegates::{self, Delegate};
use jiff::Timestamp;

use super::settle::settle;
use super::types::{Delegated, Waited, is_over};
use crate::agents;
use crate::ctx::Ctx;
use crate::error::{DelegateError, Result};
use crate::resolve;
use crate::waiting::{Event, Waiter};

/// How many that have ended are listed.
const NEWEST: i64 = 50;

/// Those that have not ended, and the newest of the others, the newest first.
pub fn list(ctx: &mut Ctx) -> Result<Vec<Delegated>> {
    settle(ctx)?;
    let (mut rows, newest) =
        (delegates::open(&ctx.read())?, delegates::newest(&ctx.read(), NEWEST)?);
    rows.retain(|it| newest.iter().all(|other| other.pk != it.pk));
    rows.reverse();
    newest.into_iter().chain(rows).map(|it| Delegated::of(ctx, it)).collect()
}

/// The delegate of a name, `<project>/<name>` too: one that has not ended before those that have.
pub fn find(ctx: &mut Ctx, name: &str) -> Result<Delegated> {
    settle(ctx)?;
    let delegate = row(ctx, name)?;
    Delegated::of(ctx, delegate)
}

pub(super) fn row(ctx: &Ctx, name: &str) -> Result<Delegate> {
    let tx = ctx.read();
    let (project, bare) = name.rsplit_once('/').map_or((None, name), |(it, bare)| (Some(it), bare));
    let mut rows = delegates::named(&tx, bare)?;
    if let Some(project) = project {
        let project = resolve::named(&tx, project)?;
        rows.retain(|it| it.project_pk == project.pk);
    }
    let at = rows.iter().position(|it| !is_over(&it.state)).unwrap_or(0);
    if at < rows.len() {
        return Ok(rows.swap_remove(at));
    }
    Err(DelegateError::Unknown { name: name.to_owned() }.into())
}

/// Waits until a delegate has ended or needs a person.
pub fn wait(
    ctx: &mut Ctx,
    delegated: Delegated,
    until: Option<Timestamp>,
) -> Result<(Delegated, Waited)> {
    let mut waiter = Waiter::start(ctx)?;
    let pk = delegated.delegate.pk;
    let mut now = delegated;
    loop {
        let unknown = || DelegateError::Unknown { name: now.delegate.name.clone() };
        let row = delegates::by_pk(&ctx.read(), pk)?.ok_or_else(unknown)?;
        now = Delegated::of(ctx, row)?;
        if is_over(&now.delegate.state) {
            return Ok((now, Waited::Ended));
        }
        if needs_person(ctx, &now)? {
            return Ok((now, Waited::NeedsPerson));
        }
        settle(ctx)?;
        match waiter.wait(ctx, until)? {
            Event::Changed | Event::Tick => {}
            Event::Deadline => return Ok((now, Waited::TimedOut)),
            Event::Interrupted => return Ok((now, Waited::Interrupted)),
        }
    }
}

fn needs_person(ctx: &Ctx, delegated: &Delegated) -> Result<bool> {
    let Some(agent) = &delegated.agent else { return Ok(false) };
    let Some(agent) = agent_rows::by_pk(&ctx.read(), agent.pk)? else { return Ok(false) };
    let state = agents::observe_one(ctx, agent).decided.state;
    Ok(matches!(state, Presence::NeedsInput | Presence::NeedsPermission | Presence::Limited))
}
