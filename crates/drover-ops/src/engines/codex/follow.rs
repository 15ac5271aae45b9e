//! What happens in an app-server, as far as others must know of it: rows, wakes, and messages that are due.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use drover_core::agent::Presence;
use drover_host::control::codex::{Client, CodexError, Event, Thread, TurnError};
use drover_host::watch;
use drover_store::agents::{self, Agent, ChosenBy};
use drover_store::reports::{self, Report};
use drover_store::time_text;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::messages;

/// How long reading on may take when something has come.
const READ_LIMIT: Duration = Duration::from_millis(50);
/// How long an answer to a question of ours may take.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// The event of a report that Codex tries again by itself.
pub(crate) const RETRIES: &str = "retries";
/// The event of a report that only says which conversation is shown.
const SHOWS: &str = "shows";

/// Follows an agent's app-server.
pub(super) struct Follower {
    ctx: Ctx,
    agent_pk: i64,
    agent_uid: String,
    client: Client,
    /// Which threads are conversations of the agent, and which Codex's own.
    conversations: BTreeMap<String, bool>,
    /// The conversation that was last seen begun, taken up or at work.
    shown: Option<String>,
    /// The conversation whose happenings this connection is told.
    followed: Option<String>,
    /// Whether Codex said that it tries again, and nothing has happened since.
    retries: bool,
}

impl Follower {
    /// Begins to follow; what was said by an app-server before is forgotten.
    pub(super) fn new(mut ctx: Ctx, agent: &Agent, client: Client) -> Result<Self> {
        ctx.step("agent.report", |tx| Ok(reports::clear(tx, agent.pk)?))?;
        Ok(Self {
            ctx,
            agent_pk: agent.pk,
            agent_uid: agent.uid.clone(),
            client,
            conversations: BTreeMap::new(),
            shown: None,
            followed: None,
            retries: false,
        })
    }

    /// Takes what has come; fails when the app-server can be followed no longer.
    pub(super) fn take_events(&mut self) -> std::result::Result<(), CodexError> {
        self.client.allow(READ_LIMIT);
        while let Some(event) = self.client.next_event()? {
            match self.take(event) {
                // What was missed is told again with the next turn.
                Ok(()) | Err(CodexError::Silent { .. } | CodexError::Refused { .. }) => {}
                Err(err) => return Err(err),
            }
            self.client.allow(READ_LIMIT);
        }
        Ok(())
    }

    fn take(&mut self, event: Event) -> std::result::Result<(), CodexError> {
        match event {
            Event::Began(thread) => {
                let is_conversation = thread.is_conversation();
                self.conversations.insert(thread.id.clone(), is_conversation);
                if is_conversation {
                    self.show(&thread.id);
                }
            }
            Event::TakenUp { thread } if self.is_conversation(&thread)? => self.show(&thread),
            Event::Status { thread, status } if self.is_conversation(&thread)? => {
                if status.is_active() {
                    self.begin_turn(&thread)?;
                } else {
                    self.go_on();
                    self.deliver_due();
                }
                self.wake();
            }
            Event::Trouble { thread, error, will_retry } if self.is_conversation(&thread)? => {
                if will_retry {
                    self.retry(&thread, &error);
                }
            }
            Event::Progress { thread } if self.is_conversation(&thread)? => self.go_on(),
            Event::Asked(_) => self.wake(),
            Event::TakenUp { .. }
            | Event::Status { .. }
            | Event::Trouble { .. }
            | Event::Progress { .. }
            | Event::Other => {}
        }
        Ok(())
    }

    fn is_conversation(&mut self, id: &str) -> std::result::Result<bool, CodexError> {
        if let Some(known) = self.conversations.get(id) {
            return Ok(*known);
        }
        self.client.allow(ANSWER_LIMIT);
        let thread = self.client.thread(id)?;
        let is_conversation = thread.as_ref().is_some_and(Thread::is_conversation);
        if thread.is_some() {
            self.conversations.insert(id.to_owned(), is_conversation);
        }
        Ok(is_conversation)
    }

    /// A turn runs: the conversation can be taken up again from now on, and is what the terminal shows.
    fn begin_turn(&mut self, id: &str) -> std::result::Result<(), CodexError> {
        self.show(id);
        if self.followed.as_deref() == Some(id) {
            return Ok(());
        }
        self.client.allow(ANSWER_LIMIT);
        let thread = self.client.thread(id)?;
        // Only who follows is told that Codex tries again.
        let is_followed = match self.client.follow(id) {
            Ok(()) => true,
            // Its file may not be written yet; the next turn comes.
            Err(CodexError::Refused { .. }) => false,
            Err(err) => return Err(err),
        };
        let (pk, file) = (self.agent_pk, thread.and_then(|it| it.path));
        // A row that cannot be written now is written at the next turn.
        let kept = self.ctx.step("agent.conversation", |tx| {
            Ok(agents::set_conversation(tx, pk, id, file.as_deref(), ChosenBy::Engine)?)
        });
        if is_followed && kept.is_ok() {
            self.followed = Some(id.to_owned());
        }
        Ok(())
    }

    fn show(&mut self, id: &str) {
        if self.shown.as_deref() != Some(id) {
            self.shown = Some(id.to_owned());
            self.report(SHOWS, Presence::Unknown, None);
        }
    }

    fn retry(&mut self, id: &str, error: &TurnError) {
        self.shown = Some(id.to_owned());
        self.retries = true;
        self.report(RETRIES, Presence::Limited, Some(error.text()));
    }

    /// Whatever was tried again has come to something.
    fn go_on(&mut self) {
        if std::mem::take(&mut self.retries) {
            self.report(SHOWS, Presence::Unknown, None);
        }
    }

    fn report(&mut self, event: &str, state: Presence, error: Option<&str>) {
        let report = Report {
            event: event.to_owned(),
            state: state.as_str().to_owned(),
            since: time_text(self.ctx.now()),
            conversation_id: self.shown.clone(),
            last_error: error.map(str::to_owned),
            ..Report::default()
        };
        let pk = self.agent_pk;
        // It says more than the app-server itself does; without it that is all that is known.
        let _ = self.ctx.step("agent.report", |tx| Ok(reports::set(tx, pk, &report)?));
    }

    fn wake(&self) {
        // Who waits looks again after a second at the latest.
        let _ = watch::touch(self.ctx.store().wake_file());
    }

    /// Has what is due delivered, beside this thread, which goes on to follow.
    fn deliver_due(&self) {
        let uid = self.agent_uid.clone();
        std::thread::spawn(move || messages::agent_idle(&uid));
    }
}

impl AsFd for Follower {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.client.as_fd()
    }
}
