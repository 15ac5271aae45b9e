//! From the bytes that somebody wants to send to the text that is sent.

use drover_core::message::{SentText, wrap};
use drover_host::random;

use crate::actor::Actor;
use crate::ctx::Ctx;
use crate::error::{MessageError, OpError, Result};

/// The longest message: far above what a person reads, far below what a terminal chokes on.
pub const MOST_BYTES: usize = 4 << 20;

/// A text as it is sent, and how many control bytes it lost.
#[derive(Debug, Clone)]
pub struct Composed {
    /// The text, with its provenance where an agent sends it.
    pub text: SentText,
    /// Control bytes that were left out.
    pub removed_bytes: i64,
}

/// Makes the text that is sent: a person's bare, an agent's under its origin and between fences.
pub fn compose(ctx: &Ctx, raw: &[u8]) -> Result<Composed> {
    if raw.len() > MOST_BYTES {
        return Err(MessageError::TooLong { bytes: raw.len(), most: MOST_BYTES }.into());
    }
    let unusable = |err: drover_core::message::SentTextError| OpError::Usage(err.to_string());
    let said = SentText::from_raw(raw).map_err(unusable)?;
    let removed_bytes = i64::try_from(said.removed_bytes()).unwrap_or(i64::MAX);
    let Actor::Agent(sender) = ctx.actor() else {
        return Ok(Composed { text: said, removed_bytes });
    };
    let nonce = random::nonce().map_err(OpError::Random)?;
    let origin = format!("{}@{}", sender.name, ctx.machine());
    let wrapped =
        wrap(&origin, &nonce, said.as_str()).map_err(|err| OpError::Usage(err.to_string()))?;
    Ok(Composed { text: SentText::new(&wrapped).map_err(unusable)?, removed_bytes })
}
