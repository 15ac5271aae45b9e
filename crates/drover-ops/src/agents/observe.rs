//! What each agent is doing now: its row, the look at its server, and what runs in its terminal.

use std::cell::OnceCell;
use std::path::PathBuf;

use drover_core::agent::dialog::Dialog;
use drover_core::agent::screen::ScreenVerdict;
use drover_core::agent::{Decided, Facts, Presence, Probe, Reading, Rule, Source, decide};
use drover_host::mux::Pane;
use drover_host::proc::Snapshot;
use drover_store::agents::Agent;

use super::foreground;
use super::idle;
use super::look::Look;
use super::shown::Shown;
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
///
/// The processes are read once for all agents, when the first is asked for, and each server once for
/// those screens that can add to what is known.
pub fn observe_by(ctx: &Ctx, look: &Look, agents: Vec<Agent>) -> Vec<Observed> {
    let processes = OnceCell::new();
    let reports = reporters::ask(ctx, &agents);
    let seen = agents.into_iter().zip(reports);
    let begun: Vec<Begun> = seen.map(|it| begin(ctx, look, it, &processes)).collect();
    let wanted = begun.iter().filter(|it| needs_screen(&it.decided)).map(|it| &it.agent);
    let shown = Shown::of(ctx, look, wanted);
    let end = |it: Begun| {
        let screen = shown.screen(&it.agent);
        it.end(ctx, look, screen)
    };
    begun.into_iter().map(end).collect()
}

/// Says what one agent is doing by a look that was had, whatever its screen can add.
pub fn observed(ctx: &Ctx, look: &Look, agent: Agent) -> Observed {
    let report = reporters::ask(ctx, std::slice::from_ref(&agent)).pop().flatten();
    let begun = begin(ctx, look, (agent, report), &OnceCell::new());
    let screen = Shown::of(ctx, look, std::iter::once(&begun.agent)).screen(&begun.agent);
    begun.end(ctx, look, screen)
}

/// An agent of which all is known but what its screen shows.
struct Begun {
    agent: Agent,
    facts: Facts,
    report: Option<Report>,
    decided: Decided,
}

fn begin(
    ctx: &Ctx,
    look: &Look,
    (agent, report): (Agent, Option<Report>),
    processes: &OnceCell<Snapshot>,
) -> Begun {
    let now = ctx.now();
    let facts = Facts {
        lifecycle: agent.lifecycle,
        lifecycle_at: agent.lifecycle_at.parse().unwrap_or(now),
        deadline: agent.deadline_at.as_deref().and_then(|it| it.parse().ok()),
        foreground: foreground::of(&agent, look.pane(&agent), processes),
        screen: None,
        probe: look.probe(&agent),
    };
    let decided = decide(&facts, readings(report.as_ref()), now);
    Begun { agent, facts, report, decided }
}

fn readings(report: Option<&Report>) -> &[Reading] {
    report.map(|it| it.readings.as_slice()).unwrap_or_default()
}

impl Begun {
    fn end(
        self,
        ctx: &Ctx,
        look: &Look,
        shows: Option<(ScreenVerdict, Option<Dialog>)>,
    ) -> Observed {
        let Self { agent, mut facts, report, mut decided } = self;
        let now = ctx.now();
        let mut dialog = None;
        if let Some((verdict, stands)) = shows {
            facts.screen = Some(verdict);
            dialog = stands;
            decided = decide(&facts, readings(report.as_ref()), now);
        }
        if decided.state == Presence::Limited && decided.until.is_none() {
            decided.until = hooks::limit_ends(&decided.evidence, now);
        }
        let (turn, conversation) = report.map_or((None, None), |it| (it.turn, it.conversation));
        let is_left_idle = idle::is_left(ctx, &agent, &decided);
        let socket = engines::socket(ctx.state_path(), &agent);
        let (pane, probe) = (look.pane(&agent).cloned(), facts.probe);
        Observed { agent, pane, probe, decided, dialog, turn, conversation, socket, is_left_idle }
    }
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
