//! What Taskwarrior exports: a list of tasks, or, from older ones, a task a line.

use std::collections::HashSet;
use std::fmt;

use drover_core::task::State;
use jiff::Timestamp;
use serde::Deserializer as _;
use serde::de::{SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::beads;
use super::findings::Findings;
use super::item::{Item, Other, Place, Said, SaidNote, WantedId};
use super::json::unreadable;
use super::record::{Record, short};
use crate::error::Result;

/// Begins the label that keeps the project of a task.
pub(in crate::tasks) const PROJECT: &str = "project:";

/// Begins the note that keeps fields which no task has.
pub(in crate::tasks) const OTHER_FIELDS: &str = "Other fields in Taskwarrior:";

/// What a reader of an export goes by and collects.
struct Reader<'a> {
    findings: &'a mut Findings,
    now: Timestamp,
    items: Vec<Item>,
    /// Tasks that are named and not taken.
    gone: HashSet<String>,
}

/// Reads an export; what waits now is parked.
pub(super) fn read(text: &str, now: Timestamp, findings: &mut Findings) -> Result<Vec<Item>> {
    let mut reader = Reader { findings, now, items: Vec::new(), gone: HashSet::new() };
    if text.trim_start().starts_with('{') {
        for (number, line) in text.lines().enumerate().filter(|it| !it.1.trim().is_empty()) {
            let line = line.trim().trim_end_matches(',');
            let fields = beads::object(number + 1, line)?;
            reader.task(Record::new(Place::Line(number + 1), fields));
        }
    } else {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read = deserializer.deserialize_seq(&mut reader).and_then(|()| deserializer.end());
        read.map_err(|err| unreadable(&err))?;
    }
    Ok(reader.finish())
}

impl<'de> Visitor<'de> for &mut Reader<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of tasks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        let mut number = 0;
        while let Some(fields) = list.next_element::<Map<String, Value>>()? {
            if !self.findings.is_full() {
                self.task(Record::new(Place::Entry(number), fields));
            }
            number += 1;
        }
        Ok(())
    }
}

impl Reader<'_> {
    fn task(&mut self, mut record: Record) {
        let findings = &mut *self.findings;
        let place = record.place;
        let (id, title) = record.identity(("uuid", "description"), findings);
        let status = record.text("status", findings).unwrap_or_else(|| "pending".to_owned());
        let why = match status.as_str() {
            "recurring" => "it only makes other tasks again and again",
            "deleted" => "it was deleted there",
            _ => "",
        };
        if !why.is_empty() {
            findings.leave_out(place, format!("{id} {}", short(&Value::from(title.as_str()))), why);
            self.gone.insert(id);
            return;
        }
        let mut item = Item::new(place, id, WantedId::LikeTitle, title);
        item.state = state(&status, &record, self.now, findings);
        item.impact = Some(impact(&mut record, findings));
        let entry = record.text("entry", findings);
        item.created_at = entry.and_then(|it| findings.time(place, "entry", &it));
        item.labels = Some(labels(&mut record, findings));
        for id in depends(&mut record, findings) {
            item.wait_for(id);
        }
        annotations(&mut record, &mut item, findings);
        // A number that changes, and what follows from the rest.
        for follows in ["id", "modified", "urgency"] {
            record.take(follows);
        }
        if let Some(text) = record.rest(OTHER_FIELDS, findings) {
            item.notes.push(SaidNote { author: None, text, at: item.created_at });
        }
        self.items.push(item);
    }

    /// What was left out blocks nobody here, as it blocks nobody there.
    fn finish(mut self) -> Vec<Item> {
        for item in &mut self.items {
            let (gone, findings, place) = (&self.gone, &mut *self.findings, item.place);
            item.links.retain(|link| {
                let Other::Id(id) = &link.other else { return true };
                let is_gone = gone.contains(id);
                if is_gone {
                    findings.leave_out(place, format!("the blocker {id}"), "it was left out");
                }
                !is_gone
            });
        }
        self.items
    }
}

fn state(status: &str, record: &Record, now: Timestamp, findings: &mut Findings) -> Said {
    let is_begun = record.peek("start").is_some();
    let until = record.peek("wait").and_then(|it| it.parse::<Timestamp>().ok());
    let is_waiting = status == "waiting" || until.is_some_and(|it| it > now);
    match status {
        "completed" => Said::State(State::Done),
        "pending" | "waiting" if is_waiting => Said::State(State::Parked),
        "pending" if is_begun => Said::State(State::Active),
        "pending" => Said::State(State::Todo),
        other => {
            let what = format!("the status {}", short(&Value::from(other)));
            findings.substitute(record.place, what, "OPEN/triage");
            Said::State(State::Triage)
        }
    }
}

fn impact(record: &mut Record, findings: &mut Findings) -> i64 {
    match record.text("priority", findings).as_deref() {
        Some("H") => 90,
        Some("M") => 60,
        Some("L") => 30,
        None | Some("") => 50,
        Some(other) => {
            let what = format!("the priority {}", short(&Value::from(other)));
            findings.substitute(record.place, what, "impact 50");
            50
        }
    }
}

fn labels(record: &mut Record, findings: &mut Findings) -> String {
    let mut labels = record.texts("tags", findings).unwrap_or_default();
    let project = record.text("project", findings).filter(|it| !it.trim().is_empty());
    labels.extend(project.map(|it| format!("{PROJECT}{it}")));
    findings.labels(record.place, &labels)
}

/// A list of ids, or, from older ones, one text with commas.
fn depends(record: &mut Record, findings: &mut Findings) -> Vec<String> {
    let path = record.place.field("depends");
    let said = match record.take("depends") {
        None => return Vec::new(),
        Some(Value::String(text)) => text.split(',').map(str::to_owned).collect(),
        Some(Value::Array(list)) => {
            let mut ids = Vec::with_capacity(list.len());
            for it in list {
                match it {
                    Value::String(id) => ids.push(id),
                    other => findings.wrong(path.clone(), format!("{} is no id", short(&other))),
                }
            }
            ids
        }
        Some(other) => {
            findings.wrong(path, format!("{} is no list", short(&other)));
            return Vec::new();
        }
    };
    said.into_iter().map(|it| findings.foreign_id(path.clone(), &it)).collect()
}

fn annotations(record: &mut Record, item: &mut Item, findings: &mut Findings) {
    for mut annotation in record.objects("annotations", findings) {
        let at = annotation.text("entry", findings);
        let at = at.and_then(|it| findings.time(item.place, "the time of an annotation", &it));
        let text = annotation.text("description", findings).unwrap_or_default();
        match findings.note(item.place.field("annotations"), &text) {
            Some(text) => item.notes.push(SaidNote { author: None, text, at }),
            None => findings.leave_out(item.place, "an annotation", "there is nothing in it"),
        }
    }
}
