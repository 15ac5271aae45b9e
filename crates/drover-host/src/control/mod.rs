//! What agents serve or write about themselves.

pub mod claude;
