//! A file of tasks, read whole and checked, whatever form it has.

use std::collections::HashMap;

use jiff::Timestamp;

use super::findings::{Account, Findings};
use super::format::Format;
use super::item::{Item, Place};
use super::{beads, json, markdown, taskwarrior};
use crate::error::{ImportError, Result};

/// A graph of tasks as a file says it.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) format: Format,
    pub(super) items: Vec<Item>,
    pub(super) account: Account,
}

impl Plan {
    /// Reads our own JSON plan.
    pub fn parse(text: &str) -> Result<Self> {
        Self::read(Format::Plan, text, Timestamp::UNIX_EPOCH)
    }

    /// Reads a file; everything that is wrong in it is named. `now` decides what still waits.
    pub fn read(format: Format, text: &str, now: Timestamp) -> Result<Self> {
        let mut findings = Findings::default();
        let items = match format {
            Format::Plan => json::read(text, &mut findings)?,
            Format::Beads => beads::read(text, &mut findings)?,
            Format::Markdown => markdown::read(text, &mut findings),
            Format::Taskwarrior => taskwarrior::read(text, now, &mut findings)?,
        };
        check_ids(format, &items, &mut findings);
        let account = findings.finish()?;
        Ok(Self { format, items, account })
    }

    /// How many tasks it has.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it has no task.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

fn check_ids(format: Format, items: &[Item], findings: &mut Findings) {
    let field = if format == Format::Taskwarrior { "uuid" } else { "id" };
    let mut first: HashMap<&str, Place> = HashMap::with_capacity(items.len());
    for item in items.iter().filter(|it| !it.source_id.is_empty()) {
        if let Some(earlier) = first.get(item.source_id.as_str()) {
            let what = format!("{} is the id of {earlier} too", item.source_id);
            findings.wrong(item.place.field(field), what);
        } else {
            first.insert(&item.source_id, item.place);
        }
    }
}

/// The text of a file; what is not UTF-8 is named with its line.
pub fn decode(bytes: Vec<u8>) -> Result<String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ImportError::Encoding { line: 1, byte: 0, guess: ", but UTF-16" }.into());
    }
    let text = String::from_utf8(bytes).map_err(|err| {
        let byte = err.utf8_error().valid_up_to();
        let before = err.as_bytes().get(..byte).unwrap_or_default();
        let line = before.split(|it| *it == b'\n').count();
        ImportError::Encoding { line, byte, guess: "" }
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
