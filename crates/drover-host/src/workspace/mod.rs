//! Agents' own checkouts.

pub mod git;
