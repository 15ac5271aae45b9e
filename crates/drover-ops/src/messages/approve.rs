//! `agent approve`: the answer to a dialog, by its label, bound to the very dialog that was read.

use std::path::Path;
use std::time::Duration;

use drover_core::agent::dialog::{Answer, Dialog};
use drover_core::agent::screen::ScreenRules;
use drover_core::agent::{Presence, Source};
use drover_host::control::codex::CodexError;
use drover_host::mux::Key;
use drover_store::agents::Agent;
use drover_store::projects::Project;
use drover_store::workspaces;
use jiff::Timestamp;

use super::deliver;
use super::place::{Place, Seen};
use crate::agents;
use crate::ctx::Ctx;
use crate::engines::Kind;
use crate::engines::codex::approvals::{self, Decision};
use crate::error::{AgentError, ApproveError, OpError, Result};
use crate::policy::Policy;
use crate::resolve;
use crate::waiting::Waiter;

/// The pause between a key and the look at what it did.
const PAUSE: Duration = Duration::from_millis(60);
/// How long a program may take to do what a key says.
const OBEYS: Duration = Duration::from_secs(3);
/// Enter is pressed so often at most.
const PRESSES: u32 = 4;
/// How long a dialog stands before a key is pressed.
const CALM: Duration = Duration::from_millis(600);
/// How long a dialog that an agent tells of may take until its terminal shows it.
const DRAWN: Duration = Duration::from_secs(1);
/// The shortest part of a digest that names a dialog.
const SHORTEST: usize = 8;

/// Which dialog to answer, and how.
#[derive(Debug, Clone)]
pub struct Approve {
    /// The agent: `<name>` or `<project>/<name>`.
    pub name: String,
    /// The answer.
    pub answer: Answer,
    /// The digest of the dialog that is answered, or at least eight digits of its beginning.
    pub digest: Option<String>,
}

/// A dialog that was answered.
#[derive(Debug, Clone)]
pub struct Answered {
    /// Where.
    pub project: Project,
    /// Whose.
    pub agent: Agent,
    /// The dialog.
    pub dialog: Dialog,
    /// The answer as the dialog words it.
    pub row: String,
}

/// Answers the dialog that stands on an agent's screen, if it still is the one that is meant.
pub fn approve(ctx: &mut Ctx, request: &Approve) -> Result<Answered> {
    ctx.people_only("agent approve")?;
    let (project, agent) = resolve::agent(ctx, &request.name)?;
    agents::reconcile(ctx)?;
    let agent = resolve::agent_in(&ctx.read(), &project, &agent.name)?;
    let rules = ctx.config()?.engine(&agent.profile.engine).screen;
    let _lock = deliver::hold_pane(ctx, &agent)?;
    let place = open(ctx, &agent)?;
    let full = format!("{}/{}", project.name, agent.name);
    let dialog = drawn(ctx, &agent, &place, &rules)?;
    let dialog = meant(dialog, request.digest.as_deref(), &full)?;
    let refused = |why: &str| {
        let (agent, label) = (full.clone(), dialog.label.clone());
        OpError::from(ApproveError::NotAnswerable { agent, label, why: why.to_owned() })
    };
    if !dialog.is_answerable() {
        return Err(refused("it changes the program or an account, which only a person does"));
    }
    if dialog.is_trust() && !may_trust(ctx, &project, &agent)? {
        return Err(refused("only a workspace that drover made is trusted, and only by policy"));
    }
    if request.digest.is_none() {
        return Err(ApproveError::Unbound { agent: full, dialog: Box::new(dialog) }.into());
    }
    let row = dialog.row(&rules, &request.answer).map_err(|err| ApproveError::Choice {
        agent: full.clone(),
        why: err.to_string(),
        choices: dialog.rows.iter().map(|it| it.label.clone()).collect(),
        digest: dialog.digest.clone(),
    })?;
    let said = dialog.rows.get(row).map(|it| it.label.clone()).unwrap_or_default();
    let waiter = Waiter::start(ctx)?;
    let what = format!("choose {said:?} in the dialog of {full}");
    if ctx.is_dry_run() {
        ctx.act(what, || Ok(()))?;
    } else if !is_answered_exactly(ctx, &agent, &place, (&rules, &dialog, row))? {
        let (place, rules, dialog) = (&place, &rules, &dialog);
        let mut hand = Hand { ctx, waiter, place, rules, dialog, agent: &full, row: &agent };
        hand.settle()?;
        hand.choose(row)?;
        hand.confirm(&said)?;
    }
    Ok(Answered { project, agent, dialog, row: said })
}

/// The dialog on its screen; one that the agent itself tells of may be drawn a moment later.
fn drawn(ctx: &Ctx, agent: &Agent, place: &Place, rules: &ScreenRules) -> Result<Option<Dialog>> {
    let mut waiter = Waiter::start(ctx)?;
    let until = ctx.after(DRAWN);
    loop {
        let dialog = Dialog::read(rules, &place.screen()?);
        if dialog.is_some() || ctx.now() >= until {
            return Ok(dialog);
        }
        let state = agents::observe_one(ctx, agent.clone()).decided.state;
        if !matches!(state, Presence::NeedsPermission | Presence::NeedsInput) {
            return Ok(None);
        }
        waiter.pause(ctx, PAUSE)?;
    }
}

/// Answers over the engine's own channel what the dialog asks there, where it has one and takes this answer.
///
/// What stands there between two looks at the same dialog is what the dialog shows.
fn is_answered_exactly(
    ctx: &Ctx,
    agent: &Agent,
    place: &Place,
    (rules, dialog, row): (&ScreenRules, &Dialog, usize),
) -> Result<bool> {
    if Kind::of(&agent.profile.engine) != Some(Kind::Codex) {
        return Ok(false);
    }
    let label = dialog.rows.get(row).map_or("", |it| it.label.as_str());
    let decision = match row {
        0 if label.starts_with("Yes") => Decision::Accept,
        _ if row + 1 == dialog.rows.len() && label.starts_with("No") => Decision::Cancel,
        _ => return Ok(false),
    };
    // A channel that does not answer leaves the keys.
    let Ok(Some(asked)) = approvals::standing(ctx, agent) else { return Ok(false) };
    let now = Dialog::read(rules, &place.screen()?);
    if now.is_none_or(|it| it.digest != dialog.digest) {
        return Ok(false);
    }
    match approvals::answer(ctx, agent, &asked.item, decision) {
        Ok(approvals::Answered::Taken) => Ok(true),
        Ok(approvals::Answered::Gone)
        | Err(CodexError::NotServed { .. } | CodexError::Refused { .. }) => Ok(false),
        // It was given, so no key may follow: what stands there now may be another question.
        Ok(approvals::Answered::Unseen) | Err(_) => match approvals::standing(ctx, agent) {
            Ok(now) if now.as_ref().is_none_or(|it| it.item != asked.item) => Ok(true),
            Ok(_) | Err(_) => {
                let why = "it was answered, and its turn was not seen to go on".to_owned();
                Err(ApproveError::Unmoved { agent: agent.name.clone(), why }.into())
            }
        },
    }
}

/// The pane of an agent that runs, out of copy mode.
fn open(ctx: &Ctx, agent: &Agent) -> Result<Place> {
    let name = agent.name.clone();
    let place = Place::of(ctx, agent)?;
    let gone = |why: String| AgentError::NotRunning { name: name.clone(), why };
    let place = place.ok_or_else(|| gone(agent.lifecycle.to_string()))?;
    match place.look() {
        Seen::Pane(pane) if pane.in_mode && place.is_attached()? => {
            let why = "somebody looks at its pane in copy mode".to_owned();
            Err(AgentError::NoPane { name, why }.into())
        }
        Seen::Pane(pane) => {
            if pane.in_mode {
                place.mux.leave_copy_mode(&place.pane)?;
            }
            Ok(place)
        }
        Seen::Gone(how) => Err(gone(how).into()),
        Seen::Silent(why) => Err(AgentError::ServerSilent { name, why }.into()),
    }
}

/// The dialog that stands there, if it is the one that is meant.
fn meant(dialog: Option<Dialog>, digest: Option<&str>, agent: &str) -> Result<Dialog> {
    let agent = agent.to_owned();
    match (dialog, digest) {
        (Some(dialog), None) => Ok(dialog),
        (Some(dialog), Some(digest)) => {
            if digest.len() < SHORTEST {
                let what = format!("a digest has at least {SHORTEST} digits: {digest:?}");
                return Err(OpError::Usage(what));
            }
            if dialog.digest.starts_with(&digest.to_lowercase()) {
                return Ok(dialog);
            }
            Err(ApproveError::Changed { agent, now: Some(Box::new(dialog)) }.into())
        }
        (None, Some(_)) => Err(ApproveError::Changed { agent, now: None }.into()),
        (None, None) => Err(ApproveError::NoDialog { agent }.into()),
    }
}

/// Whether an agent's directory is a workspace of ours and its project trusts those.
fn may_trust(ctx: &Ctx, project: &Project, agent: &Agent) -> Result<bool> {
    if !Policy::of(ctx, project)?.trusts_workspaces {
        return Ok(false);
    }
    let cwd = Path::new(&agent.profile.cwd).canonicalize().ok();
    let workspace = workspaces::of_agent(&ctx.read(), agent.pk)?;
    let path = workspace.and_then(|it| Path::new(&it.path).canonicalize().ok());
    Ok(path.is_some() && path == cwd)
}

/// Keys for one dialog, each pressed only while that very dialog stands.
struct Hand<'a> {
    ctx: &'a Ctx,
    waiter: Waiter,
    place: &'a Place,
    rules: &'a ScreenRules,
    dialog: &'a Dialog,
    agent: &'a str,
    row: &'a Agent,
}

impl Hand<'_> {
    /// Sees that the dialog stands for a while: one that was just drawn takes no keys yet.
    fn settle(&mut self) -> Result<()> {
        self.waiter.pause(self.ctx, CALM)?;
        self.chosen().map(|_| ())
    }

    /// Moves to a row, one key at a time.
    fn choose(&mut self, row: usize) -> Result<()> {
        let mut at = self.chosen()?;
        for _ in 0..2 * self.dialog.rows.len() {
            if at == row {
                return Ok(());
            }
            let key = if at < row { Key::Down } else { Key::Up };
            self.place.mux.key(&self.place.pane, key)?;
            let until = self.ctx.after(OBEYS);
            let before = at;
            while at == before && self.ctx.now() < until {
                self.waiter.pause(self.ctx, PAUSE)?;
                at = self.chosen()?;
            }
        }
        let agent = self.agent.to_owned();
        Err(ApproveError::Unmoved { agent, why: "it does not move to that answer".to_owned() }
            .into())
    }

    /// Presses Enter on the row that is chosen, and sees the dialog leave.
    ///
    /// It is pressed again only where the agent itself says that it has waited for this one answer all
    /// along: the same words may be another question.
    fn confirm(&mut self, said: &str) -> Result<()> {
        let since = self.waits_since();
        for _ in 0..PRESSES {
            let row = self.chosen()?;
            if self.dialog.rows.get(row).is_none_or(|it| it.label != said) {
                return Err(self.changed(None));
            }
            self.place.mux.key(&self.place.pane, Key::Enter)?;
            if self.has_left()? {
                return Ok(());
            }
            if since.is_none() || self.waits_since() != since {
                break;
            }
        }
        let why = "Enter was pressed, and it still stands".to_owned();
        Err(ApproveError::Unmoved { agent: self.agent.to_owned(), why }.into())
    }

    /// Whether the dialog leaves in the time that a program may take.
    fn has_left(&mut self) -> Result<bool> {
        let until = self.ctx.after(OBEYS);
        while self.ctx.now() < until {
            self.waiter.pause(self.ctx, PAUSE)?;
            let now = Dialog::read(self.rules, &self.place.screen()?);
            if now.is_none_or(|it| it.digest != self.dialog.digest) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Since when the agent itself says that it waits for a person; none where it cannot say.
    fn waits_since(&self) -> Option<Timestamp> {
        let decided = agents::observe_one(self.ctx, self.row.clone()).decided;
        let waits = matches!(decided.state, Presence::NeedsPermission | Presence::NeedsInput)
            && matches!(decided.source, Source::Control | Source::StatusFile);
        decided.since.filter(|_| waits)
    }

    /// The row that Enter would choose now, in the dialog that is meant and no other.
    fn chosen(&self) -> Result<usize> {
        let now = Dialog::read(self.rules, &self.place.screen()?);
        match now {
            Some(now) if now.digest == self.dialog.digest => {
                now.chosen().ok_or_else(|| self.changed(Some(now.clone())))
            }
            other => Err(self.changed(other)),
        }
    }

    fn changed(&self, now: Option<Dialog>) -> OpError {
        let agent = self.agent.to_owned();
        ApproveError::Changed { agent, now: now.map(Box::new) }.into()
    }
}
