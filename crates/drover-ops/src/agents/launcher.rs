//! The launcher: what an agent's pane runs first. It binds itself to its row and becomes the agent.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use drover_core::agent::{Lifecycle, label};
use drover_core::step;
use drover_core::text::Text;
use drover_host::env::{self, Env};
use drover_host::fifo::FifoWriter;
use drover_host::mux::{self, Mux, MuxError, PaneId, Session};
use drover_host::{proc, process, random};
use drover_store::agents::{self, Agent, Binding, Process};
use drover_store::projects::{self, Place};
use drover_store::{tasks, workspaces};

use super::{hooks, place, restore};
use crate::ctx::Ctx;
use crate::digest::sha256_hex;
use crate::engines::{self, Launch};
use crate::error::{OpError, Result};
use crate::policy::Policy;

/// Binds this pane to the agent it was made for and becomes the agent's program.
///
/// Returns only when that failed, with the reason, which the one who made the pane has read too.
pub fn run(uid: &str, nonce: &str) -> String {
    let mut fifo = None;
    let failure = match prepare(uid, nonce, &mut fifo) {
        Ok(ready) => {
            let source = process::exec(&ready.argv, &ready.environment, &ready.cwd);
            let program = ready.argv.first().cloned().unwrap_or_default();
            let failure = format!("{} cannot be run: {source}", program.display());
            record_failure(ready.ctx, ready.pk, nonce, &failure);
            failure
        }
        Err(err) => err,
    };
    if let Some(mut fifo) = fifo {
        // Nobody may be listening any more; the pane shows it as well.
        let _ = fifo.say(&failure);
    }
    failure
}

/// All that is needed to become the agent.
struct Ready {
    ctx: Ctx,
    pk: i64,
    argv: Vec<OsString>,
    environment: Env,
    cwd: PathBuf,
}

fn prepare(
    uid: &str,
    nonce: &str,
    fifo: &mut Option<FifoWriter>,
) -> std::result::Result<Ready, String> {
    let mut ctx = Ctx::open_for_part(Env::capture(), "launcher").map_err(|err| err.to_string())?;
    *fifo = place::fifo(&ctx, uid, nonce).ok().and_then(|path| open_fifo(&path));
    let found = agents::by_uid(&ctx.read(), uid).map_err(|err| err.to_string())?;
    let agent = found
        .filter(|it| it.nonce.as_deref() == Some(nonce))
        .ok_or_else(|| "the launch that this pane was made for is over".to_owned())?;
    match bind(&mut ctx, &agent, nonce) {
        Ok((argv, environment)) => {
            let cwd = PathBuf::from(&agent.profile.cwd);
            Ok(Ready { pk: agent.pk, argv, environment, cwd, ctx })
        }
        Err(err) => {
            let failure = err.to_string();
            record_failure(ctx, agent.pk, nonce, &failure);
            Err(failure)
        }
    }
}

/// Opens the way back to the one who made the pane, if it still listens, and takes it off the disk.
fn open_fifo(path: &Path) -> Option<FifoWriter> {
    let fifo = FifoWriter::open(path).ok();
    // Both ends are open by now, or its reader is gone for good.
    let _ = std::fs::remove_file(path);
    step::reached("file");
    fifo
}

fn bind(ctx: &mut Ctx, agent: &Agent, nonce: &str) -> Result<(Vec<OsString>, Env)> {
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("a directory that is gone"));
    if !Path::new(&agent.profile.cwd).canonicalize().is_ok_and(|it| it == here) {
        let (cwd, here) = (&agent.profile.cwd, here.display());
        return Err(OpError::Usage(format!("the pane began in {here}, not in {cwd}")));
    }
    let token = random::token().map_err(OpError::Random)?;
    let (mux, binding) = own_binding(ctx)?;
    let pane = PaneId::parse(&binding.pane_id).map_err(MuxError::from)?;
    let hash = sha256_hex(token.as_bytes());
    let place = session(ctx, mux.as_ref(), agent, &binding)?;
    let holder = restore::holder(ctx, agent);
    let is_bound = ctx.step("agent.bind", |tx| {
        let is_bound = agents::bind(tx, &agent.uid, nonce, &binding, &hash)?;
        if is_bound && agent.lifecycle == Lifecycle::Restoring {
            restore::take_up(tx, agent, &holder)?;
        }
        if is_bound && let Some(place) = &place {
            projects::set_place(tx, agent.project_pk, place)?;
        }
        Ok(is_bound)
    })?;
    if !is_bound {
        return Err(OpError::Usage("the launch that this pane was made for is over".to_owned()));
    }
    let state = place::state_mark(ctx)?;
    let marks =
        [("@drover_uid", agent.uid.as_str()), ("@drover_state", &state), ("remain-on-exit", "on")];
    mux.set_pane_options(&pane, &marks)?;
    show_label(ctx, mux.as_ref(), agent, &pane)?;
    hooks::install(ctx, mux.as_ref())?;
    hooks::watch(ctx, mux.as_ref(), &binding)?;
    let mut argv: Vec<String> = serde_json::from_str(&agent.profile.command).unwrap_or_default();
    let mut environment = environment(ctx, agent, &token)?;
    let program = place::own_program()?;
    let roots = agents::writable_roots(&ctx.read(), agent.pk)?;
    let granted = engines::sandbox::arguments(agent, &roots, &program);
    let added = engines::additions(&Launch {
        agent,
        state: ctx.state_path(),
        program: &program,
        trusts_directory: trusts_directory(ctx, agent)?,
        granted: &granted,
        env: &environment,
    })?;
    argv = added.command.unwrap_or(argv);
    argv.extend(added.arguments);
    for (name, value) in added.variables {
        environment.set(name, value);
    }
    Ok((argv.into_iter().map(OsString::from).collect(), environment))
}

/// Puts the agent's name above its pane; a server that will not have it starts the agent all the same.
fn show_label(ctx: &Ctx, mux: &dyn Mux, agent: &Agent, pane: &PaneId) -> Result<()> {
    let held = tasks::held_by(&ctx.read(), &agent.uid)?;
    let held: Vec<String> = held.into_iter().map(|it| it.id).collect();
    let _ = mux.show_labels(pane, &agent.name);
    let _ = mux.label_pane(pane, &label::label(&agent.name, &held));
    Ok(())
}

/// Whether an agent starts in a workspace that Drover made for it, and its project lets agents trust those.
fn trusts_directory(ctx: &Ctx, agent: &Agent) -> Result<bool> {
    let (project, workspace) = {
        let tx = ctx.read();
        (projects::by_pk(&tx, agent.project_pk)?, workspaces::of_agent(&tx, agent.pk)?)
    };
    let (Some(project), Some(workspace)) = (project, workspace) else { return Ok(false) };
    Ok(workspace.path == agent.profile.cwd && Policy::of(ctx, &project)?.trusts_workspaces)
}

/// Where this process runs: pane, window and session as the server that made it says.
fn own_binding(ctx: &Ctx) -> Result<(Box<dyn Mux>, Binding)> {
    let outside = || OpError::Usage("the launcher does not run in a pane".to_owned());
    let env = ctx.env();
    let socket = env.surrounding_tmux_socket().ok_or_else(outside)?;
    let server = env.surrounding_tmux_pid().and_then(proc::identity).ok_or_else(outside)?;
    let id = PaneId::parse(env.tmux_pane().ok_or_else(outside)?).map_err(MuxError::from)?;
    let mux = mux::recorded(env, "tmux", &socket)?;
    let listing = mux.panes()?;
    let pane = listing.pane(&id).ok_or(MuxError::NoPane { pane: id })?;
    let binding = Binding {
        mux: mux.name().to_owned(),
        mux_socket: socket.to_string_lossy().into_owned(),
        server: Process { pid: i64::from(server.pid), started: server.start },
        session_id: pane.session.to_string(),
        window_id: pane.window.to_string(),
        pane_id: pane.id.to_string(),
        pane: ctx.own_process()?,
    };
    Ok((mux, binding))
}

/// The project's session, when the pane is in it and it is not recorded as it is now.
fn session(ctx: &Ctx, mux: &dyn Mux, agent: &Agent, binding: &Binding) -> Result<Option<Place>> {
    let tx = ctx.read();
    let Some(project) = projects::by_pk(&tx, agent.project_pk)? else { return Ok(None) };
    let is_ours = |it: &Session| it.id.as_str() == binding.session_id;
    let Some(session) = mux.find_session(&project.uid)?.filter(is_ours) else { return Ok(None) };
    let place = Place {
        mux: binding.mux.clone(),
        mux_socket: binding.mux_socket.clone(),
        session_id: binding.session_id.clone(),
        session_name: session.name,
        adopted: false,
    };
    Ok(Some(place)
        .filter(|it| projects::place(&tx, project.pk).ok().flatten().as_ref() != Some(it)))
}

/// What the agent's program sees: what was kept for it, what its pane says, and who it is.
fn environment(ctx: &Ctx, agent: &Agent, token: &str) -> Result<Env> {
    let mut environment = ctx.env().of_pane();
    let tx = ctx.read();
    for (name, value) in agents::env(&tx, agent.pk)? {
        environment.set(name, value);
    }
    let project = projects::by_pk(&tx, agent.project_pk)?.map(|it| it.name).unwrap_or_default();
    environment.set("DROVER_STATE_DIR", ctx.state_path());
    let fixed = [
        ("DROVER_PROJECT", project.as_str()),
        ("DROVER_AGENT", &agent.name),
        ("DROVER_AGENT_UID", &agent.uid),
        ("DROVER_MACHINE", ctx.machine()),
        ("DROVER_TOKEN", token),
    ];
    for (name, value) in fixed {
        environment.set(name, value);
    }
    Ok(environment)
}

fn record_failure(mut ctx: Ctx, pk: i64, nonce: &str, failure: &str) {
    let failure = Text::new(failure);
    // The one who waits is told through the fifo as well; nobody else can be.
    let _ = ctx.step("agent.fail", |tx| Ok(agents::fail(tx, pk, nonce, &failure)?));
}
