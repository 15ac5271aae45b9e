//! Row changes in words: whose row it is, and what became of it.

use std::collections::HashMap;

use drover_store::ReadTx;
use drover_store::log::{self, Op};
use serde_json::{Map, Value};

use crate::error::Result;

/// Longest piece of a stored value that a line shows.
const LONGEST: usize = 60;

/// Columns that say nothing to a person, or nothing that another column does not say.
const SILENT: &[&str] = &[
    "created_at",
    "name_hlc",
    "lifecycle_at",
    "nonce",
    "token_hash",
    "claimed_uid",
    "server_started",
    "pane_started",
    "supervisor_pid",
    "supervisor_started",
    "work_started",
    "lease",
];

/// From which side a change is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// As it happened.
    Happened,
    /// As taking it back does, or would do, it.
    TakenBack,
}

/// Tells row changes, remembering the names it looked up.
pub(crate) struct Teller<'a> {
    tx: ReadTx<'a>,
    names: HashMap<(String, String), String>,
}

impl<'a> Teller<'a> {
    pub(crate) fn new(tx: ReadTx<'a>) -> Self {
        Self { tx, names: HashMap::new() }
    }

    /// The name that a row has, or had last; its uid when it never had one.
    pub(crate) fn name(&mut self, entity: &str, uid: &str) -> Result<String> {
        let key = (entity.to_owned(), uid.to_owned());
        if let Some(name) = self.names.get(&key) {
            return Ok(name.clone());
        }
        let name = log::name_of(&self.tx, entity, uid)?.unwrap_or_else(|| uid.to_owned());
        self.names.insert(key, name.clone());
        Ok(name)
    }

    /// What the row is called: a name where it has one, else its owner's.
    pub(crate) fn subject(&mut self, op: &Op) -> Result<String> {
        let owner = match op.entity.as_str() {
            "task" | "project" | "agent" => return self.name(&op.entity, &op.uid),
            "edge" => {
                let (blocker, blocked) = op.uid.split_once('>').unwrap_or((&op.uid, ""));
                return Ok(format!(
                    "{} blocks {}",
                    self.name("task", blocker)?,
                    self.name("task", blocked)?
                ));
            }
            "note" => ("task", "task"),
            "evidence" => ("task", "subject_uid"),
            "workspace" | "message" => ("agent", "agent"),
            "project_repo" | "project_place" => ("project", "project"),
            "policy_value" => return Ok(self.first(op, "key")?.unwrap_or_default()),
            "command_trust" | "log_line" => return Ok(self.first(op, "kind")?.unwrap_or_default()),
            "rescue" => return Ok(self.first(op, "agent_name")?.unwrap_or_default()),
            "delegate" => return Ok(self.first(op, "name")?.unwrap_or_default()),
            _ => return Ok(op.uid.clone()),
        };
        match self.first(op, owner.1)? {
            Some(uid) => self.name(owner.0, &uid),
            None => Ok(op.uid.clone()),
        }
    }

    fn first(&self, op: &Op, field: &str) -> Result<Option<String>> {
        Ok(log::first_field(&self.tx, &op.entity, &op.uid, field)?)
    }

    /// The change in one line, without a full stop.
    pub(crate) fn words(&mut self, op: &Op, voice: Voice) -> Result<String> {
        let subject = self.subject(op)?;
        let what = match op.entity.as_str() {
            "edge" => format!("edge {subject}"),
            "note" => format!("note on `{subject}`"),
            "evidence" => format!("evidence for `{subject}`"),
            "workspace" => format!("workspace of `{subject}`"),
            "message" => {
                let number = self.first(op, "number")?.unwrap_or_default();
                format!("message {number} to `{subject}`")
            }
            "project_repo" => format!("repository of `{subject}`"),
            "project_place" => format!("session of `{subject}`"),
            "policy_value" => format!("policy `{subject}`"),
            "command_trust" => format!("trust in a {subject} command"),
            "log_line" => format!("line of the kind {subject}"),
            "rescue" => format!("rescue of the work of `{subject}`"),
            entity => format!("{entity} `{subject}`"),
        };
        let (old, new) = match voice {
            Voice::Happened => (&op.old, &op.new),
            Voice::TakenBack => (&op.new, &op.old),
        };
        Ok(match (object(old.as_deref()), object(new.as_deref())) {
            (None, Some(new)) if op.entity == "log_line" && voice == Voice::Happened => {
                let text = new.get("text").map(shown).unwrap_or_default();
                format!("{subject}: {text}")
            }
            (None, Some(new)) => {
                let verb = if voice == Voice::Happened { "added" } else { "restored" };
                let detail = detail(&op.entity, &new);
                let colon = if detail.is_empty() { "" } else { ": " };
                format!("{what} {verb}{colon}{detail}")
            }
            (Some(_), None) => {
                let verb = if voice == Voice::Happened { "deleted" } else { "removed" };
                format!("{what} {verb}")
            }
            (Some(old), Some(new)) => format!("{what}: {}", changes(&old, &new)),
            (None, None) => what,
        })
    }
}

fn object(text: Option<&str>) -> Option<Map<String, Value>> {
    match serde_json::from_str(text?) {
        Ok(Value::Object(map)) => Some(map),
        _ => None,
    }
}

/// What is worth knowing of a new row.
fn detail(entity: &str, row: &Map<String, Value>) -> String {
    let field = |name: &str| row.get(name).map(shown).unwrap_or_default();
    match entity {
        "task" | "project" => field("title"),
        "note" | "log_line" => format!("{}: {}", field("author"), field("text")),
        "evidence" => {
            let said = row.get("text").or_else(|| row.get("command")).map(shown);
            format!("{} {}", field("kind"), said.unwrap_or_default()).trim_end().to_owned()
        }
        "policy_value" => field("value"),
        "command_trust" => field("command"),
        "agent" => format!("{} {}", field("engine"), field("lifecycle")),
        "workspace" | "project_repo" => field("path"),
        "message" => format!("{} bytes, {}", field("bytes"), field("level")),
        "project_place" => field("session_name"),
        _ => String::new(),
    }
}

/// `status OPEN → IN_PROGRESS, claimed_by none → w1@here`.
fn changes(old: &Map<String, Value>, new: &Map<String, Value>) -> String {
    let is_loud = |name: &str| {
        !(SILENT.contains(&name) || (name == "substate" && new.contains_key("status")))
    };
    let told = new.iter().filter(|(name, _)| is_loud(name)).map(|(name, value)| {
        format!("{name} {} → {}", shown(old.get(name).unwrap_or(&Value::Null)), shown(value))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { "internal values".to_owned() } else { told.join(", ") }
}

/// A stored value on one line, cut where it is long.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => return "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = text.trim().lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        assert_eq!(changes(&object(Some(old)).unwrap(), &object(Some(new)).unwrap()), expected);
    }

    #[test]
    fn a_change_names_each_field_that_says_something() {
        check(
            r#"{"status":"OPEN","substate":"todo","claimed_by":null,"claimed_uid":null}"#,
            r#"{"status":"IN_PROGRESS","substate":"active","claimed_by":"w1@here","claimed_uid":"u"}"#,
            "status OPEN → IN_PROGRESS, claimed_by none → w1@here",
        );
        check(r#"{"substate":"todo"}"#, r#"{"substate":"parked"}"#, "substate todo → parked");
        check(r#"{"nonce":"a"}"#, r#"{"nonce":null}"#, "internal values");
    }

    #[test]
    fn a_long_or_many_lined_value_is_cut_to_one_line() {
        assert_eq!(shown(&Value::from("one\ntwo")), "one…");
        assert_eq!(shown(&Value::from("é".repeat(80))).chars().count(), LONGEST + 1);
    }
}
