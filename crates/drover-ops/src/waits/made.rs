//! Made-up agents for the tests of waits.

use drover_core::agent::{Decided, Lifecycle, Presence, Rule, Source};
use drover_store::agents::{Agent, Profile};
use drover_store::projects::Project;

use super::look::{Watched, counted};
use crate::agents::Observed;
use crate::reporters::Turn;

pub(super) fn project() -> Project {
    Project {
        pk: 1,
        uid: "p".to_owned(),
        name: "web".to_owned(),
        generation: 1,
        title: "web".to_owned(),
        state: "active".to_owned(),
        created_at: "2026-01-01T00:00:00.000Z".to_owned(),
    }
}

fn agent() -> Agent {
    let profile = Profile {
        role: "worker".to_owned(),
        engine: "pi".to_owned(),
        command: "[]".to_owned(),
        work: None,
        takes_work: "message".to_owned(),
        env_names: "[]".to_owned(),
        model: None,
        thinking: None,
        unattended: false,
        skills: "[]".to_owned(),
        cwd: "/".to_owned(),
        permission: None,
        sandbox: None,
    };
    Agent {
        pk: 1,
        uid: "w1".to_owned(),
        created_at: String::new(),
        project_pk: 1,
        name: "w1".to_owned(),
        lifecycle: Lifecycle::Running,
        lifecycle_at: String::new(),
        deadline_at: None,
        nonce: None,
        failure: None,
        profile,
        server: None,
        binding: None,
        is_adopted: false,
        tab: None,
        token_hash: None,
        work: None,
        exit_status: None,
        exit_signal: None,
        ended_at: None,
        restarts: 0,
        conversation_id: None,
        resumes: false,
    }
}

/// What one look sees: a state, and the last turn with its text and its error.
pub(super) type Seen = (Presence, Option<(i64, &'static str, &'static str)>);

pub(super) fn look((state, turn): Seen) -> Observed {
    let said = |text: &str| Some(text.to_owned()).filter(|it| !it.is_empty());
    let turn = turn.map(|(number, text, error)| Turn {
        number,
        last_text: said(text),
        last_error: said(error),
    });
    let decided = Decided {
        state,
        source: Source::Control,
        until: None,
        since: None,
        evidence: String::new(),
        reason: None,
        rule: Rule::Reported,
        asked: Vec::new(),
    };
    Observed {
        agent: agent(),
        pane: None,
        probe: None,
        decided,
        dialog: None,
        turn,
        conversation: None,
        socket: None,
        is_left_idle: false,
    }
}

/// What a wait has seen of its agent after this one look.
pub(super) fn watched(seen: Seen) -> Watched {
    counted(look(seen), None)
}
