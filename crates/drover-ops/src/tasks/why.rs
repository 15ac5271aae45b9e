//! `task why` and `task tree`: what stands between a task and its start, and what hangs together.

use std::collections::HashMap;

use drover_core::task::tree::{self, Branch};
use drover_core::task::why::{self, Why, WhyTask};
use drover_store::graph::{self, Node, Walk};
use drover_store::projects::Project;
use drover_store::tasks::Task;
use drover_store::{StoreError, notes};

use crate::ctx::Ctx;
use crate::error::{Result, TaskError};
use crate::resolve;

/// Why a task is ready or not.
#[derive(Debug, Clone)]
pub struct Explained {
    /// Where.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// The chain, by keys.
    pub why: Why,
    /// Every task of the chain by key.
    pub nodes: HashMap<i64, Node>,
    /// Whether the chain goes on beyond the tasks that were asked for.
    pub is_cut: bool,
}

/// Explains why a task is ready or not, by so many of the nearest tasks; all without a limit.
pub fn why(ctx: &Ctx, id: &str, limit: Option<u32>) -> Result<Explained> {
    let (project, task) = resolve::task(ctx, id)?;
    let tx = ctx.read();
    let graph = graph::around(&tx, task.pk, Walk::OpenBlockers, limit)?;
    let mut blockers = graph.blockers();
    let nodes: HashMap<i64, Node> = graph.nodes.into_iter().map(|it| (it.pk, it)).collect();
    let own: Vec<i64> = blockers.get(&task.pk).cloned().unwrap_or_default();
    let mut is_cut = false;
    let explained = why::why(task.pk, |pk| {
        let Some(node) = nodes.get(&pk) else { return Ok(None) };
        let may_be_unlanded = node.state.satisfies_edge() && own.contains(&pk);
        let mut blockers = blockers.remove(&pk).unwrap_or_default();
        blockers.retain(|it| nodes.contains_key(it));
        let is_open = |it: &&i64| nodes.get(it).is_some_and(|it| !it.state.satisfies_edge());
        let known = i64::try_from(blockers.iter().filter(is_open).count()).unwrap_or(i64::MAX);
        let has_more = !node.state.is_closed() && known < node.open_blockers;
        is_cut |= has_more;
        Ok::<_, StoreError>(Some(WhyTask {
            id: pk,
            state: node.state,
            owner: node.claimed_by.clone(),
            blockers,
            unlanded: may_be_unlanded && notes::is_unlanded(&tx, &node.uid)?,
            has_more,
        }))
    })?;
    let Some(why) = explained else {
        let (id, project) = (task.id, project.name);
        return Err(TaskError::Unknown { id, project, nearest: Vec::new() }.into());
    };
    Ok(Explained { project, task, why, nodes, is_cut })
}

/// Which way a tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what blocks the task.
    Blockers,
    /// To what the task blocks.
    Dependents,
}

/// A task with everything before or behind it.
#[derive(Debug, Clone)]
pub struct TaskTree {
    /// Where.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// Its lines, the task itself first.
    pub branches: Vec<Branch>,
    /// Every task of it by key.
    pub nodes: HashMap<i64, Node>,
    /// Whether it grows on beyond the tasks that were asked for.
    pub is_cut: bool,
}

/// Everything that blocks a task, or everything that it blocks, closed or not; so many of the nearest tasks, all
/// without a limit.
pub fn tree(ctx: &Ctx, id: &str, direction: Direction, limit: Option<u32>) -> Result<TaskTree> {
    let (project, task) = resolve::task(ctx, id)?;
    let walk = match direction {
        Direction::Blockers => Walk::Blockers,
        Direction::Dependents => Walk::Dependents,
    };
    let graph = graph::around(&ctx.read(), task.pk, walk, limit)?;
    let mut neighbours = match direction {
        Direction::Blockers => graph.blockers(),
        Direction::Dependents => graph.dependents(),
    };
    let nodes: HashMap<i64, Node> = graph.nodes.into_iter().map(|it| (it.pk, it)).collect();
    let mut is_cut = false;
    for ends in neighbours.values_mut() {
        let count = ends.len();
        ends.retain(|it| nodes.contains_key(it));
        is_cut |= ends.len() < count;
    }
    let branches = tree::tree(task.pk, |pk| neighbours.remove(&pk).unwrap_or_default());
    Ok(TaskTree { project, task, branches, nodes, is_cut })
}
