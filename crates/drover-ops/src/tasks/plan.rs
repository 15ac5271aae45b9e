//! `task plan`: who could do what when.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use drover_core::task::ids::IdMap;
use drover_core::task::schedule::{self, Plan, PlanTask};
use drover_core::task::{OwnedPath, State};
use drover_store::graph::{self, Node};
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
    pub nodes: HashMap<i64, Node>,
    /// What no schedule holds, and why.
    pub unplanned: Vec<Unplanned>,
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

/// Plans what is open and in progress for so many workers; what is in progress counts whole.
pub fn plan(ctx: &Ctx, workers: NonZeroUsize) -> Result<Planned> {
    let project = resolve::project(ctx)?;
    let graph = graph::not_done(&ctx.read(), project.pk)?;
    let mut blockers = graph.blockers();
    let tasks: Vec<PlanTask> = graph
        .nodes
        .iter()
        .filter(|it| matches!(it.state, State::Todo | State::Active))
        .map(|it| plan_task(it, blockers.remove(&it.pk).unwrap_or_default()))
        .collect();
    let plan = schedule::plan(&tasks, workers);
    let left: HashSet<i64> = plan.unplanned.iter().copied().collect();
    let blockers: IdMap<&[i64]> = tasks
        .iter()
        .filter(|it| left.contains(&it.id))
        .map(|it| (it.id, it.blocked_by.as_slice()))
        .collect();
    let nodes = graph.by_key();
    let unplanned = graph.nodes.iter().filter_map(|node| {
        let (reason, blocker) = match node.state {
            State::Parked => (Reason::Parked, None),
            State::Triage => (Reason::Triage, None),
            State::Todo | State::Active if left.contains(&node.pk) => {
                let blockers = blockers.get(&node.pk).copied().unwrap_or_default();
                obstacle(blockers.iter().filter_map(|it| nodes.get(it).copied()), &left)
            }
            State::Todo
            | State::Active
            | State::Done
            | State::Rejected
            | State::Wontfix
            | State::Duplicate
            | State::Superseded => return None,
        };
        Some(Unplanned { id: node.id.clone(), reason, blocker })
    });
    let unplanned = unplanned.collect();
    let nodes = graph.nodes.into_iter().map(|it| (it.pk, it)).collect();
    Ok(Planned { project, workers, plan, nodes, unplanned })
}

/// The blocker that keeps a task out: one that will never be done, else one that is out itself.
fn obstacle<'a>(
    blockers: impl Iterator<Item = &'a Node>,
    left: &HashSet<i64>,
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

fn plan_task(node: &Node, blocked_by: Vec<i64>) -> PlanTask {
    let owns: Vec<String> = serde_json::from_str(&node.owns).unwrap_or_default();
    PlanTask {
        id: node.pk,
        effort_days: node.effort_days,
        roi: node.roi,
        blocked_by,
        owns: owns.iter().filter_map(|it| OwnedPath::parse(it).ok()).collect(),
        done: false,
    }
}
