//! Waiting for rows to change, without sleeping: a commit, a signal or the deadline ends it.

use std::time::Duration;

use drover_host::signals;
pub use drover_host::signals::Signals;
use drover_host::watch::{Wake, Woken};
use jiff::Timestamp;

use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// How long a wait relies on being woken: a writer that was killed between its commit and the
/// touch of the wake file, or a foreign program, is noticed after this.
const SAFETY: Duration = Duration::from_secs(1);

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Another process committed, or an agent said that it does something else now.
    Changed,
    /// A second passed: time to look at what cannot wake us, as panes and screens.
    Tick,
    /// The deadline passed.
    Deadline,
    /// The person asked to stop.
    Interrupted,
}

/// A wait in progress.
///
/// Start it, evaluate the condition, and only then wait: a commit in between is kept.
#[derive(Debug)]
pub struct Waiter {
    wake: Wake,
    signals: Signals,
    seen: i64,
}

impl Waiter {
    /// Starts watching for commits and takes over Ctrl-C.
    pub fn start(ctx: &Ctx) -> Result<Self> {
        let path = ctx.store().wake_file();
        let wake = Wake::start(path).map_err(at_file(path))?;
        let signals = signals::install().map_err(at_file("signals"))?;
        Ok(Self { wake, signals, seen: ctx.store().data_version()? })
    }

    /// Blocks until another process has committed, the person stops us, `until` passes, or a second is over.
    pub fn wait(&mut self, ctx: &Ctx, until: Option<Timestamp>) -> Result<Event> {
        self.wait_at_most(ctx, until, SAFETY)
    }

    /// The same with another time between ticks, for what has to be polled more often.
    pub fn wait_at_most(
        &mut self,
        ctx: &Ctx,
        until: Option<Timestamp>,
        tick: Duration,
    ) -> Result<Event> {
        let started = ctx.now();
        loop {
            if self.signals.received().is_some() {
                return Ok(Event::Interrupted);
            }
            let version = ctx.store().data_version()?;
            if version != self.seen {
                self.seen = version;
                return Ok(Event::Changed);
            }
            let now = ctx.now();
            if until.is_some_and(|it| now >= it) {
                return Ok(Event::Deadline);
            }
            let waited = left(started, now);
            if waited >= tick {
                return Ok(Event::Tick);
            }
            let pause = until.map_or(tick.saturating_sub(waited), |it| {
                left(now, it).min(tick.saturating_sub(waited))
            });
            let path = ctx.store().wake_file();
            match self.wake.wait(pause, &[self.signals.fd()]).map_err(at_file(path))? {
                // An agent touches the file as well, when what it does has changed.
                Woken::Changed => {
                    self.seen = ctx.store().data_version()?;
                    return Ok(Event::Changed);
                }
                Woken::Ready(_) | Woken::TimedOut => {}
            }
        }
    }

    /// Lets a time pass, whatever is committed or asked meanwhile: between two looks at a screen
    /// on which something of ours is under way.
    pub fn pause(&mut self, ctx: &Ctx, time: Duration) -> Result<()> {
        let started = ctx.now();
        loop {
            let waited = left(started, ctx.now());
            if waited >= time {
                return Ok(());
            }
            let path = ctx.store().wake_file();
            self.wake.wait(time.saturating_sub(waited), &[]).map_err(at_file(path))?;
        }
    }

    /// Whether the person asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.signals.received().is_some()
    }
}

/// Whether the person has asked to stop, where a wait or a command has taken Ctrl-C over.
pub fn is_interrupted() -> bool {
    signals::installed().is_some_and(|it| it.received().is_some())
}

/// The time from one moment to a later one; zero when it is not later.
fn left(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or(Duration::ZERO)
}
