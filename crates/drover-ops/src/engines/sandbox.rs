//! What a sandboxed agent may write beside its directory, and how its task verbs get out of the sandbox.
//!
//! The repository behind a workspace lies outside it, so a sandbox that ends at the workspace lets
//! no commit through. What a commit writes is granted; hooks and settings are not, because what
//! stands there runs outside the sandbox later.

use std::path::{Path, PathBuf};

use drover_host::workspace::git;
use drover_store::agents::{self, Agent};

use super::kind::Kind;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};

/// What Codex may touch, in its own words.
const CODEX: [&str; 3] = ["read-only", "workspace-write", "danger-full-access"];
/// What a commit writes in the directory that all checkouts share.
const SHARED: [&str; 3] = ["objects", "refs", "logs"];
/// The variables that say to our own program who calls it and where; an MCP server gets no others.
const VARIABLES: [&str; 9] = [
    "DROVER_STATE_DIR",
    "DROVER_TOKEN",
    "DROVER_AGENT",
    "DROVER_AGENT_UID",
    "DROVER_PROJECT",
    "TMUX",
    "TMUX_PANE",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

/// Refuses a sandbox that the engine does not have, or that Drover cannot tell it of.
pub(crate) fn check(engine: &str, sandbox: Option<&str>) -> Result<()> {
    let Some(sandbox) = sandbox else { return Ok(()) };
    match Kind::of(engine) {
        Some(Kind::Codex) if CODEX.contains(&sandbox) => Ok(()),
        Some(Kind::Codex) => Err(OpError::Usage(format!(
            "{sandbox} is not a sandbox of codex; it is one of {}",
            CODEX.join(", ")
        ))),
        Some(Kind::Pi | Kind::Claude) | None => Err(OpError::Usage(format!(
            "{engine} has no sandbox that Drover could set, so --sandbox would do nothing"
        ))),
    }
}

/// Decides and keeps what an agent that is about to be launched may write outside its directory, and
/// says what will fail there.
pub(crate) fn grant(ctx: &mut Ctx, agent: &Agent) -> Result<()> {
    let profile = &agent.profile;
    let (Some(Kind::Codex), false) = (Kind::of(&profile.engine), ctx.is_dry_run()) else {
        return Ok(());
    };
    let asked = ctx.config()?.engine(&profile.engine).writable_roots;
    let found = match profile.sandbox.as_deref() {
        Some("danger-full-access") => return Ok(()),
        Some("read-only") => {
            ctx.warn(format!(
                "the sandbox of {} lets it change no file, so it can commit nothing; \
                 its task verbs work over MCP",
                agent.name
            ));
            return Ok(());
        }
        _ => Repository::behind(Path::new(&profile.cwd))?,
    };
    let mut roots = asked.others;
    match found {
        Repository::Linked(writes) if asked.repository => roots.extend(writes),
        Repository::Linked(_) => ctx.warn(withheld(agent, "writable_roots is false")),
        Repository::Own => ctx.warn(withheld(agent, "it is the repository's first checkout")),
        Repository::None => {}
    }
    let texts = roots.iter().map(|it| crate::directory::text(it)).collect::<Result<Vec<_>>>()?;
    let kept = serde_json::Value::from(texts).to_string();
    ctx.step("agent.spawn", |tx| Ok(agents::set_writable_roots(tx, agent.pk, &kept)?))
}

fn withheld(agent: &Agent, why: &str) -> String {
    format!(
        "the sandbox of {} keeps its repository read-only, because {why}: \
         git add and git commit will fail in {}",
        agent.name, agent.profile.cwd
    )
}

/// The repository behind a directory, as a sandbox around that directory meets it.
enum Repository {
    /// Outside it; these are what a commit writes there.
    Linked(Vec<PathBuf>),
    /// Inside it, where Codex keeps it read-only.
    Own,
    /// None.
    None,
}

impl Repository {
    fn behind(directory: &Path) -> Result<Self> {
        if let (Some(jj), false) = (git::jj_repository(directory), directory.join(".git").exists())
        {
            let common = git::directories(directory)?.common;
            let shared = SHARED.map(|it| common.join(it)).into_iter().filter(|it| it.is_dir());
            return Ok(Self::Linked(std::iter::once(jj).chain(shared).collect()));
        }
        if git::repository(directory).is_err() {
            return Ok(Self::None);
        }
        let found = git::directories(directory)?;
        if !found.is_linked() {
            return Ok(Self::Own);
        }
        let shared = SHARED.map(|it| found.common.join(it));
        Ok(Self::Linked(
            std::iter::once(found.own).chain(shared).filter(|it| it.is_dir()).collect(),
        ))
    }
}

/// The words that tell an engine what was granted and how it reaches Drover from inside its sandbox.
pub(crate) fn arguments(agent: &Agent, roots: &[String], program: &Path) -> Vec<String> {
    let Some(Kind::Codex) = Kind::of(&agent.profile.engine) else { return Vec::new() };
    let roots = roots.iter().flat_map(|it| ["--add-dir".to_owned(), it.clone()]);
    let quoted = |words: &[&str]| serde_json::Value::from(words.to_vec()).to_string();
    let program = serde_json::Value::from(program.to_string_lossy().into_owned());
    // Codex runs its MCP servers outside the sandbox of its commands; the role of the caller is
    // what binds the tools, so asking about each call would only be in the way.
    let server = [
        ("command", program.to_string()),
        ("args", quoted(&["mcp"])),
        ("env_vars", quoted(&VARIABLES)),
        ("default_tools_approval_mode", "\"approve\"".to_owned()),
    ];
    let server = server
        .into_iter()
        .flat_map(|(key, value)| ["-c".to_owned(), format!("mcp_servers.drover.{key}={value}")]);
    roots.chain(server).collect()
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Fault P-28.
    #[test]
    fn a_sandbox_that_would_be_dropped_is_refused() {
        assert!(check("codex", None).is_ok() && check("pi", None).is_ok());
        assert!(CODEX_WORDS.iter().all(|it| check("codex", Some(it)).is_ok()));
        for (engine, sandbox) in [("codex", "strict"), ("pi", "read-only"), ("shell", "any")] {
            let refusal = check(engine, Some(sandbox)).unwrap_err().to_string();
            assert!(refusal.contains(engine), "{refusal}");
        }
    }

    const CODEX_WORDS: [&str; 3] = super::CODEX;
}
