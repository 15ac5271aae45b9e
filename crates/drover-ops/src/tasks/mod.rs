//! Verbs on tasks.

mod add;
mod claim;

pub use add::{Add, Added, add};
pub use claim::{Claim, ClaimNext, Claimed, claim, claim_next, next};
