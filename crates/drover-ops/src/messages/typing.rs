//! Typing one text into a pane: a paste, a look that it stands, Enter, and a look that it left.

use std::path::Path;
use std::time::Duration;

use drover_core::agent::screen::{Composer, ScreenRules, ScreenVerdict};
use drover_core::message::{Level, Obstacle};
use drover_host::mux::{Key, MuxError, Paste};
use drover_host::tty;

use super::handed::Handed;
use super::place::{Place, Seen};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::waiting::Waiter;

/// The pause between two looks; longer than the moments in which programs take Enter for text.
const PAUSE: Duration = Duration::from_millis(150);
/// Unchanged looks, with all input read, after which Enter was not taken.
const STANDING: u32 = 4;
/// Looks without a trace of the text, with all input read, after which it is not coming.
const TRACELESS: u32 = 14;
/// Looks after which a program that does not read its input is given up.
const MOST_LOOKS: u32 = 400;
/// Enter is pressed so often; the text is never pasted twice.
const PRESSES: u32 = 3;

/// What the kernel takes of a line that it edits itself.
const LONGEST_LINE: usize = 4_095;

/// Types into one pane.
pub(super) struct Hand<'a> {
    pub(super) ctx: &'a Ctx,
    pub(super) waiter: &'a mut Waiter,
    pub(super) place: &'a Place,
    pub(super) tty: &'a Path,
    /// How its screen is read, if it can be.
    pub(super) rules: Option<&'a ScreenRules>,
}

/// A step that went well, or how far the text got when it did not.
type Step<T> = std::result::Result<T, Handed>;

/// What one look at the pane under way saw.
struct Look {
    composer: Option<Composer>,
    is_busy: bool,
    has_read_all: bool,
}

impl Hand<'_> {
    /// Types a text and submits it; says how far it got and never more.
    pub(super) fn type_text(&mut self, buffer: &str, text: &str) -> Handed {
        let typed = self.paste(buffer, text).and_then(|()| match self.rules {
            Some(rules) => self.see(rules).and_then(|()| self.submit(rules)),
            None => self.enter_blindly(),
        });
        typed.unwrap_or_else(|stuck| stuck)
    }

    /// Refuses a text that the terminal would cut, before anything is typed.
    pub(super) fn check(&self, text: &str) -> Step<()> {
        let longest = text.split('\n').map(str::len).max().unwrap_or(0);
        // A terminal that cannot be asked is taken for the common kind, which passes all on.
        if longest <= LONGEST_LINE || !tty::is_line_mode(self.tty).unwrap_or(false) {
            return Ok(());
        }
        let detail = format!("{longest} bytes, and its terminal takes {LONGEST_LINE} in a line");
        Err(Handed::stuck(Level::Refused, Obstacle::LineTooLong, detail))
    }

    /// Takes the pane out of copy mode, in which keys are commands.
    pub(super) fn leave_copy_mode(&self, in_mode: bool) -> Step<()> {
        if in_mode {
            let left = self.place.mux.leave_copy_mode(&self.place.pane);
            left.map_err(|err| Handed::stuck(Level::Refused, Obstacle::CopyMode, err.to_string()))?;
        }
        Ok(())
    }

    fn paste(&self, buffer: &str, text: &str) -> Step<()> {
        let pasted =
            self.place.mux.paste(&self.place.pane, buffer, text.as_bytes(), Paste::Bracketed);
        pasted.map_err(|err| match err {
            MuxError::DeadPane { .. } | MuxError::NoPane { .. } | MuxError::NoServer { .. } => {
                Handed::stuck(Level::Refused, Obstacle::AgentDead, "before anything was typed")
            }
            other => Handed::stuck(Level::Uncertain, Obstacle::Unsubmitted, other.to_string()),
        })
    }

    /// Waits until the text stands in the composer and does not change any more.
    fn see(&mut self, rules: &ScreenRules) -> Step<()> {
        let mut before = None;
        let mut traceless = 0;
        for _ in 0..MOST_LOOKS {
            let look = self.look(rules, Level::Uncertain)?;
            if let Some(Composer::Draft(draft)) = look.composer {
                if before.as_ref() == Some(&draft) {
                    return Ok(());
                }
                before = Some(draft);
                traceless = 0;
            } else {
                traceless = if look.has_read_all { traceless + 1 } else { 0 };
                if traceless >= TRACELESS {
                    return Err(untraced(&look));
                }
            }
            self.pause(Level::Uncertain)?;
        }
        Err(unread(Level::Uncertain))
    }

    /// Presses Enter until the composer is empty; a second time only while the text stands there.
    fn submit(&mut self, rules: &ScreenRules) -> Step<Handed> {
        for _ in 0..PRESSES {
            self.enter()?;
            if let Some(proof) = self.see_submitted(rules)? {
                return Ok(Handed::reached(Level::Submitted, proof));
            }
        }
        let detail = format!("its composer still holds the text after {PRESSES} presses of Enter");
        Err(Handed::stuck(Level::Typed, Obstacle::Unsubmitted, detail))
    }

    /// What proves that the text was submitted; none if it still stands.
    fn see_submitted(&mut self, rules: &ScreenRules) -> Step<Option<&'static str>> {
        let mut unchanged = 0;
        for _ in 0..MOST_LOOKS {
            self.pause(Level::Typed)?;
            let look = self.look(rules, Level::Typed)?;
            match look.composer {
                Some(Composer::Empty) => return Ok(Some("the composer emptied")),
                None if look.is_busy => return Ok(Some("a turn began")),
                Some(Composer::Draft(_)) | None => {}
            }
            unchanged = if look.has_read_all { unchanged + 1 } else { 0 };
            match look.composer {
                Some(_) if unchanged >= STANDING => return Ok(None),
                None if unchanged >= TRACELESS => {
                    let detail = "its composer is not to be seen after Enter";
                    return Err(Handed::stuck(Level::Typed, Obstacle::Unsubmitted, detail));
                }
                _ => {}
            }
        }
        Err(unread(Level::Typed))
    }

    /// Nothing can be read from the screen: the program must only be alive after Enter.
    fn enter_blindly(&mut self) -> Step<Handed> {
        self.enter()?;
        self.alive(Level::Uncertain)?;
        Ok(Handed::reached(Level::Typed, "it was written to the terminal of a running program"))
    }

    /// Presses Enter, out of copy mode.
    fn enter(&self) -> Step<()> {
        let pane = self.alive(Level::Uncertain)?;
        if pane.in_mode {
            let attached = tried(self.place.is_attached(), Level::Typed)?;
            if attached {
                let detail = "somebody took its pane into copy mode before Enter";
                return Err(Handed::stuck(Level::Typed, Obstacle::Unsubmitted, detail));
            }
            let left = self.place.mux.leave_copy_mode(&self.place.pane);
            tried(left.map_err(Into::into), Level::Typed)?;
        }
        self.place.mux.key(&self.place.pane, Key::Enter).map_err(|err| match err {
            MuxError::DeadPane { .. } | MuxError::NoPane { .. } | MuxError::NoServer { .. } => {
                died(Level::Uncertain)
            }
            other => Handed::stuck(Level::Uncertain, Obstacle::Unsubmitted, other.to_string()),
        })
    }

    fn look(&self, rules: &ScreenRules, level: Level) -> Step<Look> {
        self.alive(Level::Uncertain)?;
        let screen = tried(self.place.screen(), level)?;
        let is_busy = match rules.verdict(&screen) {
            ScreenVerdict::Dialog { label, .. } => {
                let label = label.unwrap_or_else(|| "unnamed".to_owned());
                let detail = format!("a dialog came up meanwhile: {label}");
                return Err(Handed::stuck(level, Obstacle::Unsubmitted, detail));
            }
            ScreenVerdict::Busy { .. } => true,
            ScreenVerdict::Composer(_) | ScreenVerdict::Nothing => false,
        };
        // A terminal that cannot be asked must not hold the rest up.
        let has_read_all = tty::unread(self.tty).map_or(true, |it| it == 0);
        Ok(Look { composer: rules.composer(&screen), is_busy, has_read_all })
    }

    fn alive(&self, level: Level) -> Step<drover_host::mux::Pane> {
        match self.place.look() {
            Seen::Pane(pane) => Ok(*pane),
            Seen::Gone(how) => Err(Handed { detail: how, ..died(level) }),
            Seen::Silent(why) => {
                let detail = format!("its server does not answer: {why}");
                Err(Handed::stuck(level, Obstacle::Unsubmitted, detail))
            }
        }
    }

    fn pause(&mut self, level: Level) -> Step<()> {
        let paused = self.waiter.pause(self.ctx, PAUSE);
        tried(paused, level)
    }
}

fn died(level: Level) -> Handed {
    Handed::stuck(level, Obstacle::AgentDead, "its program ended after the text was typed")
}

fn untraced(look: &Look) -> Handed {
    let (obstacle, detail) = match &look.composer {
        Some(_) if !look.is_busy => (Obstacle::PasteLost, "its composer stayed empty"),
        Some(_) => (Obstacle::Unsubmitted, "a turn began before Enter was pressed"),
        None => (Obstacle::Unsubmitted, "its composer is not to be seen"),
    };
    Handed::stuck(Level::Uncertain, obstacle, detail)
}

fn unread(level: Level) -> Handed {
    Handed::stuck(level, Obstacle::Unsubmitted, "its program does not read its input")
}

/// A call that failed tells nothing about the text: it is left at what was known before.
fn tried<T>(result: Result<T>, level: Level) -> Step<T> {
    result.map_err(|err| Handed::stuck(level, Obstacle::Unsubmitted, err.to_string()))
}
