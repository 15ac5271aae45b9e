//! Agents: what is stored about their life, what can be known about them now, and what follows.

pub mod claude;
pub mod dialog;
pub mod label;
mod lifecycle;
mod presence;
mod probe;
pub mod reap;
mod role;
pub mod screen;

pub use lifecycle::Lifecycle;
pub use presence::{Decided, Facts, Presence, Reading, Rule, Source, decide};
pub use probe::{
    BootProbe, ExitInfo, Foreground, PaneListing, PaneOwner, PaneProbe, Probe, ProcessProbe,
};
pub use role::Role;
