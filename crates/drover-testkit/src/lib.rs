//! The test harness; never shipped.
