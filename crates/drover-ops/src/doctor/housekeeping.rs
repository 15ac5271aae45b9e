//! The projects: the one that is meant, those that rest, and the history of those that are gone.

use std::cmp::Reverse;

use drover_core::agent::Lifecycle;
use drover_core::name::ProjectName;
use drover_store::check::{self, Activity};
use drover_store::shrink::{self, TornDown};
use drover_store::{agents, tasks, time_text};
use jiff::SignedDuration;

use super::check::Check;
use super::disk::Measure;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::log::project;
use crate::words::quote;

const SECTION: &str = "projects";

/// Days after which a project without an open task counts as finished.
const FINISHED_DAYS: i64 = 14;
/// Days without a change after which one with open tasks counts as abandoned.
const ABANDONED_DAYS: i64 = 60;

/// Bytes of log about projects that are gone from which on it is worth a word.
const LARGE_HISTORY: usize = 5 << 20;
/// How many of them are named.
const LARGEST: usize = 3;

/// The project that is meant, then every other one that rests.
pub(super) fn checks(ctx: &Ctx, measure: Measure) -> Result<Vec<Check>> {
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
    // The whole log is read for each of them.
    if measure == Measure::Sizes {
        checks.extend(history(shrink::torn_down(&ctx.read())?));
    }
    Ok(checks)
}

/// The log of projects that are gone, where it is large.
fn history(mut torn_down: Vec<TornDown>) -> Option<Check> {
    let bytes: usize = torn_down.iter().map(|it| it.bytes).sum();
    if bytes < LARGE_HISTORY {
        return None;
    }
    torn_down.sort_by_key(|it| Reverse(it.bytes));
    let largest = torn_down.iter().take(LARGEST);
    let named: Vec<String> = largest.map(|it| format!("{} {}", it.name, it.bytes)).collect();
    let detail = format!(
        "{bytes} bytes of the log are about projects that are torn down: {}",
        named.join(", ")
    );
    Some(Check::warning(SECTION, "torn down", detail).fix("drover db forget"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_history_names_the_largest_of_it() {
        let gone = |name: &str, bytes: usize| TornDown {
            name: name.to_owned(),
            uid: String::new(),
            at: String::new(),
            ops: 1,
            bytes,
        };
        let small = vec![gone("a", LARGE_HISTORY - 1)];
        assert_eq!(history(small), None);
        let all = vec![gone("a", 1), gone("b", LARGE_HISTORY), gone("c", 3), gone("d", 2)];
        let found = history(all).unwrap();
        assert!(found.detail.ends_with("b 5242880, c 3, d 2"), "{}", found.detail);
    }
}
