//! The agent itself: what each input and each passing moment does to composer, dialog and turn.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::burst::Burst;
use crate::composer::Composer;
use crate::dialog::Dialog;
use crate::input::Input;
use crate::options::{Death, DialogKind, Options};
use crate::record;
use crate::screen::Frame;

/// The modal window appears so long after the command that opens it.
const MODAL_DELAY: Duration = Duration::from_millis(300);

/// Prose kept above the composer.
const TRANSCRIPT_LINES: usize = 200;

/// The agent.
#[derive(Debug)]
pub(crate) struct Agent {
    options: Options,
    composer: Composer,
    dialog: Option<Dialog>,
    modal: Option<Modal>,
    turn_ends: Option<Instant>,
    queue: VecDeque<Vec<u8>>,
    last_text: Vec<u8>,
    transcript: Vec<String>,
    burst: Burst,
    pastes: u64,
    enters_swallowed: u64,
    unattached: bool,
    is_deaf: bool,
    wants_brackets: bool,
    late_dialog_at: Option<Instant>,
    late_brackets_at: Option<Instant>,
    flip_at: Option<Instant>,
    events: Vec<Value>,
    end: Option<End>,
}

/// How the agent ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum End {
    /// With this exit status.
    Exit(u8),
    /// By killing itself.
    Killed,
}

#[derive(Debug)]
struct Modal {
    opens: Instant,
    closes: Instant,
    is_open: bool,
}

impl Agent {
    /// Starts at `now`; `said` is the prose of `--say`.
    pub(crate) fn new(options: Options, said: &str, now: Instant) -> Self {
        let mut agent = Self {
            composer: Composer::with_draft(options.draft.as_deref().unwrap_or_default()),
            dialog: None,
            modal: None,
            turn_ends: None,
            queue: VecDeque::new(),
            last_text: Vec::new(),
            transcript: said.lines().map(str::to_owned).collect(),
            burst: Burst::new(options.paste_burst),
            pastes: 0,
            enters_swallowed: 0,
            unattached: false,
            is_deaf: false,
            wants_brackets: !options.no_2004 && options.late_2004.is_none(),
            late_dialog_at: options.late_dialog.map(|delay| now + delay),
            late_brackets_at: options.late_2004.map(|delay| now + delay),
            flip_at: None,
            events: Vec::new(),
            end: None,
            options,
        };
        if agent.late_dialog_at.is_none()
            && let Some(kind) = agent.options.dialog
        {
            agent.show_dialog(kind, now);
        }
        agent
    }

    /// Whether bracketed paste is asked for now.
    pub(crate) fn wants_brackets(&self) -> bool {
        self.wants_brackets
    }

    /// How it ends, once it does.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// The events since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    /// The text of the last turn that began.
    pub(crate) fn last_text(&self) -> &[u8] {
        &self.last_text
    }

    /// The next moment at which something happens by itself.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let modal = self.modal.as_ref().map(|it| if it.is_open { it.closes } else { it.opens });
        let moments =
            [self.turn_ends, self.late_dialog_at, self.late_brackets_at, self.flip_at, modal];
        moments.into_iter().flatten().min()
    }

    /// Lets everything happen that is due.
    pub(crate) fn tick(&mut self, now: Instant) {
        let is_due = |moment: &mut Instant| *moment <= now;
        if self.late_brackets_at.take_if(is_due).is_some() {
            self.wants_brackets = true;
        }
        if self.late_dialog_at.take_if(is_due).is_some() {
            self.show_dialog(self.options.dialog.unwrap_or(DialogKind::Update), now);
        }
        if self.flip_at.take_if(is_due).is_some()
            && let Some(dialog) = &mut self.dialog
        {
            dialog.flip();
            self.events.push(json!({"event": "dialog_flipped", "kind": dialog.kind_word()}));
        }
        if self.turn_ends.take_if(is_due).is_some() {
            self.end_turn(now);
        }
        self.tick_modal(now);
    }

    /// Takes one input.
    pub(crate) fn take(&mut self, input: Input, now: Instant) {
        if let Some(bytes) = input.key_bytes() {
            self.events.push(record::keys_event(&bytes));
        }
        match input {
            Input::Paste(bytes) => self.pasted(bytes),
            _ if self.modal.as_ref().is_some_and(|modal| modal.is_open) => {
                self.events.push(json!({"event": "modal_ate", "input": format!("{input:?}")}));
            }
            Input::Enter => self.entered(now),
            Input::Escape => self.escaped(now),
            _ if self.dialog.is_some() => self.dialog_key(&input),
            Input::Text(_) if self.is_deaf => self.events.push(json!({"event": "typed_lost"})),
            Input::Text(bytes) => self.typed(&bytes, now),
            Input::Backspace => self.composer.backspace(),
            Input::Control('c') if self.turn_ends.is_some() => self.escaped(now),
            Input::Control('c' | 'u') => self.composer.clear(),
            Input::Control('d') if self.composer.is_empty() => self.end = Some(End::Exit(0)),
            Input::Control(_) | Input::Up | Input::Down | Input::Other(_) => {}
        }
    }

    /// What the screen shows now.
    pub(crate) fn frame(&self) -> Frame<'_> {
        let status = match &self.options.limit {
            _ if self.turn_ends.is_some() => "working… esc to interrupt".to_owned(),
            Some(limit) => format!("limit reached · {limit}"),
            None => "idle".to_owned(),
        };
        let window = match (&self.modal, &self.dialog) {
            (Some(modal), _) if modal.is_open => Some(vec!["Naming the session…".to_owned()]),
            (_, Some(dialog)) => Some(dialog.lines()),
            _ => None,
        };
        Frame {
            transcript: &self.transcript,
            queued: self.queue.len(),
            composer: self.composer.shown(),
            status,
            window,
            least_columns: self.options.min_cols,
        }
    }

    fn typed(&mut self, bytes: &[u8], now: Instant) {
        self.burst.typed(bytes.len(), now);
        self.composer.type_text(bytes);
        if !self.wants_brackets && self.options.die_after_paste {
            self.die();
        }
    }

    fn pasted(&mut self, bytes: Vec<u8>) {
        self.pastes += 1;
        let dropped =
            self.options.drop_paste.is_some_and(|every| self.pastes.is_multiple_of(every));
        let modal = self.modal.as_ref().is_some_and(|modal| modal.is_open);
        let into = match () {
            () if dropped => "nothing",
            () if modal => "modal",
            () if self.dialog.is_some() => "dialog",
            () => "composer",
        };
        let mut event = record::bytes_event("paste", &bytes);
        event["into"] = json!(into);
        self.events.push(event);
        if into == "composer" {
            self.unattached |= self.options.attach_over.is_some_and(|limit| bytes.len() > limit);
            self.composer.paste(bytes);
        }
        if self.options.die_after_paste {
            self.die();
        }
    }

    fn entered(&mut self, now: Instant) {
        if self.enters_swallowed < self.options.swallow_enter {
            self.enters_swallowed += 1;
            self.events.push(json!({"event": "enter_swallowed"}));
        } else if let Some(dialog) = &self.dialog {
            self.answer(dialog.choice());
        } else if self.options.die.is_some() {
            self.die();
        } else if self.burst.takes_enter(now) {
            self.events.push(json!({"event": "enter_as_newline"}));
            self.composer.type_text(b"\n");
        } else if self.composer.is_empty() {
            self.events.push(json!({"event": "enter_on_nothing"}));
        } else if std::mem::take(&mut self.unattached) {
            self.events.push(json!({"event": "attached"}));
        } else {
            self.submit(now);
        }
    }

    fn submit(&mut self, now: Instant) {
        let text = self.composer.take();
        self.events.push(record::text_event("submit", &text));
        let command = String::from_utf8_lossy(&text).trim().to_owned();
        let modal = self.options.modal_on.as_ref().filter(|modal| modal.command == command);
        if let Some(modal) = modal {
            let opens = now + MODAL_DELAY;
            self.modal = Some(Modal { opens, closes: opens + modal.stays, is_open: false });
        }
        match command.as_str() {
            "/quit" | "/exit" => self.end = Some(End::Exit(0)),
            "/new" | "/clear" => self.start_afresh(),
            _ if modal.is_some() => {}
            _ if self.options.limit.is_some() => self.events.push(json!({"event": "limited"})),
            _ if self.options.queue_forever || self.turn_ends.is_some() => {
                self.events.push(record::bytes_event("queued", &text));
                self.queue.push_back(text);
            }
            _ => self.start_turn(&text, now),
        }
    }

    fn start_afresh(&mut self) {
        self.is_deaf = false;
        self.transcript.clear();
        self.queue.clear();
        self.turn_ends = None;
        self.events.push(json!({"event": "session_start"}));
    }

    fn start_turn(&mut self, text: &[u8], now: Instant) {
        let event = record::bytes_event("turn_start", text);
        self.say(format!("● took {} bytes {}", text.len(), event["sha256"].as_str().unwrap_or("")));
        self.events.push(event);
        self.last_text = text.to_vec();
        self.turn_ends = Some(now + self.options.turn());
    }

    fn end_turn(&mut self, now: Instant) {
        self.events.push(json!({"event": "turn_end"}));
        let words = if self.options.claim_done {
            "● All done: the tests pass and everything is committed."
        } else {
            "● Answered."
        };
        self.say(words.to_owned());
        self.start_queued(now);
    }

    fn start_queued(&mut self, now: Instant) {
        if !self.options.queue_forever
            && let Some(text) = self.queue.pop_front()
        {
            self.start_turn(&text, now);
        }
    }

    fn escaped(&mut self, now: Instant) {
        self.is_deaf |= self.options.deaf_after_escape;
        if self.dialog.is_some() {
            self.answer("cancel");
        } else if self.turn_ends.take().is_some() {
            self.events.push(json!({"event": "interrupted"}));
            self.say("● Interrupted.".to_owned());
            self.start_queued(now);
        }
    }

    fn show_dialog(&mut self, kind: DialogKind, now: Instant) {
        let dialog = Dialog::new(kind, self.options.limit.as_deref());
        self.events.push(json!({"event": "dialog_shown", "kind": dialog.kind_word()}));
        self.dialog = Some(dialog);
        self.flip_at = self.options.flip_dialog.map(|delay| now + delay);
    }

    fn dialog_key(&mut self, input: &Input) {
        let Some(dialog) = &mut self.dialog else { return };
        match input {
            Input::Up | Input::Down => dialog.move_by(*input == Input::Down),
            Input::Text(bytes) => {
                // As menus do: the first digit of a row answers, whatever else was typed is lost.
                if let Some(choice) = bytes.iter().find_map(|byte| dialog.row_of(*byte)) {
                    self.answer(choice);
                }
            }
            _ => {}
        }
    }

    fn answer(&mut self, choice: &str) {
        let Some(dialog) = self.dialog.take() else { return };
        let event = json!({
            "event": "dialog_answered", "kind": dialog.kind_word(), "choice": choice,
        });
        self.events.push(event);
        self.flip_at = None;
        if dialog.ends_with(choice) {
            self.end = Some(End::Exit(1));
        }
    }

    fn die(&mut self) {
        self.end = self.options.die.map(|death| match death {
            Death::Killed => End::Killed,
            Death::Success => End::Exit(0),
            Death::Failure => End::Exit(3),
        });
    }

    fn tick_modal(&mut self, now: Instant) {
        let Some(modal) = &mut self.modal else { return };
        if !modal.is_open && modal.opens <= now {
            modal.is_open = true;
            self.events.push(json!({"event": "modal_opened"}));
        }
        if modal.closes <= now {
            self.modal = None;
            self.events.push(json!({"event": "modal_closed"}));
        }
    }

    fn say(&mut self, line: String) {
        self.transcript.push(line);
        let surplus = self.transcript.len().saturating_sub(TRANSCRIPT_LINES);
        self.transcript.drain(..surplus);
    }
}
