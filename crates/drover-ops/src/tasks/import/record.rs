//! One object of another program's export, from which fields are taken one by one.

use std::fmt::Write as _;

use drover_core::text::Text;
use serde_json::{Map, Value};

use super::findings::Findings;
use super::item::Place;

/// An object and where it stands.
pub(super) struct Record {
    pub(super) place: Place,
    fields: Map<String, Value>,
}

impl Record {
    pub(super) fn new(place: Place, fields: Map<String, Value>) -> Self {
        Self { place, fields }
    }

    /// Takes a field out; `null` is as good as nothing.
    pub(super) fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.shift_remove(field).filter(|it| !it.is_null())
    }

    /// Takes a field out if it says just this.
    pub(super) fn take_if(&mut self, field: &str, word: &str) {
        if self.fields.get(field).is_some_and(|it| it == word) {
            self.fields.shift_remove(field);
        }
    }

    /// The text of a field, which stays.
    pub(super) fn peek(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    /// Takes a text out; anything else under its name is wrong.
    pub(super) fn text(&mut self, field: &str, findings: &mut Findings) -> Option<String> {
        match self.take(field)? {
            Value::String(text) => Some(text),
            other => {
                findings.wrong(self.place.field(field), format!("{} is no text", short(&other)));
                None
            }
        }
    }

    /// Takes a list of texts out.
    pub(super) fn texts(&mut self, field: &str, findings: &mut Findings) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for (number, value) in self.list(field, findings)?.into_iter().enumerate() {
            match value {
                Value::String(text) => texts.push(text),
                other => findings.wrong(
                    self.place.field(&format!("{field}[{number}]")),
                    format!("{} is no text", short(&other)),
                ),
            }
        }
        Some(texts)
    }

    /// Takes a list of objects out.
    pub(super) fn objects(&mut self, field: &str, findings: &mut Findings) -> Vec<Self> {
        let mut objects = Vec::new();
        for (number, value) in self.list(field, findings).into_iter().flatten().enumerate() {
            match value {
                Value::Object(fields) => objects.push(Self { place: self.place, fields }),
                other => findings.wrong(
                    self.place.field(&format!("{field}[{number}]")),
                    format!("{} is no object", short(&other)),
                ),
            }
        }
        objects
    }

    fn list(&mut self, field: &str, findings: &mut Findings) -> Option<Vec<Value>> {
        match self.take(field)? {
            Value::Array(values) => Some(values),
            other => {
                findings.wrong(self.place.field(field), format!("{} is no list", short(&other)));
                None
            }
        }
    }

    /// The id and the title, without which there is no task.
    pub(super) fn identity(
        &mut self,
        (id, title): (&str, &str),
        findings: &mut Findings,
    ) -> (String, Text) {
        let found = self.text(id, findings).unwrap_or_default();
        let found = findings.foreign_id(self.place.field(id), &found);
        let words = self.text(title, findings).unwrap_or_default();
        if words.trim().is_empty() {
            findings.wrong(self.place.field(title), "it is missing or blank");
            return (found, Text::new(""));
        }
        (found, findings.title(self.place, &words))
    }

    /// All that was not taken, as the lines of a note.
    pub(super) fn rest(self, heading: &str, findings: &mut Findings) -> Option<Text> {
        let mut note = String::new();
        for (field, value) in self.fields {
            let words = match value {
                Value::Null => continue,
                Value::String(text) if text.is_empty() => continue,
                Value::String(text) => text,
                other => other.to_string(),
            };
            let _ = write!(note, "\n{field}: {words}");
            *findings.account.in_notes.entry(field).or_default() += 1;
        }
        if note.is_empty() {
            return None;
        }
        findings.note(self.place.field("the other fields"), &format!("{heading}{note}"))
    }
}

/// A value as a refusal shows it.
pub(super) fn short(value: &Value) -> String {
    let words = value.to_string();
    if words.chars().count() <= 40 {
        return words;
    }
    let start: String = words.chars().take(40).collect();
    format!("{start}…")
}
