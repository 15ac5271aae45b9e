//! The only reader of the wall clock.

use jiff::Timestamp;

/// The time now, on this machine's clock.
pub fn now() -> Timestamp {
    Timestamp::now()
}
