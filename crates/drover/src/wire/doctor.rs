//! A diagnosis and a copy of the database as JSON.

use drover_ops::backup::Copied;
use drover_ops::doctor::{Diagnosis, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// What `doctor` found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DoctorAnswer {
    /// The findings.
    checks: Items<CheckView>,
    /// How many are broken.
    failed: usize,
    /// How many are worth knowing.
    warned: usize,
    /// What was removed because its time was over; null when that was not asked for.
    tidied: Option<Items<String>>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckView {
    /// What it is about: `environment`, `clients`, `policy`, `multiplexer`, `database`, `calls`, `agents`, `workspaces`, `kept`, `projects`, `disk` or `log`.
    section: &'static str,
    /// What was looked at.
    name: String,
    /// `ok`, `warn` or `fail`.
    severity: &'static str,
    /// What was found.
    detail: String,
    /// The command that puts it right.
    fix: Option<String>,
}

impl From<&Diagnosis> for DoctorAnswer {
    fn from(diagnosis: &Diagnosis) -> Self {
        let checks = diagnosis.checks.iter().map(|it| CheckView {
            section: it.section,
            name: it.name.clone(),
            severity: it.severity.as_str(),
            detail: it.detail.clone(),
            fix: it.fix.clone(),
        });
        Self {
            checks: Items::new(checks.collect()),
            failed: diagnosis.count(Severity::Failure),
            warned: diagnosis.count(Severity::Warning),
            tidied: diagnosis.tidied.clone().map(Items::new),
        }
    }
}

/// A copy of the database.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DatabaseCopied {
    /// The database.
    from: String,
    /// The copy.
    to: String,
    /// The schema version of both; null in a dry run.
    version: Option<i64>,
}

impl From<&Copied> for DatabaseCopied {
    fn from(copied: &Copied) -> Self {
        Self {
            from: copied.from.display().to_string(),
            to: copied.to.display().to_string(),
            version: copied.version,
        }
    }
}
