//! Our own JSON plan.

use drover_core::name::TaskId;
use drover_core::task::State;
use serde::Deserialize;

use super::findings::Findings;
use super::format::Format;
use super::item::{Item, Place, Said, SaidNote, WantedId};
use crate::error::{ImportError, Result};

/// A graph of tasks as a plan says it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// In any order.
    tasks: Vec<Entry>,
}

/// A task as a plan says it; what is absent gets its default.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    title: String,
    /// `OPEN/todo` when absent.
    status: Option<String>,
    /// 1 to 100; 50 when absent.
    impact: Option<i64>,
    /// Above 0; 1 when absent.
    effort_days: Option<f64>,
    /// Ids, of this plan or of the project.
    #[serde(default)]
    blocked_by: Vec<String>,
    /// A first note.
    note: Option<String>,
    /// Notes with what is known of them.
    #[serde(default)]
    notes: Vec<NoteEntry>,
    owns: Option<Vec<String>>,
    /// It runs only once it is trusted.
    verify: Option<String>,
    labels: Option<Vec<String>>,
    created_at: Option<String>,
}

/// A note as a plan says it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteEntry {
    text: String,
    author: Option<String>,
    at: Option<String>,
}

/// Reads a plan; unknown keys, wrong types and broken JSON are named with their line.
pub(super) fn read(text: &str, findings: &mut Findings) -> Result<Vec<Item>> {
    let document: Document = serde_json::from_str(text).map_err(|err| unreadable(&err))?;
    let mut items = Vec::with_capacity(document.tasks.len());
    for (number, entry) in document.tasks.into_iter().enumerate() {
        if findings.is_full() {
            break;
        }
        items.push(item(Place::Entry(number), entry, findings));
    }
    Ok(items)
}

/// Where and why JSON cannot be read.
pub(super) fn unreadable(err: &serde_json::Error) -> ImportError {
    let (line, column) = (err.line(), err.column());
    let words = err.to_string();
    let problem = words.split(" at line ").next().unwrap_or_default().to_owned();
    ImportError::Unreadable { line, column, problem }
}

fn item(place: Place, entry: Entry, findings: &mut Findings) -> Item {
    if let Err(err) = TaskId::parse_new(&entry.id) {
        findings.wrong(place.field("id"), err.to_string());
    }
    let title = findings.title(place, &entry.title);
    findings.numbers(place, (entry.impact, entry.effort_days));
    let mut item = Item::new(place, entry.id, WantedId::Exactly, title);
    item.verify = entry.verify.map(|it| findings.verify(place, it));
    item.owns = entry.owns.map(|it| findings.owns(place, &it));
    item.labels = entry.labels.map(|it| findings.labels(place, &it));
    item.impact = entry.impact;
    item.effort_days = entry.effort_days;
    item.state = state(place, entry.status.as_deref(), findings);
    item.created_at = entry.created_at.and_then(|it| findings.time(place, "created_at", &it));
    let first = entry.note.map(|text| NoteEntry { text, author: None, at: None });
    for (number, said) in first.into_iter().chain(entry.notes).enumerate() {
        if let Some(note) = note(place, number, said, findings) {
            item.notes.push(note);
        }
    }
    for blocker in entry.blocked_by {
        item.wait_for(blocker);
    }
    item
}

fn state(place: Place, word: Option<&str>, findings: &mut Findings) -> Said {
    let Some(word) = word else { return Said::Nothing };
    match State::parse(word) {
        Ok(state) => Said::State(state),
        Err(err) => {
            findings.wrong(place.field("status"), err.to_string());
            Said::Nothing
        }
    }
}

/// A note says whose it was and that this is hearsay; one that says so already is left so.
fn note(place: Place, number: usize, said: NoteEntry, findings: &mut Findings) -> Option<SaidNote> {
    let path = place.field(&format!("notes[{number}]"));
    let text = findings.note(path.clone(), &said.text)?;
    let at = said.at.and_then(|it| findings.time(place, "the time of a note", &it));
    let author = said.author.filter(|it| !it.trim().is_empty());
    let author = author.map(|it| findings.foreign_id(path, &it));
    let is_marked = |it: &str| {
        Format::ALL
            .iter()
            .any(|word| it.strip_prefix(word.as_str()).is_some_and(|rest| rest.starts_with(':')))
    };
    let author = author.map(|it| if is_marked(&it) { it } else { format!("plan:{it}") });
    Some(SaidNote { author, text, at })
}
