//! What a reader finds in a file besides tasks: what is wrong, what is left out, what is kept otherwise.

use std::collections::BTreeMap;

use drover_core::task::OwnedPath;
use drover_core::text::Text;
use jiff::Timestamp;
use serde_json::Value;

use super::item::Place;
use crate::error::{ImportError, Problem, Result};
use crate::tasks::shared::{LONGEST_LABEL, LONGEST_PROSE, LONGEST_TITLE};

/// So many things that are wrong are named; who reads on finds no more.
const MOST_PROBLEMS: usize = 1000;
/// The longest id that a task of another program may have, in bytes.
const LONGEST_ID: usize = 256;

/// A field that is not as the file says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The task.
    pub task: String,
    /// The field.
    pub field: &'static str,
    /// What the file says.
    pub plan: String,
    /// What the task says.
    pub row: String,
}

/// Something that a file says and no task keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Where, as `line 7`.
    pub place: String,
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

/// Something that a file says and a task keeps in other words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Substitute {
    /// Where, as `line 7`.
    pub place: String,
    /// What the file says.
    pub what: String,
    /// What the task has instead.
    pub instead: String,
}

/// What became of all that is no plain field of a task.
#[derive(Debug, Clone, Default)]
pub(super) struct Account {
    pub(super) left_out: Vec<LeftOut>,
    pub(super) substituted: Vec<Substitute>,
    /// Fields that are kept as lines of a note, and how often.
    pub(super) in_notes: BTreeMap<String, usize>,
    /// Relations that are no edges and are kept as notes.
    pub(super) relations: usize,
    /// How many secrets were taken out of texts.
    pub(super) redactions: usize,
}

/// What a reader has found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    problems: Vec<Problem>,
    pub(super) account: Account,
}

impl Findings {
    /// Something is wrong; the file will be refused.
    pub(super) fn wrong(&mut self, path: String, what: impl Into<String>) {
        if !self.is_full() {
            self.problems.push(Problem { path, what: what.into() });
        }
    }

    /// Whether so much is wrong that reading on is of no use.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    pub(super) fn leave_out(&mut self, place: Place, what: impl Into<String>, why: &str) {
        let (place, what, why) = (place.to_string(), what.into(), why.to_owned());
        self.account.left_out.push(LeftOut { place, what, why });
    }

    pub(super) fn substitute(&mut self, place: Place, what: impl Into<String>, instead: &str) {
        let (place, what, instead) = (place.to_string(), what.into(), instead.to_owned());
        self.account.substituted.push(Substitute { place, what, instead });
    }

    /// What came of it all, or everything that is wrong.
    pub(super) fn finish(self) -> Result<Account> {
        if self.problems.is_empty() {
            return Ok(self.account);
        }
        Err(ImportError::Wrong { problems: self.problems }.into())
    }

    /// A text without secrets; one that is too long or has a NUL in it is wrong.
    fn text(&mut self, path: String, text: &str, longest: usize) -> Text {
        if text.len() > longest {
            let length = text.len();
            self.wrong(path, format!("it has {length} bytes, and at most {longest} are kept"));
            return Text::new("");
        }
        if text.contains('\0') {
            self.wrong(path, "it has a NUL in it");
        }
        let text = Text::new(text);
        self.account.redactions += text.redactions();
        text
    }

    pub(super) fn title(&mut self, place: Place, text: &str) -> Text {
        if text.trim().is_empty() {
            self.wrong(place.field("title"), "it is blank");
        }
        self.text(place.field("title"), text.trim(), LONGEST_TITLE)
    }

    /// A note; none where there is nothing in it.
    pub(super) fn note(&mut self, path: String, text: &str) -> Option<Text> {
        (!text.trim().is_empty()).then(|| self.text(path, text, LONGEST_PROSE))
    }

    /// An impact and an effort within their ranges.
    pub(super) fn numbers(&mut self, place: Place, (impact, effort): (Option<i64>, Option<f64>)) {
        if impact.is_some_and(|it| !(1..=100).contains(&it)) {
            self.wrong(place.field("impact"), "it goes from 1 to 100");
        }
        if effort.is_some_and(|it| !(it.is_finite() && it > 0.0)) {
            self.wrong(place.field("effort_days"), "it must be above 0");
        }
    }

    /// The id of a task in another program.
    pub(super) fn foreign_id(&mut self, path: String, id: &str) -> String {
        let id = id.trim();
        if id.is_empty() {
            self.wrong(path, "it is blank");
        } else if id.len() > LONGEST_ID {
            self.wrong(path, format!("an id has at most {LONGEST_ID} bytes"));
        } else if id.chars().any(char::is_control) {
            self.wrong(path, "it has a control character in it");
        } else if Text::new(id).redactions() > 0 {
            self.wrong(path, "it holds what looks like a secret");
        }
        id.to_owned()
    }

    /// Labels as a JSON array.
    pub(super) fn labels(&mut self, place: Place, labels: &[String]) -> String {
        let mut kept = Vec::with_capacity(labels.len());
        for (number, label) in labels.iter().enumerate() {
            let path = place.field(&format!("labels[{number}]"));
            if label.trim().is_empty() {
                self.wrong(path, "it is blank");
            } else {
                kept.push(self.text(path, label.trim(), LONGEST_LABEL).into_string());
            }
        }
        Value::from(kept).to_string()
    }

    /// Owned paths as a JSON array.
    pub(super) fn owns(&mut self, place: Place, paths: &[String]) -> String {
        let mut kept = Vec::with_capacity(paths.len());
        for (number, path) in paths.iter().enumerate() {
            match OwnedPath::parse(path) {
                Ok(path) => kept.push(path.to_string()),
                Err(err) => self.wrong(place.field(&format!("owns[{number}]")), err.to_string()),
            }
        }
        Value::from(kept).to_string()
    }

    pub(super) fn verify(&mut self, place: Place, command: String) -> String {
        let path = place.field("verify");
        if command.trim().is_empty() || command.contains('\0') {
            self.wrong(path, "it is blank or has a NUL in it");
        } else if command.len() > LONGEST_TITLE {
            self.wrong(path, format!("a command has at most {LONGEST_TITLE} bytes"));
        } else if Text::new(&command).redactions() > 0 {
            self.wrong(path, "it holds what looks like a secret: let it read a file");
        }
        command
    }

    /// A time of the years 1 to 9999; another is replaced by the time of the import and named.
    ///
    /// The first instant of the year 1 is how some programs write that they know no time.
    pub(super) fn time(&mut self, place: Place, field: &str, text: &str) -> Option<Timestamp> {
        let read = text.trim().parse::<Timestamp>().ok();
        if let Some(time) = read.filter(|it| !it.to_string().starts_with('-')) {
            return (!text.trim().starts_with("0001-01-01T00:00:00")).then_some(time);
        }
        let said: String = text.chars().take(40).collect();
        self.substitute(place, format!("{field} {said:?}"), "the time of the import");
        None
    }
}
