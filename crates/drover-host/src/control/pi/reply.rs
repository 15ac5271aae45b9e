//! An answer of the extension's, its fields read with their absence named.

use std::path::Path;

use serde_json::Value;

use super::error::{PROTOCOL, PiError};
use crate::control::error::ControlError;

/// How much of something that is no answer is shown.
const EXCERPT: usize = 80;

/// An answer that says that all went well.
#[derive(Debug)]
pub(super) struct Reply<'a> {
    path: &'a Path,
    fields: Value,
}

impl<'a> Reply<'a> {
    /// Reads a line: another version, a refusal and garbage are errors of their own.
    pub(super) fn read(path: &'a Path, line: &str) -> Result<Self, PiError> {
        let excerpt = || format!("{:?}", line.chars().take(EXCERPT).collect::<String>());
        let garbage = || ControlError::Garbage { path: path.to_owned(), what: excerpt() };
        let fields: Value = serde_json::from_str(line).map_err(|_| garbage())?;
        let version = fields.get("v").ok_or_else(garbage)?;
        if version.as_u64() != Some(PROTOCOL) {
            let (path, found) = (path.to_owned(), version.to_string());
            return Err(ControlError::Version { path, found, wanted: PROTOCOL }.into());
        }
        let reply = Self { path, fields };
        match reply.fields.get("ok").and_then(Value::as_bool) {
            Some(true) => Ok(reply),
            Some(false) => {
                let code = reply.needed_text("error")?;
                let detail = reply.text("detail").unwrap_or_else(|| code.clone());
                Err(PiError::Said { code, detail })
            }
            None => Err(garbage().into()),
        }
    }

    /// A field with text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.fields.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// A field that must hold text.
    pub(super) fn needed_text(&self, name: &str) -> Result<String, ControlError> {
        self.text(name).ok_or_else(|| self.lacks(name))
    }

    /// A field that must hold a whole number.
    pub(super) fn number(&self, name: &str) -> Result<i64, ControlError> {
        self.fields.get(name).and_then(Value::as_i64).ok_or_else(|| self.lacks(name))
    }

    /// Whether a field says yes.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A field with fields of its own.
    pub(super) fn part(&self, name: &str) -> Option<Self> {
        let fields = self.fields.get(name).filter(|it| it.is_object())?.clone();
        Some(Self { path: self.path, fields })
    }

    /// An answer without what it must hold.
    pub(super) fn lacks(&self, name: &str) -> ControlError {
        let what = format!("an answer without a usable {name:?}");
        ControlError::Garbage { path: self.path.to_owned(), what }
    }
}
