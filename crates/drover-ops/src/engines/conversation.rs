//! Which conversation a launch begins: of an id that we choose wherever the engine takes one.

use drover_host::random;
use drover_store::WriteTx;
use drover_store::agents::{self, Agent};

use super::kind::Kind;
use crate::error::Result;

/// Flags of pi and Claude Code with which a command chooses its conversation, or to have none, itself.
const CHOOSES_ITSELF: &[&str] = &[
    "--session-id",
    "--session",
    "--no-session",
    "--no-session-persistence",
    "--continue",
    "--resume",
    "--fork",
    "--fork-session",
    "--from-pr",
    "-c",
    "-r",
];

/// Has the next launch of an agent begin a new conversation, in the transaction that begins the launch.
pub(crate) fn begin_conversation(tx: &WriteTx<'_>, agent: &Agent) -> Result<()> {
    let id = is_ours(agent).then(random::uid);
    agents::begin_conversation(tx, agent.pk, id.as_deref())?;
    Ok(())
}

/// Whether the conversation of an agent is for us to name on its command line.
pub(super) fn is_ours(agent: &Agent) -> bool {
    takes_an_id(&agent.profile.engine, &agent.profile.command)
}

/// Why the next launch of an agent cannot go on with its conversation, whatever is known of that; none if it can.
pub(crate) fn why_not_resumed(agent: &Agent) -> Option<&'static str> {
    match Kind::of(&agent.profile.engine) {
        None => Some("which keeps no conversation to go on with"),
        Some(Kind::Pi | Kind::Claude) if !is_ours(agent) => {
            Some("whose command chooses its conversation itself")
        }
        Some(Kind::Pi | Kind::Claude | Kind::Codex) => None,
    }
}

/// Whether a program of this engine, started by this JSON array of words, can be told the id of its conversation.
fn takes_an_id(engine: &str, command: &str) -> bool {
    let words: Vec<String> = serde_json::from_str(command).unwrap_or_default();
    let chooses = |word: &String| {
        let flag = word.split('=').next().unwrap_or(word);
        CHOOSES_ITSELF.contains(&flag)
    };
    match Kind::of(engine) {
        Some(Kind::Pi | Kind::Claude) => !words.iter().any(chooses),
        // Codex names its thread itself.
        Some(Kind::Codex) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::takes_an_id;

    #[test]
    fn an_id_is_chosen_only_where_the_engine_takes_one_and_the_command_chose_none() {
        let check = |engine: &str, command: &str, expected: bool| {
            assert_eq!(takes_an_id(engine, command), expected, "{engine} {command}");
        };
        check("pi", r#"["pi"]"#, true);
        check("claude", r#"["claude","--verbose"]"#, true);
        check("codex", r#"["codex"]"#, false);
        check("shell", r#"["sh"]"#, false);
        check("pi", r#"["pi","--session-id","mine"]"#, false);
        check("pi", r#"["pi","--session=mine"]"#, false);
        check("pi", r#"["pi","--no-session"]"#, false);
        check("claude", r#"["claude","-c"]"#, false);
    }
}
