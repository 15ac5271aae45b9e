//! Commands that came from outside: they run only after a person has seen them and said so.

use std::io::ErrorKind;
use std::path::PathBuf;

use drover_core::text::Text;
use drover_store::ReadTx;
use drover_store::projects::{self, Project, Trust};
use drover_store::{tasks, workspaces};

use crate::ctx::Ctx;
use crate::digest::sha256_hex;
use crate::error::{OpError, PolicyError, Result};
use crate::resolve;

/// The file in a repository whose text a new workspace runs first.
pub const SETUP_FILE: &str = ".drover/setup";

/// What a command is for; a text that is trusted for one is not for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Proves a task done.
    Verify,
    /// Prepares a new workspace.
    Setup,
}

impl Kind {
    /// The word in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Setup => "setup",
        }
    }
}

/// Whether this very text may run in a project; a changed text is another one.
pub fn is_trusted(tx: &ReadTx<'_>, project_pk: i64, kind: Kind, text: &[u8]) -> Result<bool> {
    Ok(projects::is_trusted(tx, project_pk, kind.as_str(), &sha256_hex(text))?)
}

/// A command that nobody has trusted yet.
#[derive(Debug, Clone)]
pub struct Untrusted {
    /// What it is for.
    pub kind: Kind,
    /// SHA-256 of its text, in hex.
    pub digest: String,
    /// The whole text.
    pub text: String,
    /// Where it comes from, as `task build` or a file.
    pub source: String,
}

/// The project that is meant with its untrusted commands: of open tasks from a plan, and the setup
/// files of its repository and its workspaces.
pub fn untrusted(ctx: &Ctx) -> Result<(Project, Vec<Untrusted>)> {
    let project = resolve::project(ctx)?;
    let tx = ctx.read();
    let plans = tasks::plan_commands(&tx, project.pk)?;
    let mut found: Vec<(Kind, Vec<u8>, String)> = plans
        .into_iter()
        .map(|(text, task)| (Kind::Verify, text.into_bytes(), format!("task {task}")))
        .collect();
    found.extend(setup_files(&tx, &project)?);
    let mut untrusted: Vec<Untrusted> = Vec::new();
    for (kind, text, source) in found {
        let digest = sha256_hex(&text);
        let is_known = untrusted.iter().any(|it| it.kind == kind && it.digest == digest);
        if !is_known && !is_trusted(&tx, project.pk, kind, &text)? {
            let text = String::from_utf8_lossy(&text).into_owned();
            untrusted.push(Untrusted { kind, digest, text, source });
        }
    }
    Ok((project, untrusted))
}

/// The setup files as they stand in the main working tree and in every checkout.
fn setup_files(tx: &ReadTx<'_>, project: &Project) -> Result<Vec<(Kind, Vec<u8>, String)>> {
    let repository = projects::repository(tx, project.pk)?.map(|it| it.path);
    let checkouts = workspaces::list(tx, project.pk)?;
    let checkouts = checkouts.into_iter().filter(|it| it.state != "branch_only").map(|it| it.path);
    let mut found = Vec::new();
    for folder in repository.into_iter().chain(checkouts) {
        let path = PathBuf::from(folder).join(SETUP_FILE);
        match std::fs::read(&path) {
            Ok(text) => found.push((Kind::Setup, text, path.display().to_string())),
            Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(source) => return Err(OpError::File { path, source }),
        }
    }
    Ok(found)
}

/// Trusts every command that is untrusted now, and returns them. Only a person may.
pub fn trust(ctx: &mut Ctx) -> Result<(Project, Vec<Untrusted>)> {
    ctx.people_only("project trust")?;
    let (project, commands) = untrusted(ctx)?;
    let trusted_by = ctx.actor().word();
    ctx.write("project.trust", |tx| {
        for command in &commands {
            let trust = Trust {
                kind: command.kind.as_str().to_owned(),
                digest: command.digest.clone(),
                command: Text::new(&command.text).into_string(),
                source: command.source.clone(),
                trusted_by: trusted_by.clone(),
            };
            projects::trust(tx, project.pk, &trust)?;
        }
        Ok(())
    })?;
    Ok((project, commands))
}

/// The trusted commands of the project that is meant.
pub fn list(ctx: &Ctx) -> Result<(Project, Vec<Trust>)> {
    let project = resolve::project(ctx)?;
    let trusted = projects::trusted(&ctx.read(), project.pk)?;
    Ok((project, trusted))
}

/// Takes the trust in a command back, named by its digest or the beginning of it.
pub fn revoke(ctx: &mut Ctx, digest: &str) -> Result<(Project, Trust)> {
    ctx.people_only("project trust")?;
    let (project, trusted) = list(ctx)?;
    let mut found: Vec<Trust> = trusted
        .into_iter()
        .filter(|it| !digest.is_empty() && it.digest.starts_with(digest))
        .collect();
    let given = digest.to_owned();
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(PolicyError::UnknownDigest { given, project: project.name }.into()),
        (Some(last), false) => {
            let candidates = found.iter().chain([&last]).map(|it| it.digest.clone()).collect();
            Err(PolicyError::AmbiguousDigest { given, candidates }.into())
        }
        (Some(only), true) => {
            ctx.write("project.trust", |tx| {
                Ok(projects::distrust(tx, project.pk, &only.kind, &only.digest)?)
            })?;
            Ok((project, only))
        }
    }
}
