//! What each agent is doing now: its row, the look at its server, and what runs in its terminal.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use drover_core::agent::dialog::Dialog;
use drover_core::agent::screen::{self, ScreenVerdict};
use drover_core::agent::{Decided, Facts, Presence, Probe, Rule, Source, decide};
use drover_host::mux::{self, Capture, Pane};
use drover_host::proc::Snapshot;
use drover_store::agents::Agent;

use super::foreground;
use super::idle;
use super::look::Look;
use crate::ctx::Ctx;
use crate::engines;
use crate::hooks;
use crate::reporters::{self, Conversation, Report, Turn};
use crate::words;

/// An agent and what is known of it now.
#[derive(Debug, Clone)]
pub struct Observed {
    /// Its row.
    pub agent: Agent,
    /// Its pane, if its server lists it as its own.
    pub pane: Option<Pane>,
    /// What the look at its binding saw.
    pub probe: Option<Probe>,
    /// What it is doing, and why we say so.
    pub decided: Decided,
    /// The dialog that waits for an answer on its screen.
    pub dialog: Option<Dialog>,
    /// Its last turn, where its engine counts them.
    pub turn: Option<Turn>,
    /// The conversation it is in, where its engine says so.
    pub conversation: Option<Conversation>,
    /// The socket through which its engine is spoken to, where it has such.
    pub socket: Option<PathBuf>,
    /// Whether it has been idle for long, as a helper or with a task in its hands.
    pub is_left_idle: bool,
}

impl Observed {
    /// What it waits for and shows, on one line.
    pub fn need(&self) -> String {
        let said = words::ending(&self.decided.evidence);
        match self.decided.reason.as_deref().filter(|it| *it != said) {
            Some(reason) if said.is_empty() => reason.to_owned(),
            Some(reason) => format!("{reason}: {said}"),
            None => said,
        }
    }
}

/// Says of each agent what it is doing, asking every server once.
pub fn observe(ctx: &Ctx, agents: Vec<Agent>) -> Vec<Observed> {
    observe_by(ctx, &Look::at(ctx.env(), &agents), agents)
}

/// Says of each agent what it is doing by a look that was had.
pub fn observe_by(ctx: &Ctx, look: &Look, agents: Vec<Agent>) -> Vec<Observed> {
    let processes = OnceCell::new();
    let reports = reporters::ask(ctx, &agents);
    let seen = agents.into_iter().zip(reports);
    seen.map(|it| observed_among(ctx, look, it, (&processes, Screens::Needed))).collect()
}

/// Says what one agent is doing by a look that was had.
pub fn observed(ctx: &Ctx, look: &Look, agent: Agent) -> Observed {
    let report = reporters::ask(ctx, std::slice::from_ref(&agent)).pop().flatten();
    observed_among(ctx, look, (agent, report), (&OnceCell::new(), Screens::All))
}

/// The processes are read once for all agents, when the first is asked for.
fn observed_among(
    ctx: &Ctx,
    look: &Look,
    (agent, report): (Agent, Option<Report>),
    (processes, screens): (&OnceCell<Snapshot>, Screens),
) -> Observed {
    let now = ctx.now();
    let probe = look.probe(&agent);
    let mut facts = Facts {
        lifecycle: agent.lifecycle,
        lifecycle_at: agent.lifecycle_at.parse().unwrap_or(now),
        deadline: agent.deadline_at.as_deref().and_then(|it| it.parse().ok()),
        foreground: foreground::of(&agent, look.pane(&agent), processes),
        screen: None,
        probe: probe.clone(),
    };
    let readings = report.as_ref().map(|it| it.readings.as_slice()).unwrap_or_default();
    let mut decided = decide(&facts, readings, now);
    let mut dialog = None;
    if screens == Screens::All || needs_screen(&decided) {
        if let Some((verdict, stands)) = screen(ctx, look, &agent) {
            facts.screen = Some(verdict);
            dialog = stands;
        }
        decided = decide(&facts, readings, now);
    }
    if decided.state == Presence::Limited && decided.until.is_none() {
        decided.until = hooks::limit_ends(&decided.evidence, now);
    }
    let (turn, conversation) = report.map_or((None, None), |it| (it.turn, it.conversation));
    let is_left_idle = idle::is_left(ctx, &agent, &decided);
    let socket = engines::socket(ctx.state_path(), &agent);
    let pane = look.pane(&agent).cloned();
    Observed { agent, pane, probe, decided, dialog, turn, conversation, socket, is_left_idle }
}

/// Which screens are looked at: each costs a call of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screens {
    /// Whatever there is.
    All,
    /// Those that can add to what is known.
    Needed,
}

/// Whether a screen could add to this: nothing better has spoken, or what did knows only half of it.
fn needs_screen(decided: &Decided) -> bool {
    let is_exact = decided.source == Source::Control;
    match decided.state {
        Presence::Exited => false,
        Presence::Idle | Presence::Limited => decided.rule != Rule::Reported,
        Presence::Working => !is_exact,
        Presence::Starting
        | Presence::NeedsInput
        | Presence::NeedsPermission
        | Presence::Unknown => decided.source != Source::Row,
    }
}

/// What an agent's screen shows, for an engine with screen rules; a configuration that cannot be
/// read is refused by the verbs that need it.
fn screen(ctx: &Ctx, look: &Look, agent: &Agent) -> Option<(ScreenVerdict, Option<Dialog>)> {
    let rules = ctx.config().ok()?.engine(&agent.profile.engine).screen;
    let pane = look.pane(agent).filter(|it| !rules.is_empty() && it.death.is_none())?;
    let binding = agent.binding.as_ref()?;
    let mux = mux::recorded(ctx.env(), &binding.mux, Path::new(&binding.mux_socket)).ok()?;
    let lines = u32::try_from(screen::LINES).unwrap_or(u32::MAX);
    let shown = mux.capture(&pane.id, Capture::Last(lines)).ok()?;
    Some((rules.verdict(&shown), Dialog::read(&rules, &shown)))
}
