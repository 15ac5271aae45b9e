//! Transcripts of Claude Code: an answer is several lines with the same id, the last with all it used.

use drover_core::usage::Tokens;
use serde::Deserialize;

use super::tail::Carried;
use super::{Call, holds, time};

#[derive(Deserialize)]
struct Line {
    timestamp: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    role: Option<String>,
    model: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    cache_read_input_tokens: u64,
    #[serde(default)]
    cache_creation_input_tokens: u64,
}

pub(super) fn line(line: &[u8], _: &mut Carried) -> Option<Call> {
    if !holds(line, b"\"usage\"") {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let message = line.message.filter(|it| it.role.as_deref() == Some("assistant"))?;
    let usage = message.usage?;
    let tokens = Tokens {
        input: usage.input_tokens,
        cached: usage.cache_read_input_tokens,
        written: usage.cache_creation_input_tokens,
        output: usage.output_tokens,
    };
    // What it writes itself about an error has used nothing.
    (tokens.total() > 0).then_some(())?;
    Some(Call {
        id: message.id?,
        at: time(line.timestamp.as_deref())?,
        model: message.model,
        tokens,
        micros: None,
    })
}
