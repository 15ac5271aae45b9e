//! Claude Code: typed into only when its status, its screen and its composer agree, and proven by its hook.

use std::time::Duration;

use drover_core::agent::claude as prompt;
use drover_core::agent::screen::{Composer, ScreenRules, ScreenVerdict};
use drover_core::message::{Level, Mode, Obstacle};
use drover_host::control::claude::{self, Status};
use drover_host::mux::{Key, Pane, Paste};
use drover_host::proc::Identity;
use drover_store::agents::Agent;
use drover_store::messages::Message;
use drover_store::reports;
use jiff::{SignedDuration, Timestamp};

use super::super::driver::{Aborted, Driver, Gate};
use super::super::handed::Handed;
use super::super::place::{Place, Seen};
use super::super::typing::Hand;
use crate::agents::identity;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::waiting::Waiter;

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// Looks before anything is typed, so far apart: a dialog that opens right now is drawn in between.
const CALM: (u32, Duration) = (2, Duration::from_millis(100));
/// How long a hook's word for a submitted text is waited for, from a program whose hooks have spoken before.
const PROOF: Duration = Duration::from_secs(15);
/// The same for one that has been silent so far, and for a text that was not seen to leave.
const FIRST_PROOF: Duration = Duration::from_secs(2);
/// How long a turn may take to end after Escape, and a conversation to begin after `/clear`.
const OBEYS: Duration = Duration::from_secs(8);
/// A program is starting, without a status of its own, for so long.
const STARTING: SignedDuration = SignedDuration::from_secs(60);
/// So often a line of what Escape put back into the composer is taken out.
const LINES: u32 = 64;
/// What the composer says when messages that somebody typed wait for the turn's end.
const QUEUED: &str = "edit queued messages";

/// One Claude Code agent.
#[derive(Debug)]
pub(super) struct Claude {
    process: Identity,
    rules: ScreenRules,
    /// What its submitted prompts are proven by: our hooks, which only our own launch gives it.
    best: Level,
}

/// The driver of an agent; none for one whose program shows no status, and is old enough to.
pub(super) fn of(ctx: &Ctx, agent: &Agent) -> Option<Claude> {
    let rules = ctx.config().ok()?.engine(&agent.profile.engine).screen;
    let process = identity(&agent.binding.as_ref()?.pane);
    let started = agent.lifecycle_at.parse::<Timestamp>().unwrap_or(ctx.now());
    let is_young = ctx.now().duration_since(started) < STARTING;
    let speaks = is_young || claude::status(&process).is_ok();
    let best = if agent.is_adopted { Level::Submitted } else { Level::Received };
    (speaks && !rules.is_empty()).then_some(Claude { process, rules, best })
}

impl Claude {
    /// Its status; none while it keeps none.
    fn status(&self) -> Option<Status> {
        claude::status(&self.process).ok().filter(|it| !it.word.is_empty())
    }

    /// Whether a text may be typed by what its status and its screen say now.
    fn may(&self, place: &Place, mode: Mode) -> Result<Gate> {
        let screen = place.screen()?;
        let verdict = self.rules.verdict(&screen);
        if let ScreenVerdict::Dialog { label, excerpt } = &verdict {
            let label = label.as_deref().map(|it| format!("{it}: ")).unwrap_or_default();
            return Ok(Gate::Stopped(Obstacle::DialogStands, format!("{label}{excerpt}")));
        }
        // Some dialogs stand before it says anything.
        let Some(status) = self.status() else {
            return Ok(Gate::NotYet("it has not said yet what it does".to_owned()));
        };
        let stops = mode == Mode::Interrupt;
        match status.word.as_str() {
            "idle" => {}
            "busy" if stops && screen.contains(QUEUED) => {
                let waits = "a message that somebody typed waits for the end of its turn";
                return Ok(Gate::Stopped(Obstacle::DraftStands, waits.to_owned()));
            }
            "busy" if stops => {}
            "waiting" => {
                let what = status.waiting_for.unwrap_or_else(|| "an answer".to_owned());
                return Ok(Gate::Stopped(Obstacle::DialogStands, format!("it waits: {what}")));
            }
            _ => return Ok(Gate::NotYet("it is working".to_owned())),
        }
        Ok(match self.rules.composer(&screen) {
            Some(Composer::Empty) if stops || !matches!(verdict, ScreenVerdict::Busy { .. }) => {
                Gate::Open
            }
            Some(Composer::Empty) => Gate::NotYet("its screen shows a running turn".to_owned()),
            Some(Composer::Draft(draft)) => Gate::Stopped(Obstacle::DraftStands, draft),
            None => Gate::NotYet("its composer is not to be seen".to_owned()),
        })
    }
}

impl Driver for Claude {
    fn best(&self) -> Level {
        self.best
    }

    fn refuses(&self, mode: Mode) -> Option<String> {
        match mode {
            Mode::TurnEnd | Mode::WhenIdle | Mode::Interrupt | Mode::Fresh => None,
            Mode::Steer => Some("nothing proves that claude took a text into its turn".to_owned()),
        }
    }

    fn gate(&self, ctx: &Ctx, agent: &Agent, mode: Mode) -> Result<Gate> {
        let Some(place) = Place::of(ctx, agent)? else {
            return Ok(Gate::NotYet("it has no pane yet".to_owned()));
        };
        let pane = match place.look() {
            Seen::Pane(pane) => pane,
            Seen::Gone(how) => return Ok(Gate::Stopped(Obstacle::AgentDead, how)),
            Seen::Silent(why) => return Ok(Gate::NotYet(why)),
        };
        if pane.in_mode && place.is_attached()? {
            return Ok(Gate::Stopped(Obstacle::CopyMode, String::new()));
        }
        self.may(&place, mode)
    }

    fn hand(&self, ctx: &Ctx, agent: &Agent, message: &Message, text: &str) -> Handed {
        let Some(pasted) = prompt::pasted(text) else {
            let first = text.split_whitespace().next().unwrap_or_default();
            return refused(Obstacle::TakenForCommand, format!("{first} is a command of claude"));
        };
        match Call::begin(self, ctx, agent) {
            Ok(mut call) => call.hand(message, &pasted).unwrap_or_else(|stuck| stuck),
            Err(stuck) => stuck,
        }
    }

    fn abort(&self, ctx: &Ctx, agent: &Agent) -> Result<Aborted> {
        let Some(status) = self.status() else {
            return Ok(Aborted::Refused("it does not say what it does".to_owned()));
        };
        if status.word == "idle" {
            return Ok(Aborted::WasIdle);
        }
        let stopped = Call::begin(self, ctx, agent).and_then(|mut call| call.stop());
        Ok(match stopped {
            Ok(()) => Aborted::Stopped,
            Err(stuck) => Aborted::Refused(stuck.detail),
        })
    }
}

/// One exchange with an agent, under the lock of its pane.
struct Call<'a> {
    claude: &'a Claude,
    ctx: &'a Ctx,
    agent: &'a Agent,
    waiter: Waiter,
    place: Place,
    pane: Box<Pane>,
}

type Step<T> = std::result::Result<T, Handed>;

impl<'a> Call<'a> {
    fn begin(claude: &'a Claude, ctx: &'a Ctx, agent: &'a Agent) -> Step<Self> {
        let place = tried(Place::of(ctx, agent))?;
        let place = place.ok_or_else(|| refused(Obstacle::AgentDead, "it has no pane"))?;
        let pane = match place.look() {
            Seen::Pane(pane) => pane,
            Seen::Gone(how) => return Err(refused(Obstacle::AgentDead, how)),
            Seen::Silent(why) => return Err(refused(Obstacle::ChannelSilent, why)),
        };
        if pane.in_mode {
            tried(place.mux.leave_copy_mode(&place.pane).map_err(Into::into))?;
        }
        let waiter = tried(Waiter::start(ctx))?;
        Ok(Self { claude, ctx, agent, waiter, place, pane })
    }

    fn hand(&mut self, message: &Message, pasted: &str) -> Step<Handed> {
        self.calm(message.mode)?;
        match message.mode {
            Mode::Interrupt => self.stop()?,
            Mode::Fresh => self.begin_anew()?,
            Mode::TurnEnd | Mode::WhenIdle | Mode::Steer => {}
        }
        let digest = prompt::digest_of_pasted(pasted);
        let before = self.turns_of(&digest)?;
        let rules = Some(&self.claude.rules);
        let tty = self.pane.tty.as_path();
        let (ctx, place) = (self.ctx, &self.place);
        let mut hand = Hand { ctx, waiter: &mut self.waiter, place, tty, rules };
        let typed = hand.type_text(&format!("drover-{}", message.uid), pasted);
        // Nothing was written, or its program is gone or has no hooks: none will say anything.
        let is_silent = self.claude.best != Level::Received || typed.level == Level::Refused;
        if is_silent || typed.obstacle == Some(Obstacle::AgentDead) {
            return Ok(typed);
        }
        // It was typed: a proof that cannot be looked for takes nothing of that back.
        let turn = self.proof(&digest, &before, typed.level).unwrap_or(None);
        Ok(match turn {
            Some(turn) => {
                let proof = "its hook said that this very text was submitted";
                Handed::reached(Level::Received, proof).in_turn(Some(turn), None)
            }
            None => typed,
        })
    }

    /// Looks again, some times in a row, before anything is typed.
    fn calm(&mut self, mode: Mode) -> Step<()> {
        let (looks, pause) = CALM;
        for _ in 0..looks {
            self.pause(pause)?;
            match tried(self.claude.may(&self.place, mode))? {
                Gate::Open => {}
                Gate::NotYet(why) => return Err(refused(Obstacle::StillQueued, why)),
                Gate::Stopped(obstacle, detail) => return Err(refused(obstacle, detail)),
            }
        }
        Ok(())
    }

    /// The turns that prompts of this digest have begun so far.
    fn turns_of(&self, digest: &str) -> Step<Vec<i64>> {
        let turns = reports::turns_of_prompt(&self.ctx.read(), self.agent.pk, digest);
        tried(turns.map_err(Into::into))
    }

    /// The turn that the text began, once the hook has said so.
    fn proof(&mut self, digest: &str, before: &[i64], typed: Level) -> Step<Option<i64>> {
        let heard = tried(reports::of_agent(&self.ctx.read(), self.agent.pk).map_err(Into::into))?;
        let is_due = heard.is_some() && typed == Level::Submitted;
        let until = self.ctx.after(if is_due { PROOF } else { FIRST_PROOF });
        loop {
            let turns = self.turns_of(digest)?;
            let is_new = turns.len() > before.len() || turns.last() > before.last();
            if is_new {
                return Ok(turns.last().copied());
            }
            if self.ctx.now() >= until || !matches!(self.place.look(), Seen::Pane(_)) {
                return Ok(None);
            }
            self.pause(PAUSE)?;
        }
    }

    /// Stops the running turn, and takes what Escape put back into the composer out again.
    fn stop(&mut self) -> Step<()> {
        let screen = tried(self.place.screen())?;
        // What stands there was written by somebody, and what waits goes back there: it is kept.
        let is_ours = !screen.contains(QUEUED)
            && matches!(self.claude.rules.composer(&screen), Some(Composer::Empty) | None);
        if self.claude.status().is_some_and(|it| it.word != "idle") {
            self.key(Key::Escape)?;
            self.until(
                OBEYS,
                |it| it.word == "idle",
                "Escape was pressed, and its turn did not end",
            )?;
        }
        self.pause(CALM.1)?;
        if !is_ours {
            return Ok(());
        }
        for _ in 0..LINES {
            match self.claude.rules.composer(&tried(self.place.screen())?) {
                Some(Composer::Empty) => return Ok(()),
                Some(Composer::Draft(_)) => self.key(Key::ClearLine)?,
                None => {}
            }
            self.pause(PAUSE)?;
        }
        Err(refused(Obstacle::DraftStands, "what Escape put into its composer stays there"))
    }

    /// Has the program begin a new conversation, and sees that it did.
    fn begin_anew(&mut self) -> Step<()> {
        let session = self.claude.status().map(|it| it.session).unwrap_or_default();
        let buffer = format!("drover-clear-{}", self.agent.uid);
        let pasted = self.place.mux.paste(&self.place.pane, &buffer, b"/clear", Paste::Bracketed);
        tried(pasted.map_err(Into::into))?;
        self.pause(4 * CALM.1)?;
        self.key(Key::Enter)?;
        let is_new = |it: &Status| it.session != session && it.word == "idle";
        self.until(OBEYS, is_new, "/clear was typed, and no new conversation began")?;
        let until = self.ctx.after(OBEYS);
        while self.ctx.now() < until {
            if tried(self.claude.may(&self.place, Mode::Fresh))? == Gate::Open {
                return self.calm(Mode::Fresh);
            }
            self.pause(PAUSE)?;
        }
        Err(refused(Obstacle::Declined, "a new conversation began, and its composer does not show"))
    }

    fn until(&mut self, time: Duration, is: impl Fn(&Status) -> bool, or: &str) -> Step<()> {
        let until = self.ctx.after(time);
        loop {
            if self.claude.status().is_some_and(|it| is(&it)) {
                return Ok(());
            }
            if let Seen::Gone(how) = self.place.look() {
                return Err(refused(Obstacle::AgentDead, how));
            }
            if self.ctx.now() >= until {
                return Err(refused(Obstacle::Declined, or));
            }
            self.pause(PAUSE)?;
        }
    }

    fn key(&self, key: Key) -> Step<()> {
        tried(self.place.mux.key(&self.place.pane, key).map_err(Into::into))
    }

    fn pause(&mut self, time: Duration) -> Step<()> {
        tried(self.waiter.pause(self.ctx, time))
    }
}

fn refused(obstacle: Obstacle, detail: impl Into<String>) -> Handed {
    Handed::stuck(Level::Refused, obstacle, detail)
}

/// A call that failed before anything of the text was written.
fn tried<T>(result: Result<T>) -> Step<T> {
    result.map_err(|err| refused(Obstacle::ChannelSilent, err.to_string()))
}
