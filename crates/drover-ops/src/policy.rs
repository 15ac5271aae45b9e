//! The policy of a project: what was set, read with its types.

use drover_core::policy::{Key, Policy};
use drover_core::text::Text;
use drover_store::ReadTx;
use drover_store::projects::{self, Project};

use crate::ctx::Ctx;
use crate::error::{PolicySetError, Result};
use crate::resolve;

/// The policy of a project, with the defaults of what was not set.
pub fn of(tx: &ReadTx<'_>, project_pk: i64) -> Result<Policy> {
    let values = projects::policy(tx, project_pk)?;
    let pairs = values.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    Policy::read(pairs).map_err(|err| PolicySetError::from(err).into())
}

/// A policy value before and after.
#[derive(Debug, Clone)]
pub struct Set {
    /// Where.
    pub project: Project,
    /// The key.
    pub key: Key,
    /// What it was; none where it was not set.
    pub old: Option<String>,
    /// What it is.
    pub new: Option<String>,
}

/// Sets one policy value of the project that is meant, or with `None` takes it back to its default.
pub fn set(ctx: &mut Ctx, key: &str, value: Option<&str>) -> Result<Set> {
    let project = resolve::project(ctx)?;
    let key = Key::parse(key).map_err(PolicySetError::from)?;
    let new = value.map(|it| key.check(it)).transpose().map_err(PolicySetError::from)?;
    if new.as_deref().is_some_and(|it| Text::new(it).redactions() > 0) {
        return Err(PolicySetError::Secret { key: key.as_str() }.into());
    }
    let old = ctx.write("project.set", |tx| {
        let old = projects::policy(tx, project.pk)?.into_iter().find(|it| it.0 == key.as_str());
        projects::set_policy(tx, project.pk, key.as_str(), new.as_deref())?;
        Ok(old.map(|it| it.1))
    })?;
    Ok(Set { project, key, old, new })
}
