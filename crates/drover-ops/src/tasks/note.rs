//! `task note` and `task notes`: what is written on a task, and reading it.

use drover_core::duration::Limit;
use drover_core::task::State;
use drover_store::projects::Project;
use drover_store::tasks::Task;
use drover_store::{log, notes, time_text};
use jiff::Timestamp;

use super::shared;
use super::show::{self, Weighed};
use crate::ctx::Ctx;
use crate::error::{OpError, Result, TaskError};
use crate::resolve;

/// A note that was written.
#[derive(Debug, Clone)]
pub struct Noted {
    /// Where.
    pub project: Project,
    /// The task, as it is now.
    pub task: Task,
    /// The note.
    pub note: notes::Note,
    /// Somebody else has the task in progress, and will not see the note by itself.
    pub unseen_by: Option<String>,
}

/// Writes a note on a task; a closed task takes notes too.
pub fn note(ctx: &mut Ctx, id: &str, text: &str) -> Result<Noted> {
    let (project, task) = resolve::task(ctx, id)?;
    let text = shared::prose("note", text)?;
    ctx.note_redactions(&text);
    if text.as_str().trim().chars().all(|it| it == '-') {
        ctx.warn("the note is nothing but dashes; was standard input, or a file, to be read?");
    }
    let (author, holder) = (ctx.actor().word(), ctx.holder());
    ctx.write("task.note", |tx| {
        let task = shared::again(tx, &project, &task)?;
        let uid = notes::insert(tx, task.pk, &author, &text)?;
        let task = shared::again(tx, &project, &task)?;
        let unseen_by =
            task.claimed_by.clone().filter(|it| task.state == State::Active && *it != holder);
        let note = notes::Note {
            uid,
            author: author.clone(),
            text: text.into_string(),
            created_at: tx.at_text(),
        };
        Ok(Noted { project, task, note, unseen_by })
    })
}

/// From when on to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Since {
    /// From the beginning.
    #[default]
    Beginning,
    /// From a time, or from so long ago.
    Time(String),
    /// From the last claim.
    Claim,
}

/// Which notes to read.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    /// The task.
    pub id: String,
    /// From when on.
    pub since: Since,
    /// Only the last so many.
    pub tail: Option<usize>,
}

/// A note or a piece of evidence, in the order they were written.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A note.
    Note(notes::Note),
    /// A piece of evidence.
    Evidence(Box<Weighed>),
}

impl Entry {
    /// When it was written.
    pub fn created_at(&self) -> &str {
        match self {
            Self::Note(note) => &note.created_at,
            Self::Evidence(weighed) => &weighed.evidence.created_at,
        }
    }

    /// Time first; uids, which grow with time, decide within a millisecond.
    fn order(&self) -> (&str, &str) {
        match self {
            Self::Note(note) => (&note.created_at, &note.uid),
            Self::Evidence(weighed) => (&weighed.evidence.created_at, &weighed.evidence.uid),
        }
    }
}

/// What was written on a task.
#[derive(Debug, Clone)]
pub struct NoteList {
    /// Where.
    pub project: Project,
    /// The task.
    pub task: Task,
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
    /// How many there are without `tail`.
    pub total: usize,
}

/// Reads the notes of a task with its evidence in line, oldest first.
pub fn notes(ctx: &Ctx, request: &Notes) -> Result<NoteList> {
    let shown = show::show(ctx, &request.id)?;
    let from = match &request.since {
        Since::Beginning => None,
        Since::Time(text) => Some(time_text(instant(text, ctx.now())?)),
        Since::Claim => {
            let (id, project) = (shown.task.id.clone(), shown.project.name.clone());
            let claim = log::last_claim(&ctx.read(), &shown.task.uid)?;
            Some(claim.ok_or(TaskError::NeverClaimed { id, project })?.at)
        }
    };
    let mut entries: Vec<Entry> = shown.notes.into_iter().map(Entry::Note).collect();
    entries.extend(shown.evidence.into_iter().map(|it| Entry::Evidence(Box::new(it))));
    entries.retain(|it| from.as_deref().is_none_or(|from| it.created_at() >= from));
    entries.sort_by(|one, two| one.order().cmp(&two.order()));
    let total = entries.len();
    let entries = entries.split_off(total - request.tail.unwrap_or(total).min(total));
    Ok(NoteList { project: shown.project, task: shown.task, entries, total })
}

/// A time as RFC 3339, a day in UTC, or a duration before now.
fn instant(text: &str, now: Timestamp) -> Result<Timestamp> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    if let Ok(at) = format!("{text}T00:00:00Z").parse::<Timestamp>() {
        return Ok(at);
    }
    let refused = || {
        OpError::Usage(format!(
            "{text:?} is not a time; write 2026-01-02T03:04:05Z, 2026-01-02 in UTC, or how long ago as 2h"
        ))
    };
    match Limit::parse(text).map_err(|_| refused())? {
        Limit::For(ago) => now.checked_sub(ago).map_err(|_| refused()),
        Limit::AtOnce | Limit::Never => Err(refused()),
    }
}
