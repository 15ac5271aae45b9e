//! The record: one line of JSON an event, appended whole, so that a test can read it while it grows.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use drover_testkit::digest::{hex, sha256_hex};
use serde_json::{Value, json};

/// Longer texts are recorded by their digest alone.
const TEXT_LIMIT: usize = 4 * 1024;

/// The file of events, if one was asked for.
#[derive(Debug)]
pub(crate) struct Record {
    file: Option<File>,
    begun: Instant,
}

impl Record {
    /// Opens the file for appending.
    pub(crate) fn open(path: Option<&Path>) -> std::io::Result<Self> {
        let open = |path| OpenOptions::new().create(true).append(true).open(path);
        Ok(Self { file: path.map(open).transpose()?, begun: Instant::now() })
    }

    /// Appends an event with the milliseconds since the start and the pid.
    pub(crate) fn write(&mut self, event: &Value) -> std::io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut event = event.clone();
        event["at_ms"] = json!(self.begun.elapsed().as_millis());
        event["pid"] = json!(std::process::id());
        file.write_all(format!("{event}\n").as_bytes())
    }
}

/// An event that carries bytes, by their number and digest.
pub(crate) fn bytes_event(event: &str, bytes: &[u8]) -> Value {
    json!({"event": event, "bytes": bytes.len(), "sha256": sha256_hex(bytes)})
}

/// An event that carries what was typed, byte for byte.
pub(crate) fn keys_event(bytes: &[u8]) -> Value {
    json!({"event": "keys", "bytes": bytes.len(), "hex": hex(bytes)})
}

/// A [`bytes_event`] with the text itself, where it is short.
pub(crate) fn text_event(event: &str, bytes: &[u8]) -> Value {
    let mut value = bytes_event(event, bytes);
    if bytes.len() < TEXT_LIMIT {
        value["text"] = json!(String::from_utf8_lossy(bytes));
    }
    value
}
