//! Pages and promises that speak of the whole workspace, held against its sources.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod links;
mod must_show;
