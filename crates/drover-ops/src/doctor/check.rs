//! One thing that `doctor` looked at, and what it found.

use crate::error::Result;

/// How good or bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// As it should be.
    Fine,
    /// Worth knowing, works all the same.
    Warning,
    /// Something is broken.
    Failure,
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Warning => "warn",
            Self::Failure => "fail",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it is about, as `environment`.
    pub section: &'static str,
    /// What was looked at.
    pub name: String,
    /// How good or bad it is.
    pub severity: Severity,
    /// What was found.
    pub detail: String,
    /// The command that puts it right, where there is one.
    pub fix: Option<String>,
}

impl Check {
    pub(super) fn fine(
        section: &'static str,
        name: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        let severity = Severity::Fine;
        Self { section, name: name.into(), severity, detail: detail.into(), fix: None }
    }

    pub(super) fn warning(
        section: &'static str,
        name: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::fine(section, name, detail) }
    }

    /// Something is broken.
    pub fn failure(
        section: &'static str,
        name: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Failure, ..Self::fine(section, name, detail) }
    }

    /// The same with the command that puts it right.
    #[must_use]
    pub fn fix(self, command: impl Into<String>) -> Self {
        Self { fix: Some(command.into()), ..self }
    }
}

/// The findings, or that the look itself failed: one broken thing must not hide the others.
pub(super) fn or_failure(
    section: &'static str,
    name: &str,
    found: Result<Vec<Check>>,
) -> Vec<Check> {
    found.unwrap_or_else(|err| vec![Check::failure(section, name, err.to_string())])
}
