//! The named points at which the crash walk may end the process.

#[cfg(feature = "crash-walk")]
use std::sync::OnceLock;

#[cfg(feature = "crash-walk")]
static HOOK: OnceLock<fn(&'static str)> = OnceLock::new();

/// Says that a step with an outside effect has just returned; nothing happens unless the feature
/// `crash-walk` is on and a hook is installed.
pub fn reached(what: &'static str) {
    #[cfg(feature = "crash-walk")]
    if let Some(hook) = HOOK.get() {
        hook(what);
    }
    #[cfg(not(feature = "crash-walk"))]
    let _ = what;
}

/// Installs the hook that every later [`reached`] calls; a second installation changes nothing.
#[cfg(feature = "crash-walk")]
pub fn install(hook: fn(&'static str)) {
    HOOK.get_or_init(|| hook);
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_step_without_a_hook_does_nothing() {
        super::reached("nothing is installed");
    }
}
