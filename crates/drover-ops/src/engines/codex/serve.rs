//! What runs beside a Codex terminal: it starts the app-server, follows what happens there, and ends it with the terminal.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Duration;

use drover_host::control::codex::Client;
use drover_host::control::first_of;
use drover_host::env::{self, Env};
use drover_host::fifo::FifoWriter;
use drover_host::proc::{self, Identity};
use drover_host::process::{Background, Command};
use drover_host::signals;
use drover_store::agents;

use super::follow::Follower;
use super::{forget, log, socket};
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

/// How long an app-server may take until it answers.
const START_LIMIT: Duration = Duration::from_secs(10);
/// How long the app-server has between the signals that end it.
const GRACE: Duration = Duration::from_secs(5);
/// How long to wait for something to happen before looking whether all still live.
const LONG: Duration = Duration::from_mins(10);

/// Serves the terminal of an agent until that ends; says through `up` when the app-server answers, by closing
/// it, or why there is none.
pub fn serve(uid: &str, terminal: &Identity, up: &Path, command: &[OsString]) -> Result<()> {
    proc::leave_terminal();
    let here = env::current_dir().map_err(at_file("the current directory"))?;
    // Its agent's directory may be about to go.
    env::leave_directory().map_err(at_file("/"))?;
    signals::outlive_hangup().map_err(at_file("signals"))?;
    let mut writer = FifoWriter::open(up).map_err(at_file(up))?;
    let environment = Env::capture();
    let state = environment.state_dir()?;
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let command =
        Command::new(program, here).args(arguments.iter().cloned()).environment(environment);
    let (socket, log) = (socket(&state, uid), log(&state, uid));
    let mut server = match command.start(&log) {
        Ok(server) => server,
        Err(err) => return writer.say(&err.to_string()).map_err(at_file(up)),
    };
    let served = match answer(&socket, &mut server, terminal) {
        Ok(client) => {
            drop(writer);
            let served = follow(uid, client, (terminal, &server));
            forget(&state, uid);
            served
        }
        // What the program wrote stays, for whoever asks why there is none.
        Err(why) => writer.say(&why).map_err(at_file(up)),
    };
    if let Some(server) = server.identity() {
        proc::end_tree(server, None, GRACE);
    }
    served
}

/// Waits until the app-server answers: the first connection to it.
fn answer(
    socket: &Path,
    server: &mut Background,
    terminal: &Identity,
) -> std::result::Result<Client, String> {
    let mut ended = None;
    let first = Client::await_server(socket, START_LIMIT, || {
        ended = server.ending();
        ended.is_none() && proc::is_alive(terminal)
    });
    first.map_err(|err| {
        ended.map_or_else(|| err.to_string(), |exit| format!("its app-server ended with {exit}"))
    })
}

/// Follows the app-server until the terminal or the app-server has ended, or somebody ends us.
fn follow(uid: &str, client: Client, (terminal, server): (&Identity, &Background)) -> Result<()> {
    let stop = signals::install().map_err(at_file("signals"))?;
    let (Some(terminal), Some(server)) =
        (proc::pidfd(terminal), server.identity().and_then(proc::pidfd))
    else {
        return Ok(());
    };
    // The terminal needs its app-server also where nothing can be recorded.
    let mut follower = follower(uid, client).ok().flatten();
    loop {
        let mut fds = vec![terminal.as_fd(), server.as_fd(), stop.fd()];
        let ends = fds.len();
        fds.extend(follower.as_ref().map(AsFd::as_fd));
        match first_of(&fds, LONG).map_err(at_file("/proc"))? {
            Some(position) if position < ends => return Ok(()),
            // One that can be followed no longer, as one of another version, serves its terminal all the same.
            Some(_) => {
                follower = follower.and_then(|mut it| it.take_events().is_ok().then_some(it));
            }
            None => {}
        }
    }
}

fn follower(uid: &str, client: Client) -> Result<Option<Follower>> {
    let ctx = Ctx::open_for_part(Env::capture(), "codex")?;
    let Some(agent) = agents::by_uid(&ctx.read(), uid)? else { return Ok(None) };
    Follower::new(ctx, &agent, client).map(Some)
}
