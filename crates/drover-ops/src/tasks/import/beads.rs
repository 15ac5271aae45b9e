//! The JSON lines that beads exports: one issue a line.

use drover_core::task::State;
use serde_json::{Map, Value};

use super::findings::Findings;
use super::item::{Item, Place, Said, SaidNote, WantedId};
use super::json::unreadable;
use super::record::{Record, short};
use crate::error::{ImportError, Result};

/// The minutes of a day's work.
const DAY: f64 = 480.0;

/// Reads an export; a line that is no object of JSON is named.
pub(super) fn read(text: &str, findings: &mut Findings) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|it| !it.1.trim().is_empty()) {
        if findings.is_full() {
            break;
        }
        let fields = object(number + 1, line)?;
        items.extend(issue(Record::new(Place::Line(number + 1), fields), findings));
    }
    Ok(items)
}

/// The object on a line.
pub(super) fn object(number: usize, line: &str) -> Result<Map<String, Value>> {
    serde_json::from_str(line).map_err(|err| match unreadable(&err) {
        ImportError::Unreadable { column, problem, .. } => {
            ImportError::Unreadable { line: number, column, problem }.into()
        }
        other => other.into(),
    })
}

fn issue(mut record: Record, findings: &mut Findings) -> Option<Item> {
    let place = record.place;
    if let Some(kind) = record.take("_type").filter(|it| it != "issue") {
        findings.leave_out(
            place,
            format!("a record of the type {}", short(&kind)),
            "it is no issue",
        );
        return None;
    }
    let (id, title) = record.identity(("id", "title"), findings);
    let mut item = Item::new(place, id, WantedId::LikeSource, title);
    item.created_at =
        record.text("created_at", findings).and_then(|it| findings.time(place, "created_at", &it));
    item.state = state(&mut record, findings);
    item.impact = Some(impact(&mut record, findings));
    item.effort_days = Some(effort(&mut record, findings));
    let labels = record.texts("labels", findings);
    item.labels = labels.map(|it| findings.labels(place, &it));
    texts(&mut record, &mut item, findings);
    comments(&mut record, &mut item, findings);
    dependencies(&mut record, &mut item, findings);
    // It follows from the rows here, as it did there.
    record.take("updated_at");
    // The usual one, of which there is nothing to say.
    record.take_if("issue_type", "task");
    if let Some(text) = record.rest("Other fields in beads:", findings) {
        item.notes.push(SaidNote { author: None, text, at: item.created_at });
    }
    Some(item)
}

fn state(record: &mut Record, findings: &mut Findings) -> Said {
    let word = record.text("status", findings);
    match word.as_deref() {
        None | Some("open") => Said::State(State::Todo),
        Some("blocked") => Said::Waits,
        Some("deferred") => Said::State(State::Parked),
        Some("in_progress") => Said::State(State::Active),
        Some("closed" | "done") => Said::State(State::Done),
        Some(other) => {
            let what = format!("the status {}", short(&Value::from(other)));
            findings.substitute(record.place, what, "OPEN/triage");
            Said::State(State::Triage)
        }
    }
}

fn impact(record: &mut Record, findings: &mut Findings) -> i64 {
    let said = record.take("priority");
    match said.as_ref().map(Value::as_i64) {
        Some(Some(0)) => 100,
        Some(Some(1)) => 80,
        None | Some(Some(2)) => 50,
        Some(Some(3)) => 30,
        Some(Some(4)) => 10,
        Some(_) => {
            let said = said.unwrap_or_default();
            findings.substitute(
                record.place,
                format!("the priority {}", short(&said)),
                "impact 50",
            );
            50
        }
    }
}

fn effort(record: &mut Record, findings: &mut Findings) -> f64 {
    let Some(said) = record.take("estimated_minutes") else { return 1.0 };
    match said.as_f64() {
        Some(minutes) if minutes > 0.0 && minutes.is_finite() => minutes / DAY,
        Some(0.0) => 1.0,
        _ => {
            let what = format!("the estimate {}", short(&said));
            findings.substitute(record.place, what, "effort 1 day");
            1.0
        }
    }
}

/// The texts of an issue, each a note.
fn texts(record: &mut Record, item: &mut Item, findings: &mut Findings) {
    let kinds = [
        ("description", ""),
        ("design", "Design:\n"),
        ("acceptance_criteria", "Acceptance criteria:\n"),
        ("notes", "Notes:\n"),
    ];
    for (field, heading) in kinds {
        let text = record.text(field, findings).filter(|it| !it.trim().is_empty());
        let path = item.place.field(field);
        let text = text.and_then(|it| findings.note(path, &format!("{heading}{it}")));
        item.notes.extend(text.map(|text| SaidNote { author: None, text, at: item.created_at }));
    }
}

fn comments(record: &mut Record, item: &mut Item, findings: &mut Findings) {
    for mut comment in record.objects("comments", findings) {
        let author = comment.text("author", findings).filter(|it| !it.trim().is_empty());
        let author = author.map(|it| findings.foreign_id(item.place.field("comments"), &it));
        let at = comment.text("created_at", findings);
        let at = at.and_then(|it| findings.time(item.place, "the time of a comment", &it));
        let text = comment.text("text", findings).unwrap_or_default();
        match findings.note(item.place.field("comments"), &text) {
            Some(text) => {
                let author = author.map(|it| format!("beads:{it}"));
                item.notes.push(SaidNote { author, text, at });
            }
            None => findings.leave_out(item.place, "a comment", "there is nothing in it"),
        }
    }
}

fn dependencies(record: &mut Record, item: &mut Item, findings: &mut Findings) {
    for mut dependency in record.objects("dependencies", findings) {
        let place = item.place;
        let from = dependency.text("issue_id", findings);
        let to = dependency.text("depends_on_id", findings).unwrap_or_default();
        let to = findings.foreign_id(place.field("depends_on_id"), &to);
        let kind = dependency.text("type", findings).unwrap_or_else(|| "blocks".to_owned());
        if from.is_some_and(|it| it.trim() != item.source_id) {
            findings.leave_out(
                place,
                format!("the dependency on {to}"),
                "it is said to be of another issue",
            );
            continue;
        }
        match kind.as_str() {
            "blocks" => item.wait_for(to),
            "parent" | "parent-child" => item.block(to),
            _ => {
                let path = place.field("dependencies");
                let text = findings.note(path, &format!("Relation in beads: {kind} {to}"));
                item.notes.extend(text.map(|text| SaidNote {
                    author: None,
                    text,
                    at: item.created_at,
                }));
                findings.account.relations += 1;
            }
        }
    }
}
