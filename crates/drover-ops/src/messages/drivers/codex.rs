//! A Codex is told through its own app-server: every message under its own name, each a turn of its own.

use std::path::PathBuf;
use std::time::Duration;

use drover_core::message::{Level, Mode, Obstacle};
use drover_host::control::codex::{Client, CodexError, Flag, Status, Thread, Turn, View};
use drover_store::agents::Agent;
use drover_store::messages::Message;
use drover_store::reports;

use crate::ctx::Ctx;
use crate::engines::codex::{self, Shown};
use crate::error::Result;
use crate::messages::driver::{Aborted, Driver, Gate};
use crate::messages::handed::Handed;

/// How long a look may take.
const LOOK_LIMIT: Duration = Duration::from_secs(2);
/// How long the app-server has to take a text, however long.
const HAND_LIMIT: Duration = Duration::from_secs(20);
/// How long a turn has to end that is stopped.
const STOP_LIMIT: Duration = Duration::from_secs(10);
/// How often the turn that took a text is looked at until the text stands in it.
const RECORDED_LOOKS: u32 = 50;
/// The same for a text that joins a running turn.
const JOINED_LOOKS: u32 = 10;
/// Among how many of the latest turns a text is looked for whose answer was lost.
const RECALLED_TURNS: usize = 20;

/// The app-server of an agent.
#[derive(Debug)]
pub(super) struct Codex {
    socket: PathBuf,
}

/// The driver of an agent; none if it has no app-server.
pub(super) fn of(ctx: &Ctx, agent: &Agent) -> Option<Codex> {
    let socket = codex::socket(ctx.state_path(), &agent.uid);
    // Of one that is over, its end is to be told, and not that its channel went with it.
    let is_over = !agent.lifecycle.is_running();
    (is_over || codex::is_served(ctx.state_path(), &agent.uid)).then_some(Codex { socket })
}

/// What keeps a call from the conversation that the terminal shows.
enum Missing {
    /// The app-server said something else, or nothing.
    Channel(CodexError),
    /// It has none yet.
    Conversation,
    /// It has several.
    OneOf(usize),
}

impl From<CodexError> for Missing {
    fn from(err: CodexError) -> Self {
        Self::Channel(err)
    }
}

impl Missing {
    /// Whether it may be there a moment later.
    fn may_come(&self) -> bool {
        match self {
            Self::Conversation | Self::Channel(CodexError::Silent { .. }) => true,
            Self::Channel(_) | Self::OneOf(_) => false,
        }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Channel(err) => err.fmt(f),
            Self::Conversation => f.write_str("its terminal has opened no conversation yet"),
            Self::OneOf(count) => write!(
                f,
                "its app-server has {count} conversations open, and nothing says which its terminal shows"
            ),
        }
    }
}

impl Driver for Codex {
    fn best(&self) -> Level {
        Level::Received
    }

    fn refuses(&self, mode: Mode) -> Option<String> {
        match mode {
            Mode::TurnEnd | Mode::WhenIdle | Mode::Interrupt | Mode::Steer => None,
            Mode::Fresh => Some(
                "nothing can have the terminal of codex show a new conversation; `agent restart` begins one"
                    .to_owned(),
            ),
        }
    }

    fn gate(&self, ctx: &Ctx, agent: &Agent, mode: Mode) -> Result<Gate> {
        let (_, thread) = match self.reach(ctx, agent, LOOK_LIMIT) {
            Ok(reached) => reached,
            Err(missing) if missing.may_come() => return Ok(Gate::NotYet(missing.to_string())),
            Err(missing) => {
                return Ok(Gate::Stopped(Obstacle::ChannelSilent, missing.to_string()));
            }
        };
        let waits_for_its_end = match mode {
            Mode::TurnEnd | Mode::WhenIdle | Mode::Fresh => true,
            Mode::Interrupt | Mode::Steer => false,
        };
        Ok(match &thread.status {
            Status::Active { active_flags } if waits_for_its_end => {
                Gate::NotYet(what_it_does(active_flags).to_owned())
            }
            Status::Active { .. } | Status::Idle | Status::SystemError => Gate::Open,
            Status::NotLoaded | Status::Unknown => {
                Gate::NotYet("its app-server says what it does in an unknown word".to_owned())
            }
        })
    }

    fn hand(&self, ctx: &Ctx, agent: &Agent, message: &Message, text: &str) -> Handed {
        let (mut client, thread) = match self.reach(ctx, agent, LOOK_LIMIT) {
            Ok(reached) => reached,
            Err(missing) => return not_handed(missing.to_string()),
        };
        client.allow(HAND_LIMIT);
        let id = thread.id.as_str();
        let handed = match (message.mode, thread.status.is_active()) {
            (Mode::Interrupt, true) => match stop(&mut client, id) {
                Ok(_) => start(&mut client, id, &message.uid, text),
                // The turn may still be about to stop: another try would be another order to it.
                Err(why) => return Handed::stuck(Level::Refused, Obstacle::Declined, why),
            },
            (Mode::Steer, true) => steer(&mut client, id, &message.uid, text),
            // Somebody was faster: given now, the text would join their turn.
            (Mode::TurnEnd | Mode::WhenIdle | Mode::Fresh, true) => {
                return not_handed("a turn has begun meanwhile".to_owned());
            }
            (_, false) => start(&mut client, id, &message.uid, text),
        };
        match handed {
            Ok(handed) => handed,
            Err(err) if err.may_be_done() => self.find_out(id, &message.uid, &err),
            Err(err) => Handed::stuck(Level::Refused, Obstacle::Declined, err.to_string()),
        }
    }

    fn recall(&self, ctx: &Ctx, agent: &Agent, message: &Message) -> Option<Handed> {
        let (mut client, thread) = self.reach(ctx, agent, LOOK_LIMIT).ok()?;
        taken(&mut client, &thread.id, &message.uid, RECALLED_TURNS).ok()?
    }

    fn abort(&self, ctx: &Ctx, agent: &Agent) -> Result<Aborted> {
        let (mut client, thread) = match self.reach(ctx, agent, LOOK_LIMIT) {
            Ok(reached) => reached,
            Err(missing) => return Ok(Aborted::Refused(missing.to_string())),
        };
        if !thread.status.is_active() {
            return Ok(Aborted::WasIdle);
        }
        Ok(match stop(&mut client, &thread.id) {
            Ok(true) => Aborted::Stopped,
            Ok(false) => Aborted::WasIdle,
            Err(why) => Aborted::Refused(why),
        })
    }
}

impl Codex {
    /// The conversation that the agent's terminal shows, and a connection to ask more on.
    fn reach(
        &self,
        ctx: &Ctx,
        agent: &Agent,
        limit: Duration,
    ) -> std::result::Result<(Client, Thread), Missing> {
        let report = reports::of_agent(&ctx.read(), agent.pk).ok().flatten();
        let last_seen = report.and_then(|it| it.conversation_id);
        let last_seen = last_seen.as_deref().or(agent.conversation_id.as_deref());
        let mut client = Client::connect(&self.socket, limit)?;
        let threads = client.threads()?;
        match codex::shown(&threads, last_seen) {
            Shown::Conversation(thread) => Ok((client, thread.clone())),
            Shown::Nothing => Err(Missing::Conversation),
            Shown::OneOf(count) => Err(Missing::OneOf(count)),
        }
    }

    /// What became of a text whose answer was lost: it stands in the conversation under its name, or nothing is
    /// known of it.
    fn find_out(&self, thread: &str, name: &str, lost: &CodexError) -> Handed {
        let looked = Client::connect(&self.socket, LOOK_LIMIT)
            .and_then(|mut client| taken(&mut client, thread, name, RECALLED_TURNS));
        match looked {
            Ok(Some(handed)) => handed,
            Ok(None) => Handed::stuck(
                Level::Uncertain,
                Obstacle::NotTaken,
                format!("{lost}; it stands in none of the latest turns"),
            ),
            Err(err) => {
                Handed::stuck(Level::Uncertain, Obstacle::NotTaken, format!("{lost}; {err}"))
            }
        }
    }
}

fn start(
    client: &mut Client,
    thread: &str,
    name: &str,
    text: &str,
) -> std::result::Result<Handed, CodexError> {
    let turn = client.start_turn(thread, name, text)?;
    Ok(seen_in(client, thread, (&turn.id, name), RECORDED_LOOKS))
}

/// Joins a text to the turn that runs; one that has ended meanwhile lets it begin the next.
fn steer(
    client: &mut Client,
    thread: &str,
    name: &str,
    text: &str,
) -> std::result::Result<Handed, CodexError> {
    let Some(turn) = running(client, thread)? else { return start(client, thread, name, text) };
    match client.steer_turn(thread, &turn.id, name, text) {
        Ok(()) => {}
        Err(CodexError::Refused { message, .. }) if message.contains("no active turn") => {
            return start(client, thread, name, text);
        }
        Err(err) => return Err(err),
    }
    // It stands in the turn once the model's answer under way lets it; that Codex took it was said.
    Ok(seen_in(client, thread, (&turn.id, name), JOINED_LOOKS))
}

/// A text that Codex said it took into a turn: seen there under its name, which is a moment later.
fn seen_in(client: &mut Client, thread: &str, (turn, name): (&str, &str), looks: u32) -> Handed {
    for _ in 0..looks {
        match taken(client, thread, name, 1) {
            Ok(Some(handed)) => return handed,
            // The file of a new conversation is just being written.
            Ok(None) | Err(CodexError::Refused { .. }) => client.pause(),
            // What cannot be seen now was said all the same.
            Err(_) => break,
        }
    }
    let number = client.turn_number(thread, turn).ok().flatten();
    let proof = format!("codex took it into the turn {turn}");
    Handed::reached(Level::Received, proof).in_turn(number, Some(turn.to_owned()))
}

/// Stops the turn that runs: whether one was stopped, or why none was.
fn stop(client: &mut Client, thread: &str) -> std::result::Result<bool, String> {
    let failed = |err: CodexError| err.to_string();
    client.allow(STOP_LIMIT);
    let Some(turn) = running(client, thread).map_err(failed)? else { return Ok(false) };
    match client.interrupt_turn(thread, &turn.id) {
        Ok(()) => {}
        Err(CodexError::Refused { message, .. }) if message.contains("no active turn") => {
            return Ok(false);
        }
        Err(err) => return Err(err.to_string()),
    }
    loop {
        let latest = client.turns(thread, 1, View::NotLoaded).map_err(failed)?;
        if latest.first().is_some_and(|it| it.id != turn.id || it.has_ended()) {
            client.allow(HAND_LIMIT);
            return Ok(true);
        }
        client.pause();
    }
}

fn running(client: &mut Client, thread: &str) -> std::result::Result<Option<Turn>, CodexError> {
    let latest = client.turns(thread, 1, View::NotLoaded)?;
    Ok(latest.into_iter().next().filter(|it| !it.has_ended()))
}

/// How a text of this name was taken, if it stands in one of the latest turns.
fn taken(
    client: &mut Client,
    thread: &str,
    name: &str,
    count: usize,
) -> std::result::Result<Option<Handed>, CodexError> {
    let turns = client.turns(thread, count, View::Full)?;
    let Some(turn) = turns.iter().find(|it| it.prompts().any(|it| it == Some(name))) else {
        return Ok(None);
    };
    let number = client.turn_number(thread, &turn.id)?;
    let is_first = turn.prompts().next() == Some(Some(name));
    let proof = if is_first {
        format!("codex began the turn {} with it", turn.id)
    } else {
        format!("codex joined it to the turn {}", turn.id)
    };
    let handed = Handed::reached(Level::Received, proof);
    Ok(Some(handed.in_turn(number, Some(turn.id.clone()))))
}

fn what_it_does(flags: &[Flag]) -> &'static str {
    if flags.contains(&Flag::WaitingOnApproval) {
        "its turn waits for leave"
    } else if flags.contains(&Flag::WaitingOnUserInput) {
        "its turn waits for an answer"
    } else {
        "it is working"
    }
}

/// A text of which nothing left us: it stays in the outbox.
fn not_handed(why: String) -> Handed {
    Handed::stuck(Level::Refused, Obstacle::StillQueued, why)
}
