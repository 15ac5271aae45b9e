//! Following a started program: one loop over its pipes, its end, the clock and the stop signal.

use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Child, ChildStdin};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::command::Command;
use super::error::ProcessError;
use super::outcome::Exit;
use crate::{poll, signals};

/// Time for a program told to stop to put its lock files away.
const GRACE: Duration = Duration::from_secs(2);
/// Time for the last output after the program's end, before whoever still holds the pipe is ended.
const DRAIN: Duration = Duration::from_millis(500);

/// Where output goes.
pub(super) trait Sink {
    /// Takes what came on output 0 or 1.
    fn take(&mut self, stream: usize, bytes: &[u8]) -> io::Result<()>;
    /// Whether the program need not go on.
    fn is_full(&self) -> bool;
}

/// Our ends of a program's pipes.
pub(super) struct Streams {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) outputs: [Option<OwnedFd>; 2],
}

/// Feeds and reads a program until it has ended and its pipes are closed.
pub(super) fn follow(
    command: &Command,
    child: &mut Child,
    streams: Streams,
    sink: &mut dyn Sink,
) -> Result<Exit, ProcessError> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let result = Following::start(command, child, streams)
        .and_then(|mut it| it.until_end(sink))
        .map_err(|err| command.io_error(err));
    match result {
        Ok(End::Exited(status)) => Ok(status),
        Ok(stopped) => {
            end_group(child, group).map_err(|err| command.io_error(err))?;
            let command_line = command.command_line();
            Err(match stopped {
                End::TimedOut => ProcessError::Timeout { command_line, after: command.timeout },
                End::Interrupted => ProcessError::Interrupted { command_line },
                End::Full | End::Exited(_) => {
                    ProcessError::TooMuchOutput { command_line, limit: command.limit }
                }
            })
        }
        Err(err) => {
            end_group(child, group).map_err(|err| command.io_error(err))?;
            Err(err)
        }
    }
}

enum End {
    Exited(Exit),
    TimedOut,
    Interrupted,
    Full,
}

struct Following<'a> {
    child: &'a mut Child,
    process: OwnedFd,
    group: Pid,
    stdin: Option<ChildStdin>,
    input: &'a [u8],
    outputs: [Option<OwnedFd>; 2],
    deadline: Option<Instant>,
    stop: Option<signals::Signals>,
    exit: Option<Exit>,
}

impl<'a> Following<'a> {
    fn start(command: &'a Command, child: &'a mut Child, streams: Streams) -> io::Result<Self> {
        let group = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the process id is out of range"))?;
        for output in streams.outputs.iter().flatten() {
            set_nonblocking(output)?;
        }
        if let Some(stdin) = &streams.stdin {
            set_nonblocking(stdin)?;
        }
        Ok(Self {
            process: pidfd_open(group, PidfdFlags::empty())?,
            child,
            group,
            stdin: streams.stdin,
            input: &command.stdin,
            outputs: streams.outputs,
            deadline: poll::deadline(command.timeout),
            stop: if command.stops_on_signal { signals::installed() } else { None },
            exit: None,
        })
    }

    fn until_end(&mut self, sink: &mut dyn Sink) -> io::Result<End> {
        let mut has_ended_group = false;
        loop {
            if let Some(exit) = self.exit
                && self.outputs.iter().all(Option::is_none)
            {
                return Ok(End::Exited(exit));
            }
            if sink.is_full() {
                return Ok(End::Full);
            }
            if self.exit.is_none() && self.stop.as_ref().is_some_and(|it| it.received().is_some()) {
                return Ok(End::Interrupted);
            }
            if poll::is_over(self.deadline) {
                match self.exit {
                    None => return Ok(End::TimedOut),
                    Some(exit) if has_ended_group => return Ok(End::Exited(exit)),
                    // The program is over; something it left behind holds the pipe.
                    Some(_) => {
                        let _ = kill_process_group(self.group, Signal::KILL);
                        has_ended_group = true;
                        self.deadline = poll::deadline(DRAIN);
                    }
                }
            }
            self.wait()?;
            self.feed()?;
            self.read(sink)?;
            if self.exit.is_none()
                && let Some(status) = self.child.try_wait()?
            {
                self.exit = Some(Exit::from_status(status));
                self.stdin = None;
                self.deadline = poll::deadline(DRAIN);
            }
        }
    }

    fn wait(&self) -> io::Result<()> {
        let mut fds = Vec::with_capacity(5);
        for output in self.outputs.iter().flatten() {
            fds.push(PollFd::new(output, PollFlags::IN));
        }
        if let Some(stdin) = &self.stdin {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        if self.exit.is_none() {
            fds.push(PollFd::new(&self.process, PollFlags::IN));
            if let Some(stop) = &self.stop {
                fds.push(PollFd::from_borrowed_fd(stop.fd(), PollFlags::IN));
            }
        }
        poll::until(&mut fds, self.deadline).map(|_| ())
    }

    fn feed(&mut self) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        while !self.input.is_empty() {
            match stdin.write(self.input) {
                Ok(written) => self.input = self.input.get(written..).unwrap_or_default(),
                Err(err) if err.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
                // A program need not read its input.
                Err(err) if err.kind() == io::ErrorKind::BrokenPipe => break,
                Err(err) => return Err(err),
            }
        }
        self.stdin = None;
        Ok(())
    }

    fn read(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        for (stream, output) in self.outputs.iter_mut().enumerate() {
            while let Some(fd) = output {
                match rustix::io::read(fd.as_fd(), &mut buffer) {
                    Ok(0) => *output = None,
                    Ok(count) => {
                        sink.take(stream, buffer.get(..count).unwrap_or_default())?;
                        if sink.is_full() {
                            return Ok(());
                        }
                    }
                    Err(rustix::io::Errno::AGAIN) => break,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(err) => return Err(err.into()),
                }
            }
        }
        Ok(())
    }
}

/// Ends a whole process group, giving it a moment to clean up after itself, and reaps its leader.
fn end_group(child: &mut Child, group: Option<Pid>) -> io::Result<()> {
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::TERM);
        let process = pidfd_open(group, PidfdFlags::empty())?;
        let deadline = poll::deadline(GRACE);
        while child.try_wait()?.is_none() && !poll::is_over(deadline) {
            poll::until(&mut [PollFd::new(&process, PollFlags::IN)], deadline)?;
        }
        let _ = kill_process_group(group, Signal::KILL);
    }
    child.wait().map(|_| ())
}

fn set_nonblocking(fd: impl std::os::fd::AsFd) -> io::Result<()> {
    let flags = fcntl_getfl(fd.as_fd())?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}
