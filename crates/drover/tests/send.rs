//! `drover agent send` and `drover agent queue`.

use crate::stage::{Stage, level};

#[test]
fn a_message_to_an_idle_agent_is_submitted_once() {
    let stage = Stage::new();
    let agent = stage.agent("w1", &[]);
    let sent = agent.send(&["fix the bug;"]).ok().json();
    assert_eq!((sent["outcome"].as_str(), level(&sent)), (Some("submitted"), "submitted"));
    assert_eq!(sent["data"]["message"]["proof"], "the composer emptied");
    assert_eq!(agent.wait_for("submit", 1)["text"], "fix the bug;");
    assert_eq!(agent.recorded().of("paste").len(), 1);
    let listed = stage.env.drover(&["agent", "queue", "w1", "--json"]).ok().data();
    assert_eq!(listed["count"], 0);
}
