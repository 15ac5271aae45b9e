//! `agent adopt`: a program that somebody has started in a pane becomes an agent, and stays what it is.

use std::path::PathBuf;
use std::time::Duration;

use drover_core::agent::{Lifecycle, Role, label};
use drover_core::name::AgentName;
use drover_core::text::Text;
use drover_host::mux::{self, Listing, Mux, MuxError, Pane, ServerState};
use drover_host::proc::{self, Snapshot};
use drover_host::random;
use drover_store::agents::{self, Adopted, Agent, Binding, Process, Profile};
use drover_store::projects::{self, Project};

use super::front::{self, Front, Programs};
use super::reconcile::reconcile;
use super::{home, hooks, labels, names, pane, place, spawn};
use crate::ctx::Ctx;
use crate::engines::{self, TakesWork};
use crate::error::{AgentError, OpError, Result};

/// How long another adoption may take.
const LOCK_LIMIT: Duration = Duration::from_mins(1);

/// What to adopt.
#[derive(Debug, Clone, Default)]
pub struct Adopt {
    /// The pane: its id, its title, or the name of its window.
    pub pane: String,
    /// The name: `<name>` or `<project>/<name>`; that with which the title begins when absent.
    pub name: Option<String>,
    /// The engine; what runs in front when absent.
    pub engine: Option<String>,
    /// The role; a worker when absent.
    pub role: Option<String>,
}

/// What was adopted.
#[derive(Debug, Clone)]
pub struct Adoption {
    /// Where.
    pub project: Project,
    /// The agent as it is now.
    pub agent: Agent,
    /// Whether it was not an agent before.
    pub is_new: bool,
    /// The title of its pane, which stays.
    pub title: String,
    /// How a pi is started there that can be spoken to, in place of one that cannot.
    pub better: Option<String>,
}

/// Makes an agent of what runs in a pane. Nothing is typed there, and nothing ended or started.
pub fn adopt(ctx: &mut Ctx, request: &Adopt) -> Result<Adoption> {
    let role = request.role.as_deref().unwrap_or("worker");
    if Role::parse(role).is_none() {
        return Err(spawn::no_role(role));
    }
    let (project, name) = match &request.name {
        Some(name) => {
            let (project, name) = home::for_new(ctx, name)?;
            (project, Some(AgentName::parse_new(&name)?))
        }
        None => (home::meant(ctx)?, None),
    };
    let mux = mux::for_new_panes(ctx.env())?;
    mux.version()?;
    reconcile(ctx)?;
    let locks = place::locks(ctx)?;
    // Two that adopt one pane under two names would mark it one over the other.
    let _lock = locks.lock("adopt", LOCK_LIMIT)?;
    let listing = answered(mux.as_ref())?;
    let pane = pane::meant(&listing, &project, &request.pane)?.clone();
    let front = in_front(ctx, &pane)?;
    let engine = request.engine.clone().or_else(|| front.engine.clone());
    let engine = engine.unwrap_or_else(|| front.program.clone());
    let name = match name {
        Some(name) => name,
        None => from_title(ctx, &project, &pane, &engine)?,
    };
    let _name = locks.lock(&place::launch_lock(&project, name.as_str()), LOCK_LIMIT)?;
    let binding = binding(mux.as_ref(), &listing, &pane, &front);
    let there = match known(ctx, &project, &name, &binding, &pane)? {
        Known::Agent(agent) => {
            let better = better(ctx, &agent)?;
            let title = pane.title;
            return Ok(Adoption { project, agent: *agent, is_new: false, title, better });
        }
        Known::Ended(agent) => Some(*agent),
        Known::Nobody => None,
    };
    let profile = profile(ctx, &engine, role, &front)?;
    let uid = there.as_ref().map_or_else(random::uid, |it| it.uid.clone());
    mark(ctx, mux.as_ref(), &pane, &uid)?;
    let adopted = Adopted { uid: &uid, profile: &profile, binding: &binding };
    let written = ctx.step("agent.adopt", |tx| {
        let pk = match &there {
            Some(there) => {
                agents::adopt_again(tx, there.pk, &adopted)?;
                there.pk
            }
            None => agents::adopt(tx, project.pk, name.as_str(), &adopted)?,
        };
        agents::by_pk(tx, pk)?.ok_or_else(|| spawn::not_recorded(&name))
    });
    let agent = match written {
        Ok(agent) => agent,
        Err(err) => {
            // The row is what counts; a mark without one means nothing.
            let _ = mux.unset_pane_options(&pane.id, &["@drover_uid", "@drover_state"]);
            return Err(err);
        }
    };
    watch(ctx, mux.as_ref(), &agent)?;
    let better = better(ctx, &agent)?;
    Ok(Adoption { project, agent, is_new: true, title: pane.title, better })
}

/// All panes of a server that runs and answers.
fn answered(mux: &dyn Mux) -> Result<Listing> {
    let listing = mux.panes()?;
    let socket = mux.socket().to_owned();
    match listing.server {
        ServerState::Running(_) => Ok(listing),
        ServerState::NoServer => Err(MuxError::NoServer { socket }.into()),
        ServerState::NoAnswer { reason } => Err(MuxError::NoAnswer { socket, reason }.into()),
    }
}

fn in_front(ctx: &Ctx, pane: &Pane) -> Result<Front> {
    let dead = || AgentError::PaneDead { pane: pane.id.to_string() };
    if pane.death.is_some() {
        return Err(dead().into());
    }
    let programs = Programs::known(ctx)?;
    Ok(front::front(pane, &Snapshot::take(), &programs).ok_or_else(dead)?)
}

/// The name with which a pane's title begins; a refusal names one that is free.
fn from_title(ctx: &Ctx, project: &Project, pane: &Pane, engine: &str) -> Result<AgentName> {
    let title = pane.label.as_deref().unwrap_or(&pane.title);
    if let Ok(name) = AgentName::parse_new(label::name_of(title)) {
        return Ok(name);
    }
    let taken = agents::list(&ctx.read(), project.pk)?;
    let wanted = if AgentName::parse_new(engine).is_ok() { engine } else { "agent" };
    let free = names::free(wanted, |it| taken.iter().any(|agent| agent.name == it));
    let free = format!("{}/{free}", project.name);
    let (pane, title) = (pane.id.to_string(), title.to_owned());
    Err(AgentError::NamelessPane { pane, title, free }.into())
}

fn binding(mux: &dyn Mux, listing: &Listing, pane: &Pane, front: &Front) -> Binding {
    let process =
        |it: &proc::Identity| Process { pid: i64::from(it.pid), started: it.start.clone() };
    let server = match &listing.server {
        ServerState::Running(server) => process(server),
        ServerState::NoServer | ServerState::NoAnswer { .. } => {
            Process { pid: 0, started: String::new() }
        }
    };
    Binding {
        mux: mux.name().to_owned(),
        mux_socket: mux.socket().to_string_lossy().into_owned(),
        server,
        session_id: pane.session.to_string(),
        window_id: pane.window.to_string(),
        pane_id: pane.id.to_string(),
        pane: process(&front.process),
    }
}

/// Who has the name or the pane by now.
enum Known {
    /// This very agent, in this very pane.
    Agent(Box<Agent>),
    /// An adopted agent of this name that has ended.
    Ended(Box<Agent>),
    /// Nobody.
    Nobody,
}

fn known(
    ctx: &Ctx,
    project: &Project,
    name: &AgentName,
    binding: &Binding,
    pane: &Pane,
) -> Result<Known> {
    let tx = ctx.read();
    let named = agents::find(&tx, project.pk, name.as_str())?;
    let bound = agents::bound_to(&tx, &binding.mux_socket, &binding.pane_id)?;
    let lives = |it: &&Agent| {
        let is_here = it.binding.as_ref().is_some_and(|it| it.server == binding.server);
        is_here && it.lifecycle.is_running()
    };
    if let Some(there) = bound.iter().find(lives) {
        if named.as_ref().is_some_and(|it| it.pk == there.pk) {
            return Ok(Known::Agent(Box::new(there.clone())));
        }
        let home = projects::by_pk(&tx, there.project_pk)?.map(|it| it.name).unwrap_or_default();
        return Err(taken(pane, Some(format!("{home}/{}", there.name))));
    }
    // A mark of ours without a row is what an adoption that was cut off has left.
    let mark = place::state_mark(ctx)?;
    if pane.state.as_ref().is_some_and(|it| *it != mark) {
        return Err(taken(pane, None));
    }
    match named {
        None => Ok(Known::Nobody),
        Some(there) if there.is_adopted && there.lifecycle == Lifecycle::Exited => {
            Ok(Known::Ended(Box::new(there)))
        }
        Some(there) => Err(spawn::exists(project, &there).into()),
    }
}

fn taken(pane: &Pane, agent: Option<String>) -> OpError {
    let elsewhere = || "an agent of another state directory".to_owned();
    let holder = agent.as_ref().map_or_else(elsewhere, |it| format!("the agent {it}"));
    AgentError::PaneTaken { pane: pane.id.to_string(), holder, agent }.into()
}

/// What is seen to run. It is never replayed, so that secrets among its words need not stay.
fn profile(ctx: &Ctx, engine: &str, role: &str, front: &Front) -> Result<Profile> {
    let engine = engines::resolve(ctx, engine)?;
    let words = front.words.iter().map(|it| Text::new(it).into_string());
    let takes_work = match engine.takes_work {
        // It was given no command to run for its tasks.
        TakesWork::Run | TakesWork::None => TakesWork::None,
        TakesWork::Message => TakesWork::Message,
    };
    let cwd = proc::cwd(front.process.pid).unwrap_or_else(|| PathBuf::from("/"));
    Ok(Profile {
        role: role.to_owned(),
        engine: engine.name,
        command: words.collect::<Vec<_>>().into_iter().collect::<serde_json::Value>().to_string(),
        work: None,
        takes_work: takes_work.as_str().to_owned(),
        env_names: "[]".to_owned(),
        model: None,
        thinking: None,
        unattended: false,
        skills: "[]".to_owned(),
        cwd: cwd.to_string_lossy().into_owned(),
        permission: None,
        sandbox: None,
    })
}

/// Marks the pane before there is a row: one without a mark would be taken for a stranger's.
fn mark(ctx: &mut Ctx, mux: &dyn Mux, pane: &Pane, uid: &str) -> Result<()> {
    let what = format!("mark the pane {} as an agent's", pane.id);
    let state = place::state_mark(ctx)?;
    let marks = [("@drover_uid", uid), ("@drover_state", state.as_str())];
    ctx.act(what, || Ok(mux.set_pane_options(&pane.id, &marks)?)).map(|_| ())
}

/// Has its end told and its name shown; the agent is one without either.
fn watch(ctx: &mut Ctx, mux: &dyn Mux, agent: &Agent) -> Result<()> {
    let Some(binding) = agent.binding.clone().filter(|_| !ctx.is_dry_run()) else { return Ok(()) };
    if let Err(err) = hooks::watch(ctx, mux, &binding) {
        ctx.warn(format!("nobody waits for its end, which the next look sees: {err}"));
    }
    let pane = mux::PaneId::parse(&binding.pane_id).map_err(MuxError::from)?;
    labels::write(ctx, agent, &pane, &label::label(&agent.name, &[]));
    Ok(())
}

/// What is said, and what would help, where the engine should have a channel that only we can give it.
fn better(ctx: &mut Ctx, agent: &Agent) -> Result<Option<String>> {
    let Some(why) = engines::unserved(ctx.state_path(), agent) else { return Ok(None) };
    let name = &agent.name;
    ctx.warn(format!("{name} is only typed into, by `agent send --via mux`: {why}"));
    engines::by_hand(ctx.state_path(), agent)
}
