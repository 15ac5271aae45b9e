//! A scripted agent program for tests: real terminal, real composer, and every fault behind a switch.

mod agent;
mod burst;
mod children;
mod composer;
mod dialog;
mod habit;
mod input;
mod options;
mod pace;
mod record;
mod screen;
mod speak;
mod terminal;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use rustix::process::{Signal, getpid, kill_process};
use serde_json::json;

use crate::agent::{Agent, End};
use crate::input::Decoder;
use crate::options::Options;
use crate::pace::Pace;
use crate::record::Record;
use crate::speak::Speaker;
use crate::terminal::Terminal;

/// An Escape with nothing behind it for so long is the key.
const ESCAPE_ALONE: Duration = Duration::from_millis(30);
/// A changed size of the window is seen after so long at the latest.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Under a flood of input a frame is drawn this often.
const FRAME: Duration = Duration::from_millis(50);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::parse();
    if speak::serve(&options)? {
        return Ok(ExitCode::SUCCESS);
    }
    let mut record = Record::open(options.record.as_deref())?;
    std::thread::sleep(options.boot_delay);
    if options.nested {
        children::run_nested(options.record.as_ref())?;
    }
    if options.fork_orphans {
        for event in children::leave_orphans()? {
            record.write(&event)?;
        }
    }
    match run(options, &mut record)? {
        End::Exit(status) => Ok(ExitCode::from(status)),
        End::Killed => {
            kill_process(getpid(), Signal::KILL)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

fn run(options: Options, record: &mut Record) -> Result<End, Box<dyn Error>> {
    let said = options.say.as_ref().map(std::fs::read_to_string).transpose()?.unwrap_or_default();
    let mut pace = Pace::new(options.slow_read);
    let mut terminal = Terminal::take_over()?;
    let mut speaker = Speaker::start(&options)?;
    let mut agent = Agent::new(options, &said, Instant::now());
    let mut decoder = Decoder::default();
    let mut buffer = vec![0; 64 * 1024];
    terminal.set_brackets(agent.wants_brackets())?;
    terminal.write("\x1b[2J")?;
    let mut drawn = draw(&agent, &mut terminal)?;
    record.write(&boot_event())?;
    loop {
        for event in agent.take_events() {
            record.write(&event)?;
            speaker.notice(&event, agent.last_text())?;
        }
        if let Some(end) = agent.end() {
            return Ok(end);
        }
        let now = Instant::now();
        if now.duration_since(drawn) >= FRAME || !terminal.has_input(Duration::ZERO)? {
            drawn = draw(&agent, &mut terminal)?;
        }
        let pause = pause(&agent, &decoder, now);
        let inputs = match pace.read(&mut terminal, &mut buffer, pause)? {
            Some([]) => return Ok(End::Exit(0)),
            Some(bytes) => decoder.feed(bytes),
            // A slow reader's next share may hold the rest of the sequence.
            None if !terminal.has_input(Duration::ZERO)? => decoder.flush(),
            None => Vec::new(),
        };
        let now = Instant::now();
        agent.tick(now);
        for input in inputs {
            agent.take(input, now);
        }
        terminal.set_brackets(agent.wants_brackets())?;
    }
}

fn draw(agent: &Agent, terminal: &mut Terminal) -> Result<Instant, Box<dyn Error>> {
    let frame = agent.frame().draw(terminal.size()?);
    terminal.write(&frame)?;
    Ok(Instant::now())
}

fn pause(agent: &Agent, decoder: &Decoder, now: Instant) -> Duration {
    let pause =
        agent.deadline().map_or(LONGEST_PAUSE, |moment| moment.saturating_duration_since(now));
    pause.min(if decoder.is_waiting() { ESCAPE_ALONE } else { LONGEST_PAUSE })
}

fn boot_event() -> serde_json::Value {
    let mut names: Vec<String> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    names.sort();
    let words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    json!({
        "event": "boot",
        "arguments": words,
        "directory": std::env::current_dir().ok(),
        "variables": names,
    })
}
