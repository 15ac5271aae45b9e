//! What a new checkout gets beyond its commit: ignored files of the source, and the setup hook.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_core::task::OwnedPath;
use drover_core::workspace::wanted;
use drover_host::files;
use drover_host::process::Command;
use drover_host::workspace::{Kind, git};
use drover_store::projects::Project;
use serde::{Deserialize, Serialize};

use super::place::shown;
use crate::ctx::Ctx;
use crate::error::{OpError, Result, WorkspaceError, at_file};
use crate::logged;
use crate::policy::Policy;
use crate::trust::{self, SETUP_FILE};

/// A checkout that is being furnished.
pub(crate) struct Bare<'a> {
    pub(crate) project: &'a Project,
    pub(crate) agent: &'a str,
    /// The checkout that files are brought from.
    pub(crate) source: &'a Path,
    /// The new checkout.
    pub(crate) path: &'a Path,
    /// What keeps it.
    pub(crate) kind: Kind,
}

/// A file that was brought along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Brought {
    /// Its path below the checkout.
    pub(crate) path: String,
    /// SHA-256 of what was brought, in hex.
    pub(crate) digest: String,
}

/// Brings along what the policy lists, then runs the setup hook if it is trusted.
pub(crate) fn furnish(ctx: &mut Ctx, bare: &Bare<'_>) -> Result<Vec<Brought>> {
    let policy = Policy::of(ctx, bare.project)?;
    let mut brought = Vec::new();
    // A copy has it all.
    let is_bare = bare.kind != Kind::Copy;
    for given in policy.bring.iter().filter(|_| is_bare) {
        let path = OwnedPath::parse(given)
            .map_err(|err| OpError::Usage(format!("the policy bring: {err}")))?;
        if let Some(problem) = hindrance(bare, path.path())? {
            ctx.warn(format!("{} was not brought along: {problem}", path.path()));
            continue;
        }
        let (source, target) = (bare.source.to_owned(), bare.path.to_owned());
        let what = format!("copy {} from {} to {}", path.path(), shown(&source), shown(&target));
        let copied = ctx.act(what, || bring(&source, &target, Path::new(path.path())))?;
        brought.extend(copied.into_iter().flatten());
    }
    set_up(ctx, bare, policy.setup_timeout.unwrap_or(Duration::MAX))?;
    Ok(brought)
}

/// Why a listed path is not brought along.
fn hindrance(bare: &Bare<'_>, path: &str) -> Result<Option<String>> {
    if bare.source.join(path).symlink_metadata().is_err() {
        return Ok(Some(format!("it is not in {}", shown(bare.source))));
    }
    let is_ignored = git::is_ignored(bare.source, Path::new(path))?;
    Ok((!is_ignored).then(|| "git does not ignore it".to_owned()))
}

fn bring(source: &Path, target: &Path, path: &Path) -> Result<Vec<Brought>> {
    let mut brought = Vec::new();
    let files = files::files_below(source, path, |_| true).map_err(at_file(source.join(path)))?;
    let wanted: BTreeSet<&Path> = wanted(&files).collect();
    for file in &files {
        let to = target.join(file);
        if to.symlink_metadata().is_ok() {
            continue;
        }
        let at = || at_file(to.clone());
        files::make_private_directory(to.parent().unwrap_or(target)).map_err(at())?;
        files::copy_tree(&source.join(file), &to).map_err(at())?;
        // What is made again needs no digest: nobody asks whether it was changed.
        let Some(text) = file.to_str().filter(|_| wanted.contains(file.as_path())) else {
            continue;
        };
        if to.is_file() || to.is_symlink() {
            let digest = files::digest(&to).map_err(at())?;
            brought.push(Brought { path: text.to_owned(), digest });
        }
    }
    Ok(brought)
}

fn set_up(ctx: &mut Ctx, bare: &Bare<'_>, timeout: Duration) -> Result<()> {
    let hook = bare.path.join(SETUP_FILE);
    if !hook.symlink_metadata().is_ok_and(|it| it.is_file()) {
        return Ok(());
    }
    let bytes = std::fs::read(&hook).map_err(at_file(&hook))?;
    if !trust::is_trusted(&ctx.read(), bare.project.pk, trust::Kind::Setup, &bytes)? {
        let name = &bare.project.name;
        ctx.warn(format!(
            "the setup hook {SETUP_FILE} was not run: nobody trusts it yet; read it, then: drover project trust -p {name}"
        ));
        return Ok(());
    }
    let log = logged::new_log(ctx, "setup")?;
    let command = hook_command(ctx, bare, &hook);
    let ran = ctx.act(format!("run {}", shown(&hook)), || logged::run(command, timeout, log))?;
    match ran {
        Some(ran) if !ran.is_success() => Err(WorkspaceError::SetupFailed {
            agent: bare.agent.to_owned(),
            how: ran.how(),
            log: ran.log,
        }
        .into()),
        _ => Ok(()),
    }
}

/// The hook itself where it may be executed, else the shell with it.
fn hook_command(ctx: &Ctx, bare: &Bare<'_>, hook: &PathBuf) -> Command {
    let mut environment = ctx.env().for_agent(&[]);
    environment.set("DROVER_PROJECT", &bare.project.name);
    environment.set("DROVER_AGENT", bare.agent);
    environment.set("DROVER_SOURCE", bare.source);
    environment.set("DROVER_WORKSPACE", bare.path);
    let command = match drover_host::process::find_program(hook, &environment) {
        Some(_) => Command::new(hook, bare.path),
        None => Command::new("/bin/sh", bare.path).arg(hook),
    };
    command.environment(environment)
}
