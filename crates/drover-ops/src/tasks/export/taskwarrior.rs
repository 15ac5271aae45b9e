//! What Taskwarrior imports; what came from there gets its own id and its other fields back.

use std::collections::BTreeMap;

use drover_core::task::State;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::board::{Board, Entry, words};
use super::escape;
use crate::tasks::import::Format;
use crate::tasks::import::taskwarrior::{OTHER_FIELDS, PROJECT};

/// The day of Taskwarrior's `someday`: what waits until then is out of sight until it is wanted.
const SOMEDAY: &str = "99991230T000000Z";

/// What the form cannot say, and how often.
type Losses = BTreeMap<&'static str, usize>;

pub(super) fn write(board: &Board) -> (String, Vec<String>) {
    let mut losses = Losses::new();
    let tasks = board.entries.iter().map(|it| escape::json(&task(board, it, &mut losses)));
    let text = escape::list(tasks) + "\n";
    let losses = losses.into_iter();
    let losses = losses.map(|it| format!("taskwarrior cannot say {} ({} tasks)", it.0, it.1));
    (text, losses.collect())
}

fn task(board: &Board, entry: &Entry, losses: &mut Losses) -> Map<String, Value> {
    let task = &entry.task;
    let mut fields = Map::new();
    let mut set = |key: &str, value: Value| fields.insert(key.to_owned(), value);
    set("uuid", json!(uuid(entry)));
    set("description", json!(task.title));
    set("entry", json!(time(&task.created_at)));
    if let Some(priority) = priority(task.impact, losses) {
        set("priority", json!(priority));
    }
    let (projects, tags): (Vec<String>, Vec<String>) =
        words(&task.labels).into_iter().partition(|it| it.starts_with(PROJECT));
    if let Some(project) = projects.first().and_then(|it| it.strip_prefix(PROJECT)) {
        set("project", json!(project));
    }
    if !tags.is_empty() {
        set("tags", json!(tags));
    }
    let blockers = entry.blockers.iter().filter_map(|it| board.entries.get(*it));
    let depends: Vec<&str> = blockers.map(uuid).collect();
    if !depends.is_empty() {
        set("depends", json!(depends));
    }
    let (others, annotations) = annotations(entry);
    if !annotations.is_empty() {
        set("annotations", json!(annotations));
    }
    for (key, value) in others {
        fields.entry(key).or_insert(value);
    }
    status(entry, &mut fields, losses);
    let lost = [
        ("the effort", (task.effort_days - 1.0).abs() > 0.0),
        ("owned paths", task.owns != "[]"),
        ("verify commands", task.verify.is_some()),
        ("more than one project", projects.len() > 1),
    ];
    lost.into_iter().filter(|it| it.1).for_each(|it| lose(losses, it.0));
    fields
}

fn lose(losses: &mut Losses, what: &'static str) {
    *losses.entry(what).or_default() += 1;
}

fn uuid(entry: &Entry) -> &str {
    let is_from_there = entry.task.source.as_deref() == Some(Format::Taskwarrior.as_str());
    entry.task.source_id.as_deref().filter(|_| is_from_there).unwrap_or(&entry.task.uid)
}

/// The priority of an impact; the words mean exactly what an import gives them.
fn priority(impact: i64, losses: &mut Losses) -> Option<&'static str> {
    if ![90, 60, 50, 30].contains(&impact) {
        lose(losses, "the exact impact");
    }
    match impact {
        75.. => Some("H"),
        55..75 => Some("M"),
        40..55 => None,
        _ => Some("L"),
    }
}

/// The status, and what belongs to it and to no other.
fn status(entry: &Entry, fields: &mut Map<String, Value>, losses: &mut Losses) {
    let task = &entry.task;
    let (status, belongs) = match task.state {
        State::Todo => ("pending", None),
        State::Active => ("pending", Some(("start", time(&task.updated_at)))),
        State::Parked => ("pending", Some(("wait", SOMEDAY.to_owned()))),
        State::Triage => {
            lose(losses, "that a task is only proposed");
            ("pending", Some(("wait", SOMEDAY.to_owned())))
        }
        State::Done => ("completed", Some(("end", time(&task.updated_at)))),
        State::Rejected | State::Wontfix | State::Duplicate | State::Superseded => {
            lose(losses, "why a task was closed without being done");
            ("deleted", Some(("end", time(&task.updated_at))))
        }
    };
    fields.insert("status".to_owned(), json!(status));
    let keys: Vec<&str> =
        ["start", "wait", "end"].into_iter().filter(|it| fields.contains_key(*it)).collect();
    for key in keys {
        // What was begun stays begun when it is set aside or closed.
        let stays = key == "start" && task.state != State::Todo;
        if !stays && belongs.as_ref().is_none_or(|it| it.0 != key) {
            fields.shift_remove(key);
        }
    }
    if let Some((key, value)) = belongs {
        fields.entry(key).or_insert(json!(value));
    }
}

/// The fields that an import kept in a note, and the other notes as annotations, no two in one second.
fn annotations(entry: &Entry) -> (Vec<(String, Value)>, Vec<Value>) {
    let is_from_there = entry.task.source.as_deref() == Some(Format::Taskwarrior.as_str());
    let (mut others, mut annotations) = (Vec::new(), Vec::new());
    let mut last = Timestamp::MIN;
    for note in &entry.notes {
        if let Some(fields) = note.text.strip_prefix(OTHER_FIELDS).filter(|_| is_from_there) {
            others.extend(other_fields(fields));
            continue;
        }
        let at: Timestamp = note.created_at.parse().unwrap_or(last);
        let after = last.saturating_add(jiff::SignedDuration::from_secs(1)).unwrap_or(last);
        last = if last == Timestamp::MIN { at } else { at.max(after) };
        annotations.push(json!({ "entry": time(&last.to_string()), "description": note.text }));
    }
    (others, annotations)
}

/// The fields of a note of them; a line that names none goes on with the field before.
fn other_fields(text: &str) -> Vec<(String, Value)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().skip(1) {
        let is_name = |it: &str| {
            !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric() || "_.-".contains(it))
        };
        match (line.split_once(": ").filter(|it| is_name(it.0)), fields.last_mut()) {
            (Some((name, value)), _) => fields.push((name.to_owned(), value.to_owned())),
            (None, Some(last)) => {
                last.1.push('\n');
                last.1.push_str(line);
            }
            (None, None) => {}
        }
    }
    let value = |text: String| match text.parse::<serde_json::Number>() {
        Ok(number) => Value::Number(number),
        Err(_) => Value::String(text),
    };
    fields.into_iter().map(|it| (it.0, value(it.1))).collect()
}

/// A stored time in the form without punctuation.
fn time(stored: &str) -> String {
    let Ok(time) = stored.parse::<Timestamp>() else { return String::new() };
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}
