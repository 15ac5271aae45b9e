//! Whether text may be typed into an agent's pane now, and waiting until it may.

use std::path::PathBuf;
use std::time::Duration;

use drover_core::agent::screen::{Composer, ScreenRules, ScreenVerdict};
use drover_core::agent::{Foreground, Lifecycle};
use drover_core::message::{Mode, Obstacle};
use drover_host::mux::Pane;
use drover_host::proc;
use drover_store::agents::{self, Agent};
use jiff::Timestamp;

use super::channel::Channel;
use super::driver::{Driver, Gate};
use super::place::{Place, Seen};
use crate::agents::shell_prompt;
use crate::ctx::Ctx;
use crate::error::{OpError, Result};
use crate::waiting::{Event, Waiter};

/// The pause between two looks at a pane.
const PAUSE: Duration = Duration::from_millis(250);

/// After the deadline a pane that shows one thing after another is looked at so often.
const LATE_LOOKS: u32 = 8;

/// A pane into which text may be typed.
pub(super) struct Open {
    pub(super) place: Place,
    pub(super) tty: PathBuf,
    pub(super) in_mode: bool,
}

/// What one look, or the wait for a good one, came to.
pub(super) enum Ready {
    /// Text may be typed.
    Open(Box<Open>),
    /// Not by the deadline.
    NotYet(String),
    /// Not as it is.
    Stopped(Obstacle, String),
    /// The person asked to stop.
    Interrupted,
}

/// Waits until several looks in a row say that text may be typed, or must not be.
pub(super) fn wait(
    ctx: &Ctx,
    waiter: &mut Waiter,
    agent: &Agent,
    (channel, mode): (&Channel, Mode),
    until: Option<Timestamp>,
) -> Result<Ready> {
    let needed = channel.calm_looks();
    let (mut open, mut stopped, mut late) = (0, 0, 0);
    loop {
        let seen = look(ctx, agent, channel, mode)?;
        let why = match seen {
            Ready::Open(pane) => {
                (open, stopped) = (open + 1, 0);
                if open >= needed {
                    return Ok(Ready::Open(pane));
                }
                "its screen does not settle".to_owned()
            }
            Ready::Stopped(obstacle, detail) => {
                (open, stopped) = (0, stopped + 1);
                if stopped >= needed || obstacle == Obstacle::AgentDead {
                    return Ok(Ready::Stopped(obstacle, detail));
                }
                detail
            }
            Ready::NotYet(why) => {
                (open, stopped) = (0, 0);
                why
            }
            Ready::Interrupted => return Ok(Ready::Interrupted),
        };
        if until.is_some_and(|it| ctx.now() >= it) {
            late += 1;
            if (open, stopped) == (0, 0) || late > LATE_LOOKS {
                return Ok(Ready::NotYet(why));
            }
            waiter.pause(ctx, PAUSE)?;
        } else if (open, stopped) != (0, 0) {
            waiter.pause(ctx, PAUSE)?;
        } else if waiter.wait_at_most(ctx, until, PAUSE)? == Event::Interrupted {
            return Ok(Ready::Interrupted);
        }
        if waiter.is_interrupted() {
            return Ok(Ready::Interrupted);
        }
    }
}

/// One look.
fn look(ctx: &Ctx, agent: &Agent, channel: &Channel, mode: Mode) -> Result<Ready> {
    let Some(agent) = agents::by_pk(&ctx.read(), agent.pk)? else {
        return Ok(Ready::Stopped(Obstacle::AgentDead, "its row is gone".to_owned()));
    };
    match agent.lifecycle {
        Lifecycle::Running | Lifecycle::Silent | Lifecycle::Nudged => {}
        Lifecycle::Planned | Lifecycle::Launching | Lifecycle::Restoring => {
            return Ok(Ready::NotYet("it is starting".to_owned()));
        }
        Lifecycle::Exited | Lifecycle::Failed | Lifecycle::Closed => {
            return Ok(Ready::Stopped(Obstacle::AgentDead, over(&agent)));
        }
    }
    let Some(place) = Place::of(ctx, &agent)? else {
        return Ok(Ready::NotYet("it has no pane yet".to_owned()));
    };
    match place.look() {
        Seen::Pane(pane) => {
            match look_at_pane((place, &pane), &agent, channel, |driver| {
                driver.gate(ctx, &agent, mode)
            }) {
                // A pane that goes between two calls is seen gone by the next look.
                Err(OpError::Mux(err)) => Ok(Ready::NotYet(err.to_string())),
                other => other,
            }
        }
        Seen::Gone(how) => Ok(Ready::Stopped(Obstacle::AgentDead, how)),
        Seen::Silent(why) => Ok(Ready::NotYet(format!("its server does not answer: {why}"))),
    }
}

fn look_at_pane(
    (place, pane): (Place, &Pane),
    agent: &Agent,
    channel: &Channel,
    gate: impl FnOnce(&dyn Driver) -> Result<Gate>,
) -> Result<Ready> {
    let open = |place| {
        let (tty, in_mode) = (pane.tty.clone(), pane.in_mode);
        Ready::Open(Box::new(Open { place, tty, in_mode }))
    };
    if let Channel::Exact(driver) = channel {
        return Ok(match gate(driver.as_ref())? {
            Gate::Open => open(place),
            Gate::NotYet(why) => Ready::NotYet(why),
            Gate::Stopped(obstacle, detail) => Ready::Stopped(obstacle, detail),
        });
    }
    if pane.in_mode && place.is_attached()? {
        return Ok(Ready::Stopped(Obstacle::CopyMode, String::new()));
    }
    Ok(match channel {
        Channel::Exact(_) | Channel::Blind => open(place),
        Channel::Shell if !is_shell_in_front(pane) => {
            Ready::NotYet(format!("{} runs in it", pane.current_command))
        }
        Channel::Shell => match shell_prompt(&agent.profile.command, pane) {
            Foreground::OwnShellAsks => {
                let detail = "its shell asks for a key".to_owned();
                Ready::Stopped(Obstacle::DialogStands, detail)
            }
            Foreground::OwnShellBusy => Ready::NotYet("its shell is not at its prompt".to_owned()),
            Foreground::OwnShell | Foreground::Other { .. } | Foreground::Unknown { .. } => {
                open(place)
            }
        },
        Channel::Screen(rules) => match shown(rules, &place.screen()?) {
            None => open(place),
            Some(other) => other,
        },
    })
}

/// What a screen says against typing; none if its composer is empty.
fn shown(rules: &ScreenRules, screen: &str) -> Option<Ready> {
    match rules.verdict(screen) {
        ScreenVerdict::Composer(Composer::Empty) => None,
        ScreenVerdict::Composer(Composer::Draft(draft)) => {
            Some(Ready::Stopped(Obstacle::DraftStands, draft))
        }
        ScreenVerdict::Dialog { label, excerpt } => {
            let label = label.map(|it| format!("{it}: ")).unwrap_or_default();
            Some(Ready::Stopped(Obstacle::DialogStands, format!("{label}{excerpt}")))
        }
        ScreenVerdict::Busy { .. } => Some(Ready::NotYet("it is working".to_owned())),
        ScreenVerdict::Nothing => {
            Some(Ready::NotYet("its screen shows nothing that a rule knows".to_owned()))
        }
    }
}

fn is_shell_in_front(pane: &Pane) -> bool {
    let group = proc::process_group(pane.pid);
    group.is_some() && proc::foreground_group(pane.pid) == group
}

fn over(agent: &Agent) -> String {
    match (agent.exit_signal, agent.exit_status) {
        (Some(signal), _) => format!("{}, by signal {signal}", agent.lifecycle),
        (None, Some(status)) => format!("{}, with exit status {status}", agent.lifecycle),
        (None, None) => agent.lifecycle.to_string(),
    }
}
