//! Policy and trust as JSON.

use drover_ops::projects::Set;
use drover_ops::rows::Trust;
use drover_ops::trust::Untrusted;
use schemars::JsonSchema;
use serde::Serialize;

use super::Items;

/// A policy value before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicySet {
    /// Where.
    project: String,
    /// The key.
    key: String,
    /// What it was; null where it was not set.
    was: Option<String>,
    /// What it is; null where it has its default.
    value: Option<String>,
}

impl From<&Set> for PolicySet {
    fn from(set: &Set) -> Self {
        Self {
            project: set.project.name.clone(),
            key: set.key.name.to_owned(),
            was: set.old.clone(),
            value: set.new.clone(),
        }
    }
}

/// A command from outside.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommandView {
    /// `verify` or `setup`.
    kind: String,
    /// SHA-256 of its text.
    digest: String,
    /// The text.
    command: String,
    /// Where it comes from.
    source: String,
    /// Who trusts it; null while nobody does.
    trusted_by: Option<String>,
}

impl From<&Untrusted> for CommandView {
    fn from(command: &Untrusted) -> Self {
        Self {
            kind: command.kind.as_str().to_owned(),
            digest: command.digest.clone(),
            command: command.text.clone(),
            source: command.source.clone(),
            trusted_by: None,
        }
    }
}

impl From<&Trust> for CommandView {
    fn from(trust: &Trust) -> Self {
        Self {
            kind: trust.kind.clone(),
            digest: trust.digest.clone(),
            command: trust.command.clone(),
            source: trust.source.clone(),
            trusted_by: Some(trust.trusted_by.clone()),
        }
    }
}

/// Commands from outside of one project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Commands {
    /// The project.
    pub(crate) project: String,
    /// The commands.
    pub(crate) commands: Items<CommandView>,
}
