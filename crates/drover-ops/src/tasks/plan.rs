//! `task plan`: who could do what when.

use std::num::NonZeroUsize;

use drover_core::task::ids::{IdMap, IdSet};
use drover_core::task::schedule::{self, Plan, PlanTask};
use drover_core::task::{OwnedPath, State};
use drover_store::graph::{self, Unfinished};
use drover_store::projects::Project;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// A schedule of a project with the names to its keys.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Where.
    pub project: Project,
    /// For how many workers.
    pub workers: NonZeroUsize,
    /// The schedule.
    pub plan: Plan,
    /// Every task that is not done, by key.
    pub tasks: IdMap<Unfinished>,
    /// The titles of the tasks that start first, as many as were asked for.
    pub titles: IdMap<String>,
    /// What no schedule holds, and why.
    pub unplanned: Vec<Unplanned>,
}

impl Planned {
    /// The id of a key.
    pub fn id(&self, pk: i64) -> String {
        self.tasks.get(&pk).map(|it| it.id.clone()).unwrap_or_default()
    }
}

/// A task that no schedule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unplanned {
    /// Its id.
    pub id: String,
    /// Why.
    pub reason: Reason,
    /// The blocker that keeps it out, when one does.
    pub blocker: Option<String>,
}

/// Why a task is in no schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is set aside.
    Parked,
    /// It is not admitted yet.
    Triage,
    /// A blocker is in no schedule.
    BlockerUnplanned,
    /// A blocker was closed without being done.
    BlockerClosed,
}

impl Reason {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parked => "parked",
            Self::Triage => "triage",
            Self::BlockerUnplanned => "blocker_unplanned",
            Self::BlockerClosed => "blocker_closed",
        }
    }
}

/// Plans what is open and in progress for so many workers, with the titles of the first `most`; what is in
/// progress counts whole.
pub fn plan(ctx: &Ctx, workers: NonZeroUsize, most: usize) -> Result<Planned> {
    let project = resolve::project(ctx)?;
    let tx = ctx.read();
    let (rows, mut blockers) = graph::not_done(&tx, project.pk)?;
    let tasks: Vec<PlanTask> = rows
        .iter()
        .filter(|it| matches!(it.state, State::Todo | State::Active))
        .map(|it| plan_task(it, blockers.remove(&it.pk).unwrap_or_default()))
        .collect();
    let plan = schedule::plan(&tasks, workers);
    let by_key: IdMap<&Unfinished> = rows.iter().map(|it| (it.pk, it)).collect();
    let unplanned = unplanned(&rows, &by_key, &tasks, &plan);
    let first: Vec<i64> = plan.tasks.iter().take(most).map(|it| it.id).collect();
    let titles = graph::titles(&tx, &first)?;
    let tasks = rows.into_iter().map(|it| (it.pk, it)).collect();
    Ok(Planned { project, workers, plan, tasks, titles, unplanned })
}

/// Every task that is in no schedule, by id.
fn unplanned(
    rows: &[Unfinished],
    by_key: &IdMap<&Unfinished>,
    tasks: &[PlanTask],
    plan: &Plan,
) -> Vec<Unplanned> {
    let left: IdSet = plan.unplanned.iter().copied().collect();
    let blockers: IdMap<&[i64]> = tasks
        .iter()
        .filter(|it| left.contains(&it.id))
        .map(|it| (it.id, it.blocked_by.as_slice()))
        .collect();
    let of_row = |row: &Unfinished| {
        let (reason, blocker) = match row.state {
            State::Parked => (Reason::Parked, None),
            State::Triage => (Reason::Triage, None),
            State::Todo | State::Active if left.contains(&row.pk) => {
                let blockers = blockers.get(&row.pk).copied().unwrap_or_default();
                obstacle(blockers.iter().filter_map(|it| by_key.get(it).copied()), &left)
            }
            State::Todo
            | State::Active
            | State::Done
            | State::Rejected
            | State::Wontfix
            | State::Duplicate
            | State::Superseded => return None,
        };
        Some(Unplanned { id: row.id.clone(), reason, blocker })
    };
    rows.iter().filter_map(of_row).collect()
}

/// The blocker that keeps a task out: one that will never be done, else one that is out itself.
fn obstacle<'a>(
    blockers: impl Iterator<Item = &'a Unfinished>,
    left: &IdSet,
) -> (Reason, Option<String>) {
    let mut found = (Reason::BlockerUnplanned, None);
    for blocker in blockers {
        if blocker.state.is_closed() {
            return (Reason::BlockerClosed, Some(blocker.id.clone()));
        }
        let is_out = matches!(blocker.state, State::Parked | State::Triage);
        if is_out || left.contains(&blocker.pk) {
            found.1.get_or_insert_with(|| blocker.id.clone());
        }
    }
    found
}

fn plan_task(row: &Unfinished, blocked_by: Vec<i64>) -> PlanTask {
    let owns: Vec<String> =
        row.owns.as_deref().and_then(|it| serde_json::from_str(it).ok()).unwrap_or_default();
    PlanTask {
        id: row.pk,
        effort_days: row.effort_days,
        roi: row.roi,
        blocked_by,
        owns: owns.iter().filter_map(|it| OwnedPath::parse(it).ok()).collect(),
        done: false,
    }
}
