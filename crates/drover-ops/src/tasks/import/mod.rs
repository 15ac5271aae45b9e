//! `task import`: a file becomes tasks, edges and notes in one transaction; what is there stays as it is.

mod beads;
mod board;
mod findings;
mod format;
mod item;
mod json;
pub(super) mod markdown;
pub(super) mod outline;
mod plan;
mod record;
pub(super) mod taskwarrior;

use std::collections::BTreeMap;

use drover_core::task::State;
use drover_core::text::Text;
use drover_store::projects::Project;
use drover_store::tasks::{self, NewTask};
use drover_store::{WriteTx, edges, notes, order};

use crate::ctx::Ctx;
use crate::error::Result;
use crate::resolve;
use board::{Board, Edge, new_key};
use item::{Item, Said};

pub use findings::{Difference, LeftOut, Substitute};
pub use format::Format;
pub use plan::{Plan, decode};

/// What an import did.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Where.
    pub project: Project,
    /// The form of the file.
    pub format: Format,
    /// Ids of the new tasks, in the order of the file.
    pub added: Vec<String>,
    /// How many tasks of the file were there already.
    pub present: usize,
    /// How many edges are new.
    pub edges: usize,
    /// How many edges of the file were there already.
    pub edges_present: usize,
    /// How many notes are new.
    pub notes: usize,
    /// How many relations of the file are no edges, and stand in notes.
    pub relations: usize,
    /// Where a task that is there says something else than the file; nothing of it was written.
    pub differs: Vec<Difference>,
    /// What the file says and nothing here keeps.
    pub left_out: Vec<LeftOut>,
    /// What the file says and a new task keeps in other words.
    pub substituted: Vec<Substitute>,
    /// Fields of the file that are lines of notes here, and of how many tasks.
    pub in_notes: BTreeMap<String, usize>,
}

impl Imported {
    /// Whether nothing was written.
    pub fn is_unchanged(&self) -> bool {
        self.added.is_empty() && self.edges == 0 && self.notes == 0
    }
}

/// Adds what a file has and the project has not; all or nothing.
///
/// A task is known again by its id in the file, even after it was renamed here.
pub fn import(ctx: &mut Ctx, plan: &Plan) -> Result<Imported> {
    let project = resolve::project(ctx)?;
    let author = ctx.actor().word();
    let imported = ctx.write("task.import", |tx| {
        let mut board = Board::read(tx, &project, plan)?;
        let edges = board.edges(tx)?;
        board.check_cycles(tx, &edges)?;
        write(tx, plan, (board, edges), &author)
    })?;
    if plan.account.redactions > 0 {
        ctx.warn(format!("redacted: {}", plan.account.redactions));
    }
    Ok(imported)
}

fn write(
    tx: &WriteTx<'_>,
    plan: &Plan,
    (board, edges): (Board<'_>, Vec<Edge>),
    author: &str,
) -> Result<Imported> {
    let mut imported = Imported {
        project: board.project.clone(),
        format: plan.format,
        added: Vec::new(),
        present: 0,
        edges: 0,
        edges_present: 0,
        notes: 0,
        relations: plan.account.relations,
        differs: Vec::new(),
        left_out: plan.account.left_out.clone(),
        substituted: plan.account.substituted.clone(),
        in_notes: plan.account.in_notes.clone(),
    };
    let blocked = board.blocked(tx, &edges)?;
    let mut made = std::collections::HashMap::new();
    for (position, item) in board.new_items() {
        let (state, reason) = state(item, blocked.contains(&position));
        let pk = insert(tx, (board.project, plan.format), (item, board.id(position)), state)?;
        for note in &item.notes {
            let author = note.author.as_deref().unwrap_or(author);
            notes::insert_at(tx, pk, (author, note.at.unwrap_or(tx.at())), &note.text)?;
        }
        imported.notes += item.notes.len();
        if let Some(reason) = reason {
            notes::insert(tx, pk, author, &Text::new(reason))?;
            imported.notes += 1;
            let (place, what) = (item.place.to_string(), "the status \"blocked\"".to_owned());
            imported.substituted.push(Substitute { place, what, instead: state.full() });
        }
        imported.added.push(board.id(position).to_owned());
        made.insert(new_key(position), pk);
    }
    imported.present = plan.items.len() - imported.added.len();
    let key = |it: i64| made.get(&it).copied().unwrap_or(it);
    for (blocker, blocked) in edges {
        if edges::insert(tx, key(blocker), key(blocked))? {
            imported.edges += 1;
        } else {
            imported.edges_present += 1;
        }
    }
    order::settle(tx)?;
    imported.differs = board.differs;
    imported.left_out.extend(board.left_out);
    Ok(imported)
}

/// The state of a new task; one that waits for nothing that is known is set aside, with the reason.
fn state(item: &Item, is_blocked: bool) -> (State, Option<&'static str>) {
    match item.state {
        Said::Nothing => (State::Todo, None),
        Said::State(state) => (state, None),
        Said::Waits if is_blocked => (State::Todo, None),
        Said::Waits => {
            (State::Parked, Some("The source says that it is blocked and names no open blocker."))
        }
    }
}

fn insert(
    tx: &WriteTx<'_>,
    (project, format): (&Project, Format),
    (item, id): (&Item, &str),
    state: State,
) -> Result<i64> {
    let new = NewTask {
        id,
        title: &item.title,
        state,
        impact: item.impact.unwrap_or(50),
        effort_days: item.effort_days.unwrap_or(1.0),
        owns: item.owns.as_deref().unwrap_or("[]"),
        labels: item.labels.as_deref().unwrap_or("[]"),
        verify: item.verify.as_deref().map(|it| (it, "plan")),
        source: Some((format.as_str(), &item.source_id)),
    };
    Ok(tasks::insert_at(tx, project.pk, &new, item.created_at.unwrap_or(tx.at()))?)
}
