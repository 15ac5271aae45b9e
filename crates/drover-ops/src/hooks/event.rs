//! One call of a Claude Code hook, and what an agent does by it.

use drover_core::agent::{Presence, claude};
use drover_store::reports::Report;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::limit;

/// As much of an answer as is kept.
const MOST_TEXT: usize = 256 << 10;

/// Errors after which a person has to see to the account.
const LOGIN: &[&str] = &[
    "authentication_failed",
    "oauth_org_not_allowed",
    "account_on_hold",
    "verification_required",
    "billing_error",
    "cloud_credential_error",
];

/// What a hook was called with.
#[derive(Debug)]
pub(super) struct Event {
    name: String,
    said: Value,
}

/// What follows from one call.
#[derive(Debug)]
pub(super) struct Heard {
    /// The hooks' last word from here on.
    pub(super) report: Report,
    /// The digest of the prompt that it says was submitted, and the turn that it begins.
    pub(super) prompt: Option<(String, i64)>,
    /// The conversation that it says has begun or goes on, and its file.
    pub(super) conversation: Option<(String, Option<String>)>,
    /// Whether a turn has ended.
    pub(super) is_idle: bool,
}

impl Event {
    /// Reads what a hook was given; none if it is no call of a hook.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let said: Value = serde_json::from_slice(bytes).ok()?;
        let name = said.get("hook_event_name")?.as_str()?.to_owned();
        Some(Self { name, said })
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.said.get(key).and_then(Value::as_str)
    }

    /// Whether it tells of a helper inside the agent, whose turns are not the agent's.
    pub(super) fn is_of_a_helper(&self) -> bool {
        self.text("agent_id").is_some()
    }

    /// What follows from it; `has_rested` says that the status was idle since the last word.
    pub(super) fn heard(
        &self,
        last: Option<Report>,
        has_rested: bool,
        (now, zone): (Timestamp, &TimeZone),
    ) -> Option<Heard> {
        let last = last.unwrap_or_default();
        let session = self.text("session_id").map(str::to_owned);
        let was_in_turn = is_in_turn(&last);
        let last_event = last.event.clone();
        let mut heard = Heard {
            report: Report {
                event: self.name.clone(),
                conversation_id: session.clone().or_else(|| last.conversation_id.clone()),
                ..last
            },
            prompt: None,
            conversation: None,
            is_idle: false,
        };
        match self.name.as_str() {
            "SessionStart" => {
                heard.conversation =
                    session.map(|it| (it, self.text("transcript_path").map(str::to_owned)));
                // A conversation that is made shorter goes on in the turn that made it so.
                if self.text("source") != Some("compact") {
                    // The turn before was interrupted, which no hook tells.
                    heard.report.turns += i64::from(was_in_turn);
                    heard.is(Presence::Idle, None, now);
                }
            }
            "UserPromptSubmit" => {
                if was_in_turn && has_rested {
                    // The turn before was interrupted, which no hook tells.
                    heard.report.turns += 1;
                }
                heard.is(Presence::Working, None, now);
                let prompt = self.text("prompt").unwrap_or_default();
                heard.prompt = Some((claude::digest_of_prompt(prompt), heard.report.turns + 1));
            }
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" => {
                heard.is(Presence::Working, None, now);
            }
            "PermissionRequest" if self.text("tool_name") == Some("AskUserQuestion") => {
                heard.is(Presence::NeedsInput, Some("question"), now);
            }
            "PermissionRequest" => heard.is(Presence::NeedsPermission, None, now),
            "Stop" => {
                let text = self.text("last_assistant_message");
                if self.is_repeated(&last_event, text, &heard.report) {
                    heard.report.turns -= 1;
                }
                heard.ended(text, None);
                heard.is(Presence::Idle, None, now);
            }
            "StopFailure" => self.failed(&mut heard, now, zone),
            _ => return None,
        }
        Some(heard)
    }

    /// Whether the end of this turn was told before: a hook that was called twice, or one after which a hook of
    /// the person's had it go on.
    fn is_repeated(&self, last_event: &str, text: Option<&str>, last: &Report) -> bool {
        let goes_on = self.said.get("stop_hook_active").and_then(Value::as_bool) == Some(true);
        last_event == "Stop" && (goes_on || last.last_text.as_deref() == text)
    }

    fn failed(&self, heard: &mut Heard, now: Timestamp, zone: &TimeZone) {
        let said = self.text("last_assistant_message").unwrap_or_default();
        let details = self.text("error_details").unwrap_or_default();
        let error = self.text("error").unwrap_or("unknown");
        let words = if said.is_empty() { details } else { said };
        heard.ended(None, Some(&format!("{error}: {words}")));
        if LOGIN.contains(&error) {
            heard.is(Presence::NeedsInput, Some("login"), now);
        } else if error == "rate_limit" && limit::is_told(words) {
            heard.is(Presence::Limited, Some("limit"), now);
            heard.report.until = limit::until(words, now, zone).map(|it| format!("{it:.3}"));
        } else {
            heard.is(Presence::Idle, None, now);
        }
    }
}

impl Heard {
    fn is(&mut self, state: Presence, reason: Option<&str>, now: Timestamp) {
        let reason = reason.map(str::to_owned);
        let is_new = self.report.state != state.as_str()
            || self.report.reason != reason
            || self.prompt_or_end();
        if is_new {
            self.report.since = format!("{now:.3}");
        }
        self.report.until = None;
        state.as_str().clone_into(&mut self.report.state);
        self.report.reason = reason;
    }

    /// A prompt begins its own turn even right behind another, and a turn ends once.
    fn prompt_or_end(&self) -> bool {
        self.is_idle || self.report.event == "UserPromptSubmit"
    }

    fn ended(&mut self, text: Option<&str>, error: Option<&str>) {
        self.report.turns += 1;
        self.report.last_text = text.map(shortened);
        self.report.last_error = error.map(shortened);
        self.is_idle = true;
    }
}

/// Whether a turn runs of which no hook has told the end; it may wait for an answer.
pub(crate) fn is_in_turn(last: &Report) -> bool {
    let has_ended = ["", "Stop", "StopFailure"].contains(&last.event.as_str());
    !has_ended && last.state != Presence::Idle.as_str()
}

/// The end of a text that is longer than what is kept.
fn shortened(text: &str) -> String {
    let mut from = text.len().saturating_sub(MOST_TEXT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn hear(last: Option<Report>, has_rested: bool, said: &Value) -> Heard {
        let event = Event::read(said.to_string().as_bytes()).unwrap();
        event.heard(last, has_rested, (at(100), &TimeZone::UTC)).unwrap()
    }

    fn after(events: &[Value]) -> Report {
        events.iter().fold(None, |last, it| Some(hear(last, false, it).report)).unwrap()
    }

    fn prompt(text: &str) -> Value {
        serde_json::json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": text})
    }

    fn named(name: &str) -> Value {
        serde_json::json!({"hook_event_name": name, "session_id": "s", "tool_name": "Bash",
                           "last_assistant_message": "done"})
    }

    fn failure(error: &str, words: &str) -> Value {
        serde_json::json!({"hook_event_name": "StopFailure", "error": error, "last_assistant_message": words})
    }

    #[test]
    fn a_turn_goes_from_prompt_to_stop_and_is_counted_once() {
        let report =
            after(&[prompt("a"), named("PreToolUse"), named("PostToolUse"), named("Stop")]);
        assert_eq!((report.state.as_str(), report.turns), ("idle", 1));
        assert_eq!(report.last_text.as_deref(), Some("done"));
        let heard = hear(Some(report), false, &prompt("b"));
        let (digest, turn) = heard.prompt.unwrap();
        assert_eq!((digest, turn), (claude::digest_of_pasted("b"), 2));
    }

    #[test]
    fn a_turn_whose_end_is_told_twice_is_counted_once() {
        let told = after(&[prompt("a"), named("Stop"), named("Stop")]);
        assert_eq!((told.turns, told.state.as_str()), (1, "idle"));
        let mut longer = named("Stop");
        longer["stop_hook_active"] = true.into();
        longer["last_assistant_message"] = "really done".into();
        let told = after(&[prompt("a"), named("Stop"), longer]);
        assert_eq!((told.turns, told.last_text.as_deref()), (1, Some("really done")));
    }

    #[test]
    fn a_turn_that_was_interrupted_counts_when_the_next_begins() {
        let working = after(&[prompt("a")]);
        assert_eq!(hear(Some(working.clone()), true, &prompt("b")).prompt.unwrap().1, 2);
        let asking = after(&[prompt("a"), named("PermissionRequest")]);
        assert_eq!(hear(Some(asking), true, &prompt("b")).prompt.unwrap().1, 2);
        // Joined to the running turn, the status had never been idle.
        assert_eq!(hear(Some(working), false, &prompt("b")).prompt.unwrap().1, 1);
    }

    #[test]
    fn what_a_dialog_asks_for_is_told_by_its_tool() {
        assert_eq!(after(&[prompt("a"), named("PermissionRequest")]).state, "needs_permission");
        let mut question = named("PermissionRequest");
        question["tool_name"] = "AskUserQuestion".into();
        let asked = after(&[prompt("a"), question]);
        assert_eq!(
            (asked.state.as_str(), asked.reason.as_deref()),
            ("needs_input", Some("question"))
        );
    }

    /// Fault D-08.
    #[test]
    fn a_turn_that_ends_for_want_of_a_login_needs_a_person() {
        let report = after(&[prompt("a"), failure("authentication_failed", "Please run /login")]);
        assert_eq!(
            (report.state.as_str(), report.reason.as_deref()),
            ("needs_input", Some("login"))
        );
        assert_eq!((report.turns, report.last_text), (1, None));
        assert!(report.last_error.unwrap().contains("Please run /login"));
        assert_eq!(after(&[failure("unknown", "API Error: 400")]).state, "idle");
    }

    /// Fault H-09.
    #[test]
    fn a_usage_limit_says_until_when() {
        let told = "You've hit your session limit · resets 1am (UTC)";
        let report = after(&[prompt("a"), failure("rate_limit", told)]);
        assert_eq!(report.state, "limited");
        assert_eq!(report.until.as_deref(), Some("1970-01-01T01:00:00.000Z"));
        assert_eq!(after(&[failure("rate_limit", "API Error: 429 slow down")]).state, "idle");
        assert_eq!(after(&[failure("rate_limit", told), prompt("b")]).until, None);
    }

    #[test]
    fn a_conversation_is_told_when_it_begins_and_not_when_it_is_made_shorter() {
        let start = |source: &str| {
            serde_json::json!({"hook_event_name": "SessionStart", "session_id": "n",
            "source": source, "transcript_path": "/t.jsonl"})
        };
        let heard = hear(None, false, &start("clear"));
        assert_eq!(heard.conversation, Some(("n".to_owned(), Some("/t.jsonl".to_owned()))));
        assert_eq!(heard.report.state, "idle");
        let working = after(&[prompt("a")]);
        assert_eq!(hear(Some(working), false, &start("compact")).report.state, "working");
    }

    #[test]
    fn what_is_no_call_of_a_hook_is_not_read() {
        for bytes in [&b""[..], b"{", b"[]", b"{}", b"\xff\xfe", b"{\"hook_event_name\":3}"] {
            assert!(Event::read(bytes).is_none());
        }
        let event = Event::read(br#"{"hook_event_name":"FileChanged"}"#).unwrap();
        assert!(event.heard(None, false, (at(1), &TimeZone::UTC)).is_none());
    }
}
