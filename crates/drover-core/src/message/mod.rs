//! Messages to agents: the text that is sent, how far it got, and who it says it is from.

mod level;
mod obstacle;
mod provenance;
mod sent_text;

pub use level::{Level, Mode};
pub use obstacle::Obstacle;
pub use provenance::{FenceError, fence, wrap};
pub use sent_text::{SentText, SentTextError};
