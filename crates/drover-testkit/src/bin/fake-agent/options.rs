//! The switches, each one way in which real agents make a sender's life hard.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::habit::Habit;

/// A scripted agent: a raw-mode program with a composer, whose faults are switched on one by one.
#[derive(Clone, Debug, Parser)]
#[command(args_override_self = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent switch")]
pub(crate) struct Options {
    /// Draw the first frame, and take the terminal over, after so many seconds
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "0")]
    pub(crate) boot_delay: Duration,
    /// Show the dialog so many seconds after the composer, instead of at once (default kind: update)
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) late_dialog: Option<Duration>,
    /// Take Enter for a line feed so long after three characters that came less than 8 ms apart
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub(crate) paste_burst: Option<Duration>,
    /// Never ask for bracketed paste
    #[arg(long, conflicts_with = "late_2004")]
    pub(crate) no_2004: bool,
    /// Ask for bracketed paste so many seconds after the first frame
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) late_2004: Option<Duration>,
    /// Ignore every N-th bracketed paste
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) drop_paste: Option<u64>,
    /// Ask for a second Enter after a paste of more than so many bytes
    #[arg(long, value_name = "BYTES")]
    pub(crate) attach_over: Option<usize>,
    /// Start with this text in the composer
    #[arg(long, value_name = "TEXT")]
    pub(crate) draft: Option<String>,
    /// Show this dialog at the start
    #[arg(long, value_name = "KIND")]
    pub(crate) dialog: Option<DialogKind>,
    /// Replace the dialog, so long after it was drawn, by another one with its rows in the other order
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub(crate) flip_dialog: Option<Duration>,
    /// After this command, from 300 ms on, eat all input for so long: "/new 3s"
    #[arg(long, value_name = "COMMAND SECONDS", value_parser = modal)]
    pub(crate) modal_on: Option<Modal>,
    /// End every turn after 20 ms
    #[arg(long, conflicts_with = "turn_ms")]
    pub(crate) instant_turn: bool,
    /// Accept input and never begin a turn with it
    #[arg(long)]
    pub(crate) queue_forever: bool,
    /// Print this file above the composer
    #[arg(long, value_name = "FILE")]
    pub(crate) say: Option<PathBuf>,
    /// At the first Enter: die of signal 9, or exit with 0 or 3
    #[arg(long, value_name = "9|0|3")]
    pub(crate) die: Option<Death>,
    /// Die at the first paste instead, before Enter
    #[arg(long, requires = "die")]
    pub(crate) die_after_paste: bool,
    /// Leave two children behind: one that ignores SIGHUP, one in a session of its own
    #[arg(long)]
    pub(crate) fork_orphans: bool,
    /// Run another such agent inside, on the same terminal, recording to FILE.nested
    #[arg(long)]
    pub(crate) nested: bool,
    /// Read the terminal at this rate
    #[arg(long, value_name = "BYTES_PER_S", value_parser = rate)]
    pub(crate) slow_read: Option<u64>,
    /// Say at the end of every turn that all is done, tested and committed
    #[arg(long)]
    pub(crate) claim_done: bool,
    /// Show a usage limit, such as "resets 7:30pm (Europe/Amsterdam)", and begin no turn
    #[arg(long, value_name = "TEXT")]
    pub(crate) limit: Option<String>,
    /// Append one line of JSON for each event
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// How long a turn takes
    #[arg(long, value_name = "N", value_parser = milliseconds, default_value = "200")]
    turn_ms: Duration,
    /// Ignore the first N presses of Enter
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) swallow_enter: u64,
    /// From an Escape on, lose all that is typed; pastes and Enter arrive, and `/clear` repairs it
    #[arg(long)]
    pub(crate) deaf_after_escape: bool,
    /// Draw nothing but a complaint in a pane with fewer columns
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) min_cols: u16,
    /// Speak the protocol of this agent beside the terminal
    #[arg(long, value_name = "AGENT")]
    pub(crate) speak: Option<Protocol>,
    /// Speak it badly in this way
    #[arg(long, value_name = "HABIT", requires = "speak")]
    pub(crate) habit: Option<Habit>,
    /// What a launch adds for the real agent
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) rest: Vec<String>,
}

/// The agents it can stand in for.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Protocol {
    Pi,
    Codex,
    Claude,
}

/// The dialogs it can show.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum DialogKind {
    Permission,
    Question,
    Trust,
    Limit,
    Resume,
    Update,
}

/// How `--die` ends it.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Death {
    #[value(name = "9")]
    Killed,
    #[value(name = "0")]
    Success,
    #[value(name = "3")]
    Failure,
}

/// The command that opens the modal window, and how long it stays.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Modal {
    pub(crate) command: String,
    pub(crate) stays: Duration,
}

impl Options {
    /// How long a turn takes.
    pub(crate) fn turn(&self) -> Duration {
        if self.instant_turn { Duration::from_millis(20) } else { self.turn_ms }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.trim_end_matches('s').parse().map_err(|_| "not a number of seconds")?;
    Duration::try_from_secs_f64(number).map_err(|err| err.to_string())
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches("ms").parse();
    number.map(Duration::from_millis).map_err(|_| "not a number of milliseconds".to_owned())
}

fn rate(text: &str) -> Result<u64, String> {
    let number = text.trim_end_matches("B/s").parse::<u64>().ok().filter(|rate| *rate > 0);
    number.ok_or_else(|| "not a number of bytes a second".to_owned())
}

fn modal(text: &str) -> Result<Modal, String> {
    let (command, stays) = text.rsplit_once(' ').ok_or("expected a command and seconds")?;
    Ok(Modal { command: command.trim().to_owned(), stays: seconds(stays)? })
}
