//! Where agents live: the project's session, the marks of this state directory, our own program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drover_host::env;
use drover_host::lock::Locks;
use drover_host::mux::{
    HookIndex, Mux, MuxError, NewPane, PaneIds, SessionId, SpawnPane, WindowId,
};
use drover_host::state_dir::Folder;
use drover_store::agents::Agent;
use drover_store::identity;
use drover_store::projects::Project;

use crate::ctx::Ctx;
use crate::digest::sha256_hex;
use crate::error::{OpError, Result};

/// How long another call may take to make a pane.
const LOCK_LIMIT: Duration = Duration::from_mins(1);
/// Below this, hooks belong to people and other programs.
const FIRST_HOOK: u32 = 10_000;
const HOOKS: u32 = 1_000_000;

/// What tells the panes of this state directory from those of others.
pub(crate) fn state_mark(ctx: &Ctx) -> Result<String> {
    let machine = identity::read(&ctx.read())?.machine_uid;
    let path = ctx.state_path().to_string_lossy();
    let digest = sha256_hex(format!("{machine}\0{path}").as_bytes());
    Ok(digest.get(..16).unwrap_or(&digest).to_owned())
}

/// The place of this state directory's death hook.
pub(crate) fn hook_index(state_mark: &str) -> HookIndex {
    let number = state_mark.get(..8).and_then(|it| u32::from_str_radix(it, 16).ok());
    HookIndex(FIRST_HOOK + number.unwrap_or(0) % HOOKS)
}

/// The program of this process, even after another version has taken its place.
pub(crate) fn own_program() -> Result<PathBuf> {
    let failed = |source| OpError::File { path: "/proc/self/exe".into(), source };
    let path = env::current_exe().map_err(failed)?;
    match path.to_string_lossy().strip_suffix(" (deleted)") {
        Some(replaced) if Path::new(replaced).is_file() => Ok(PathBuf::from(replaced)),
        _ => Ok(path),
    }
}

/// The locks of this state directory.
pub(crate) fn locks(ctx: &Ctx) -> Result<Locks> {
    Ok(Locks::new(ctx.state().folder(Folder::Locks)?))
}

/// The lock that the launch of an agent holds from its first row to its end.
pub(crate) fn launch_lock(project: &Project, name: &str) -> String {
    format!("agent-{}-{name}", project.uid)
}

/// The fifo through which the launcher of an agent answers, one for each launch.
pub(crate) fn fifo(ctx: &Ctx, uid: &str, nonce: &str) -> Result<PathBuf> {
    let launch = nonce.get(..16).unwrap_or(nonce);
    Ok(ctx.state().folder(Folder::Run)?.join(format!("{uid}.{launch}")))
}

/// What the pane of an agent runs: our own launcher, which becomes the agent's program.
pub(crate) fn launcher(ctx: &Ctx, agent: &Agent, nonce: &str) -> Result<NewPane> {
    let words: [OsString; 4] =
        [own_program()?.into(), "agent-launch".into(), (&agent.uid).into(), nonce.into()];
    Ok(NewPane {
        argv: words.into(),
        cwd: PathBuf::from(&agent.profile.cwd),
        env: vec![("DROVER_STATE_DIR".to_owned(), ctx.state_path().as_os_str().to_owned())],
    })
}

/// Which window a new pane gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// One of its own.
    Own,
    /// The one of that name, if there is one and it has room.
    Shared,
}

/// Makes a pane in the session of a project, and the session if there is none.
///
/// Only one call at a time looks for the session of a project, so that it gets one.
pub(crate) fn new_pane(
    mux: &dyn Mux,
    locks: &Locks,
    project: &Project,
    (pane, window): (&SpawnPane, Window),
) -> Result<PaneIds> {
    let _lock = locks.lock(&format!("session-{}", project.uid), LOCK_LIMIT)?;
    if let Some(session) = mux.find_session(&project.uid)? {
        if window == Window::Shared
            && let Some(shared) = window_named(mux, &session.id, &pane.window_name)?
            && let Some(ids) = mux.split_window(&shared, &pane.program)?
        {
            return Ok(ids);
        }
        match mux.new_window(&session.id, pane) {
            Ok(ids) => return Ok(ids),
            // Its last pane has been closed meanwhile, and the session with it.
            Err(MuxError::NoTarget { .. } | MuxError::NoServer { .. }) => {}
            Err(err) => return Err(err.into()),
        }
    }
    let mut name = format!("drover-{}", project.name);
    let mut number = 1;
    loop {
        match mux.new_session(&name, Some(&project.uid), pane) {
            Ok(ids) => return Ok(ids),
            // A person's own session may have this name, and another state directory's too.
            Err(MuxError::SessionExists { .. }) if number < 100 => {
                number += 1;
                name = format!("drover-{}-{number}", project.name);
            }
            Err(err) => return Err(err.into()),
        }
    }
}

/// The window of a name in a session.
fn window_named(mux: &dyn Mux, session: &SessionId, name: &str) -> Result<Option<WindowId>> {
    let panes = mux.panes()?.panes.into_iter();
    let mut of_session = panes.filter(|it| it.session == *session && it.window_name == name);
    Ok(of_session.next().map(|it| it.window))
}
