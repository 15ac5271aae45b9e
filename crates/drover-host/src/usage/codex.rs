//! Rollouts of Codex: what each answer used, in a record of its own or in a count beside it.

use drover_core::usage::Tokens;
use serde::Deserialize;

use super::call::{Call, holds, time};
use super::tail::Carried;

#[derive(Deserialize)]
struct Line {
    timestamp: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    payload: Payload,
}

#[derive(Deserialize)]
struct Payload {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<String>,
    model: Option<String>,
    thread_id: Option<String>,
    usage: Option<Usage>,
    thread_token_usage: Option<Usage>,
    info: Option<Info>,
}

#[derive(Deserialize)]
struct Info {
    total_token_usage: Option<Usage>,
    last_token_usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(rename = "input_tokens", default)]
    input: u64,
    #[serde(rename = "cached_input_tokens", default)]
    cached: u64,
    #[serde(rename = "cache_write_input_tokens", default)]
    written: u64,
    #[serde(rename = "output_tokens", default)]
    output: u64,
    #[serde(rename = "total_tokens", default)]
    total: u64,
}

impl Usage {
    /// Codex counts what came from the cache, and what went into it, as input too.
    fn tokens(&self) -> Tokens {
        let elsewhere = self.cached + self.written;
        Tokens {
            input: self.input.saturating_sub(elsewhere),
            cached: self.cached,
            written: self.written,
            output: self.output,
        }
    }
}

pub(super) fn line(line: &[u8], carried: &mut Carried) -> Option<Call> {
    let is_wanted = [&b"token_"[..], b"\"turn_context\"", b"\"session_meta\""];
    if !is_wanted.iter().any(|it| holds(line, it)) {
        return None;
    }
    let line: Line = serde_json::from_slice(line).ok()?;
    let payload = line.payload;
    let (thread, used, so_far) = match (line.kind.as_str(), payload.kind.as_deref()) {
        ("session_meta", _) => {
            carried.thread = payload.id.or(carried.thread.take());
            return None;
        }
        ("turn_context", _) => {
            carried.model = payload.model.or(carried.model.take());
            return None;
        }
        ("token_usage_record", _) => {
            (payload.thread_id, payload.usage?, payload.thread_token_usage?)
        }
        ("event_msg", Some("token_count")) => {
            let info = payload.info?;
            (carried.thread.clone(), info.last_token_usage?, info.total_token_usage?)
        }
        _ => return None,
    };
    let tokens = used.tokens();
    (tokens.total() > 0).then_some(())?;
    Some(Call {
        // Both forms say how much the thread had used by then, so that one answer is one call.
        id: format!("{}/{}", thread.unwrap_or_default(), so_far.total),
        at: time(line.timestamp.as_deref())?,
        model: carried.model.clone(),
        tokens,
        micros: None,
    })
}
