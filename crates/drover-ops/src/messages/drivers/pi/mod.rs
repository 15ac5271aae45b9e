//! Speaking to pi through the control socket of our extension; nothing is ever typed into it.

mod slash;

use std::time::Duration;

use drover_core::message::{Level, Mode, Obstacle};
use drover_host::control::pi::{PiError, PiSocket, State, Status, Stopped, Taken, Text, Way};
use drover_host::mux::Key;
use drover_store::agents::Agent;
use drover_store::messages::Message;

use self::slash::Slash;
use crate::ctx::Ctx;
use crate::engines;
use crate::error::Result;
use crate::messages::driver::{Aborted, Driver, Gate};
use crate::messages::handed::Handed;
use crate::messages::place::{Place, Seen};
use crate::reporters::{PI_LIMIT, pi_is_young, pi_silence};
use crate::waiting::Waiter;

/// Refusals that say nothing of what becomes of a text.
const OPEN: [&str; 3] = ["in_flight", "other_instance", "too_many"];

/// How long pi may take to take a text; the extension itself gives up before that.
const GIVE: Duration = Duration::from_secs(15);
/// The same where a turn must be stopped first.
const INTERRUPT: Duration = Duration::from_secs(30);
/// The same where a new session must begin first.
const FRESH: Duration = Duration::from_mins(1);
/// How long a turn may take to stop.
const STOP: Duration = Duration::from_secs(10);
/// How long a dialog may take to close.
const CLOSE: Duration = Duration::from_secs(2);
/// Between two looks at a dialog.
const PAUSE: Duration = Duration::from_millis(50);

/// One pi, by its socket.
#[derive(Debug)]
pub(super) struct Pi {
    socket: PiSocket,
}

impl Pi {
    /// The driver of an agent that runs pi.
    pub(super) fn of(ctx: &Ctx, agent: &Agent) -> Self {
        Self { socket: PiSocket::at(&engines::pi_socket(ctx.state_path(), agent)) }
    }

    /// What pi says, if it is this agent's.
    fn status(&self, agent: &Agent) -> std::result::Result<Status, String> {
        let status = self.socket.status(PI_LIMIT).map_err(|err| pi_silence(&err))?;
        if status.agent.as_deref() == Some(&agent.uid) {
            return Ok(status);
        }
        Err(format!("{} is served by another agent", self.socket.path().display()))
    }

    /// Gives pi a text. Where the answer was lost, the same is asked once more: the life of the program
    /// that was asked first knows the text by its id, and sends it no second time.
    fn give(&self, way: Way, text: &Text<'_>) -> std::result::Result<Taken, Failed> {
        let limit = match way {
            Way::Turn | Way::Steer => GIVE,
            Way::Interrupt => INTERRUPT,
            Way::Fresh => FRESH,
        };
        let first = match self.socket.give(way, text, limit) {
            Ok(taken) => return Ok(taken),
            Err(err) => err,
        };
        let is_lost = matches!(&first, PiError::Channel(err) if err.may_have_been_taken());
        if !is_lost {
            return Err(Failed { is_certain: true, err: first });
        }
        let again = self.socket.give(way, text, limit);
        again.map_err(|err| Failed {
            // A refusal of the same life of the program is about this text; all else leaves it open, as
            // that the first request is still under way.
            is_certain: err.code().is_some_and(|it| !OPEN.contains(&it)),
            err,
        })
    }

    fn command(&self, message: &Message, slash: &Slash<'_>) -> Handed {
        let Slash::Command(command) = *slash else {
            let detail = slash.refusal().unwrap_or_default();
            return Handed::stuck(Level::Refused, Obstacle::Declined, detail);
        };
        let force = message.mode == Mode::Interrupt;
        match self.socket.command(command, force, FRESH) {
            Ok(status) => {
                let session = status.session.unwrap_or_default();
                let proof = format!("pi carried out /{}, in its session {session}", command.name());
                Handed::reached(Level::Received, proof)
            }
            Err(err) => Failed { is_certain: !is_lost(&err), err }.handed(),
        }
    }

    /// Closes a dialog, which would outlive the end of its turn, as a person does.
    fn close_dialog(&self, ctx: &Ctx, agent: &Agent) -> Result<Option<String>> {
        let Some(place) = Place::of(ctx, agent)? else {
            return Ok(Some("a dialog stands, and it has no pane".to_owned()));
        };
        match place.look() {
            Seen::Pane(pane) if !pane.in_mode => place.mux.key(&place.pane, Key::Escape)?,
            Seen::Pane(_) => {
                let why = "a dialog stands, and somebody looks at its pane in copy mode";
                return Ok(Some(why.to_owned()));
            }
            Seen::Gone(why) | Seen::Silent(why) => return Ok(Some(why)),
        }
        let mut waiter = Waiter::start(ctx)?;
        let until = ctx.now().saturating_add(CLOSE).unwrap_or(jiff::Timestamp::MAX);
        while ctx.now() < until {
            if self.status(agent).is_ok_and(|it| it.state != State::Dialog) {
                return Ok(None);
            }
            waiter.wait_at_most(ctx, Some(until), PAUSE)?;
        }
        Ok(Some("a dialog stands, and Escape does not close it".to_owned()))
    }
}

impl Driver for Pi {
    fn best(&self) -> Level {
        Level::Received
    }

    fn refuses(&self, _mode: Mode) -> Option<String> {
        None
    }

    fn refuses_text(&self, mode: Mode, text: &str) -> Option<String> {
        let slash = slash::read(text)?;
        match (&slash, mode) {
            (Slash::Command(command), Mode::Steer | Mode::Fresh) => {
                let name = command.name();
                Some(format!("/{name} is a command, which joins no turn and begins none"))
            }
            _ => slash.refusal(),
        }
    }

    fn gate(&self, ctx: &Ctx, agent: &Agent, mode: Mode) -> Result<Gate> {
        let status = match self.socket.status(PI_LIMIT) {
            Ok(status) => status,
            // A pi that is busy with itself for a moment answers the next look.
            Err(PiError::Channel(err)) if err.is_late() => {
                return Ok(Gate::NotYet(err.to_string()));
            }
            Err(PiError::Channel(err)) if err.is_absent() && pi_is_young(agent, ctx.now()) => {
                return Ok(Gate::NotYet("it is starting".to_owned()));
            }
            Err(err) => return Ok(Gate::Stopped(Obstacle::ChannelSilent, pi_silence(&err))),
        };
        if status.agent.as_deref() != Some(&agent.uid) {
            let why = format!("{} is served by another agent", self.socket.path().display());
            return Ok(Gate::Stopped(Obstacle::ChannelSilent, why));
        }
        let goes_at_once = matches!(mode, Mode::Interrupt | Mode::Steer | Mode::Fresh);
        Ok(match status.state {
            State::Starting => Gate::NotYet("it is starting".to_owned()),
            State::Trust | State::Dialog => {
                let title = status.dialog.map(|it| it.title).unwrap_or_default();
                Gate::Stopped(Obstacle::DialogStands, title)
            }
            State::Busy if !goes_at_once => Gate::NotYet("it is working".to_owned()),
            State::Busy | State::Idle => Gate::Open,
        })
    }

    fn hand(&self, _ctx: &Ctx, agent: &Agent, message: &Message, text: &str) -> Handed {
        if let Some(slash) = slash::read(text) {
            return self.command(message, &slash);
        }
        let status = match self.status(agent) {
            Ok(status) => status,
            Err(why) => return Handed::stuck(Level::Refused, Obstacle::ChannelSilent, why),
        };
        let way = match message.mode {
            Mode::TurnEnd | Mode::WhenIdle => Way::Turn,
            Mode::Steer => Way::Steer,
            Mode::Interrupt => Way::Interrupt,
            Mode::Fresh => Way::Fresh,
        };
        let text = Text { id: &message.uid, instance: &status.instance, text };
        match self.give(way, &text) {
            Ok(taken) => received(&taken),
            Err(failed) => failed.handed(),
        }
    }

    fn recall(&self, _ctx: &Ctx, agent: &Agent, message: &Message) -> Option<Handed> {
        self.status(agent).ok()?;
        // Only that it was taken is proven: what this life of the program does not know, one before it may.
        self.socket.recall(&message.uid, GIVE).ok().as_ref().map(received)
    }

    fn abort(&self, ctx: &Ctx, agent: &Agent) -> Result<Aborted> {
        let status = match self.status(agent) {
            Ok(status) => status,
            Err(why) => return Ok(Aborted::Refused(why)),
        };
        let has_dialog = status.state == State::Dialog;
        if has_dialog && let Some(why) = self.close_dialog(ctx, agent)? {
            return Ok(Aborted::Refused(why));
        }
        Ok(match self.socket.abort(STOP) {
            Ok(Stopped::WasIdle) if !has_dialog => Aborted::WasIdle,
            Ok(Stopped::Ended | Stopped::WasIdle) => Aborted::Stopped,
            Ok(Stopped::NotYet) => {
                Aborted::Refused(format!("its turn has not ended within {STOP:?}"))
            }
            Err(err) => Aborted::Refused(err.to_string()),
        })
    }
}

fn received(taken: &Taken) -> Handed {
    let session = taken.session.as_deref().unwrap_or("without a name");
    let place = if taken.is_queued { "its queue for turn" } else { "turn" };
    let proof = format!("pi took it into {place} {} of session {session}", taken.turn);
    Handed::reached(Level::Received, proof).in_turn(Some(taken.turn), None)
}

/// A text that did not arrive, or of which that is not known.
struct Failed {
    /// Whether it is certain that the text was not taken.
    is_certain: bool,
    err: PiError,
}

impl Failed {
    fn handed(&self) -> Handed {
        let detail = self.err.to_string();
        let stuck = |level, obstacle| Handed::stuck(level, obstacle, detail.clone());
        match self.err.code() {
            // It was given to pi, and nothing shows what became of it.
            Some("not_taken" | "ended") => stuck(Level::Uncertain, Obstacle::NotTaken),
            _ if !self.is_certain => stuck(Level::Uncertain, Obstacle::NotTaken),
            // The state has changed since the look: the message waits on.
            Some("busy" | "no_session" | "other_instance") => {
                stuck(Level::Refused, Obstacle::StillQueued)
            }
            Some("dialog") => stuck(Level::Refused, Obstacle::DialogStands),
            Some(_) => stuck(Level::Refused, Obstacle::Declined),
            None => stuck(Level::Refused, Obstacle::ChannelSilent),
        }
    }
}

fn is_lost(err: &PiError) -> bool {
    matches!(err, PiError::Channel(err) if err.may_have_been_taken())
}
