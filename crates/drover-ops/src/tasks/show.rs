//! `task show`: one task with all that hangs on it, and `--proof`: what speaks for it.

use drover_core::task::proof;
use drover_store::edges::{self, End};
use drover_store::log::{self, Op};
use drover_store::messages::{self, Message};
use drover_store::notes::{self, Evidence, Note};
use drover_store::projects::Project;
use drover_store::tasks::Task;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;

/// One task with all that hangs on it.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Where.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// What blocks it.
    pub blockers: Vec<End>,
    /// What it blocks.
    pub dependents: Vec<End>,
    /// Its notes, oldest first.
    pub notes: Vec<Note>,
    /// Its evidence, oldest first.
    pub evidence: Vec<Weighed>,
}

/// Evidence, and whether it still speaks for the work as it is.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// The evidence.
    pub evidence: Evidence,
    /// Whether later evidence was taken on another commit.
    pub is_stale: bool,
}

/// What speaks for a task.
#[derive(Debug, Clone)]
pub struct TaskProof {
    /// The task with all that hangs on it.
    pub shown: Shown,
    /// The change that gave it to its last holder.
    pub claim: Option<Op>,
    /// The messages about it, each with the name of the agent it is for.
    pub receipts: Vec<(String, Message)>,
}

/// Shows one task.
pub fn show(ctx: &Ctx, id: &str) -> Result<Shown> {
    let (project, task) = resolve::task(ctx, id)?;
    let tx = ctx.read();
    Ok(Shown {
        blockers: edges::blockers(&tx, task.pk)?,
        dependents: edges::dependents(&tx, task.pk)?,
        notes: notes::of_task(&tx, task.pk)?,
        evidence: weighed(notes::evidence_for(&tx, &task.uid)?),
        project,
        task,
    })
}

/// Shows one task and what speaks for it.
pub fn show_proof(ctx: &Ctx, id: &str) -> Result<TaskProof> {
    let shown = show(ctx, id)?;
    let tx = ctx.read();
    Ok(TaskProof {
        claim: log::last_claim(&tx, &shown.task.uid)?,
        receipts: messages::about(&tx, &shown.task.uid)?,
        shown,
    })
}

/// A landing makes a commit of its own, which does not outdate what was checked before it.
fn weighed(evidence: Vec<Evidence>) -> Vec<Weighed> {
    let commit = |it: &Evidence| it.commit_oid.clone().filter(|_| it.kind != "landed");
    let commits: Vec<Option<String>> = evidence.iter().map(commit).collect();
    let commits: Vec<Option<&str>> = commits.iter().map(Option::as_deref).collect();
    let stale = proof::stale(&commits);
    let pairs = evidence.into_iter().zip(stale);
    pairs.map(|(evidence, is_stale)| Weighed { evidence, is_stale }).collect()
}
