//! `project set`: one policy value, or back to its default.

use drover_core::text::Text;
use drover_store::projects::{self, Project};

use crate::ctx::Ctx;
use crate::error::{PolicyError, Result};
use crate::policy_keys::{KEYS, Key, check};
use crate::resolve;

/// A policy value before and after.
#[derive(Debug, Clone)]
pub struct Set {
    /// Where.
    pub project: Project,
    /// The key.
    pub key: &'static Key,
    /// What it was; none where it was not set.
    pub old: Option<String>,
    /// What it is; none where it was taken back to its default.
    pub new: Option<String>,
}

/// Sets one policy value of the project that is meant, or with `None` takes it back to its default.
pub fn set(ctx: &mut Ctx, key: &str, value: Option<&str>) -> Result<Set> {
    let project = resolve::project(ctx)?;
    let refused = |problem| PolicyError::Value {
        key: key.to_owned(),
        value: value.map(str::to_owned),
        problem,
    };
    let new = value.map(str::trim).map(str::to_owned);
    match &new {
        Some(blank) if blank.is_empty() => {
            return Err(
                refused("it is blank; --unset takes a key back to its default".to_owned()).into()
            );
        }
        Some(value) if value.contains('\0') => {
            return Err(refused("it has a NUL in it".to_owned()).into());
        }
        Some(value) => check(key, value).map_err(refused)?,
        None => {}
    }
    let known = KEYS.iter().find(|it| it.name == key);
    let names = || KEYS.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
    let key =
        known.ok_or_else(|| refused(format!("there is no such key; there are {}", names())))?;
    if new.as_deref().is_some_and(|it| Text::new(it).redactions() > 0) {
        return Err(PolicyError::Secret { key: key.name }.into());
    }
    let old = ctx.write("project.set", |tx| {
        let old = projects::policy(tx, project.pk)?.into_iter().find(|it| it.0 == key.name);
        projects::set_policy(tx, project.pk, key.name, new.as_deref())?;
        Ok(old.map(|it| it.1))
    })?;
    Ok(Set { project, key, old, new })
}
