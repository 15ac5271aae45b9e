//! Which variables a new agent gets, checked before anything happens.

use std::ffi::OsStr;

use drover_host::env::is_denied;

use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// The variables of a new agent.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// Those with a value of their own.
    pub(crate) explicit: Vec<(String, String)>,
    /// Those with the caller's value.
    pub(crate) inherited: Vec<(String, String)>,
    /// The names that were asked for beyond the usual ones.
    pub(crate) inherited_names: Vec<String>,
}

/// Reads `NAME=value` words and names to inherit.
pub(crate) fn for_agent(
    ctx: &mut Ctx,
    explicit: &[String],
    inherit: &[String],
) -> Result<Variables> {
    let mut variables = Variables::default();
    for word in explicit {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            OpError::Usage(format!("--env {word} has no value: it is NAME=value"))
        })?;
        check_name("--env", name)?;
        variables.explicit.push((name.to_owned(), value.to_owned()));
    }
    for name in inherit {
        check_name("--inherit", name)?;
        if ctx.env().text(name).is_none() {
            return Err(OpError::Usage(format!(
                "--inherit {name}: it is not set here, or not text"
            )));
        }
    }
    variables.inherited_names = inherit.to_vec();
    let kept = ctx.env().for_agent_anywhere(inherit);
    for (name, value) in kept.iter() {
        match (name.to_str(), value.to_str()) {
            (Some(name), Some(value)) => {
                variables.inherited.push((name.to_owned(), value.to_owned()));
            }
            _ => ctx.warn(format!("{} is not passed on: it is not text", shown(name))),
        }
    }
    Ok(variables)
}

fn check_name(flag: &str, name: &str) -> Result<()> {
    let is_start = |it: char| it.is_ascii_alphabetic() || it == '_';
    let is_rest = |it: char| it.is_ascii_alphanumeric() || it == '_';
    if !name.starts_with(is_start) || !name.chars().all(is_rest) {
        return Err(OpError::Usage(format!("{flag}: {name:?} is not the name of a variable")));
    }
    if is_denied(name) {
        return Err(OpError::Usage(format!(
            "{flag}: {name} would tell the agent that it runs inside another, so no agent gets it"
        )));
    }
    Ok(())
}

fn shown(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}
