//! Verbs on tasks.

mod add;
mod claim;
mod error;

pub use add::{Add, Added, add};
pub use claim::{Claim, ClaimNext, Claimed, claim, claim_next, next};
pub use error::TaskError;
