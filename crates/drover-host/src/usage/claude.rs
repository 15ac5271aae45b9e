//! Transcripts of Claude Code: an answer is several lines with the same id, the last with all it used.

use drover_core::usage::Tokens;
use serde::Deserialize;

use super::call::{Call, holds, time};
use super::tail::Carried;

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
    #[serde(rename = "input_tokens", default)]
    input: u64,
    #[serde(rename = "output_tokens", default)]
    output: u64,
    #[serde(rename = "cache_read_input_tokens", default)]
    cached: u64,
    #[serde(rename = "cache_creation_input_tokens", default)]
    written: u64,
}

pub(super) fn line(line: &[u8], _: &mut Carried) -> Option<Call> {
    if !holds(line, b"\"usage\"") {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let message = line.message.filter(|it| it.role.as_deref() == Some("assistant"))?;
    let usage = message.usage?;
    let tokens = Tokens {
        input: usage.input,
        cached: usage.cached,
        written: usage.written,
        output: usage.output,
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
