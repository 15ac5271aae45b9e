//! The policy values that workspaces and landing read.

use std::time::Duration;

use drover_core::duration::Limit;
use drover_store::projects;

use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// How long a command of the person's may take unless the policy says otherwise.
const TIMEOUT: Duration = Duration::from_mins(10);
/// What `never` comes to.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// The policy of a project as it was read.
pub(crate) struct Settings {
    values: Vec<(String, String)>,
}

impl Settings {
    /// Reads the policy of a project.
    pub(crate) fn read(ctx: &Ctx, project_pk: i64) -> Result<Self> {
        Ok(Self { values: projects::policy(&ctx.read(), project_pk)? })
    }

    /// The command that every landing must pass where no task has one.
    pub(crate) fn verify(&self) -> Option<&str> {
        self.value("verify")
    }

    /// How long a verify command may take.
    pub(crate) fn verify_timeout(&self) -> Result<Duration> {
        self.timeout("verify_timeout")
    }

    /// How long the setup hook may take.
    pub(crate) fn setup_timeout(&self) -> Result<Duration> {
        self.timeout("setup_timeout")
    }

    /// Ignored files to bring along: a JSON array, or names with commas between them.
    pub(crate) fn bring(&self) -> Vec<String> {
        let Some(value) = self.value("bring") else { return Vec::new() };
        serde_json::from_str(value).unwrap_or_else(|_| {
            value.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
        })
    }

    fn value(&self, key: &str) -> Option<&str> {
        let found = self.values.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        found.map(|it| it.trim()).filter(|it| !it.is_empty())
    }

    fn timeout(&self, key: &str) -> Result<Duration> {
        match self.value(key).map(Limit::parse).transpose()? {
            None => Ok(TIMEOUT),
            Some(Limit::For(time)) => Ok(time),
            Some(Limit::Never) => Ok(FOREVER),
            Some(Limit::AtOnce) => {
                Err(OpError::Usage(format!("the policy {key} is 0, in which no command can end")))
            }
        }
    }
}
