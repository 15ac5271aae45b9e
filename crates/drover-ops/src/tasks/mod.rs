//! Verbs on tasks.

mod add;
mod claim;
mod import;

pub use add::{Add, Added, add};
pub use claim::{Claim, ClaimNext, Claimed, claim, claim_next, next};
pub use import::{Difference, Imported, Plan, Planned, import};
