//! The projects: the one that is meant, those that rest, and the history of those that are gone.

use drover_core::agent::Lifecycle;
use drover_core::name::ProjectName;
use drover_store::check::{self, Activity};
use drover_store::{agents, tasks, time_text};
use jiff::SignedDuration;

use super::check::Check;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::log::project;
use crate::words::quote;

const SECTION: &str = "projects";

/// Days after which a project without an open task counts as finished.
const FINISHED_DAYS: i64 = 14;
/// Days without a change after which one with open tasks counts as abandoned.
const ABANDONED_DAYS: i64 = 60;

/// The project that is meant, then every other one that rests.
pub(super) fn checks(ctx: &Ctx) -> Result<Vec<Check>> {
    let meant = project(ctx)?;
    let mut checks = Vec::new();
    if let Some(project) = &meant {
        let tx = ctx.read();
        let counts = tasks::count_by_state(&tx, project.pk)?;
        let counts: Vec<String> =
            counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
        let counts = if counts.is_empty() { "no tasks".to_owned() } else { counts.join(", ") };
        let blocked = tasks::count_blocked(&tx, project.pk)?;
        let crew = agents::list(&tx, project.pk)?;
        let alive = crew.iter().filter(|it| it.lifecycle.is_running()).count();
        let dead = crew.iter().filter(|it| it.lifecycle == Lifecycle::Exited).count();
        let detail = format!("{counts}; {blocked} blocked; {alive} agents live, {dead} dead");
        checks.push(Check::fine(SECTION, project.name.clone(), detail));
    }
    let is_other = |it: &Activity| {
        it.holds == 0
            && it.name != *ProjectName::scratch().as_str()
            && meant.as_ref().is_none_or(|meant| meant.name != it.name)
    };
    for resting in check::activity(&ctx.read())?.iter().filter(|it| is_other(it)) {
        checks.extend(rest(ctx, resting));
    }
    Ok(checks)
}

/// What is to be said of a project in which nothing has moved for long.
fn rest(ctx: &Ctx, project: &Activity) -> Option<Check> {
    let before = |days: i64| {
        let then = ctx.now().checked_sub(SignedDuration::from_hours(24 * days));
        time_text(then.unwrap_or(jiff::Timestamp::MIN))
    };
    let since: String = project.at.chars().take(10).collect();
    let what = if project.tasks > 0 && project.open == 0 && project.at < before(FINISHED_DAYS) {
        format!("finished: nothing is open and nothing has changed since {since}")
    } else if project.at < before(ABANDONED_DAYS) {
        format!("abandoned: {} tasks are open and nothing has changed since {since}", project.open)
    } else {
        return None;
    };
    let fix = format!("drover project archive {}", quote(&project.name));
    Some(Check::warning(SECTION, project.name.clone(), what).fix(fix))
}
