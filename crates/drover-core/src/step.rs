//! The named points at which the crash walk may end the process, and the statements that tests of plans read.

#[cfg(feature = "crash-walk")]
use std::sync::OnceLock;

#[cfg(feature = "crash-walk")]
static HOOK: OnceLock<fn(&'static str)> = OnceLock::new();
#[cfg(feature = "crash-walk")]
static STATEMENTS: OnceLock<fn(&str)> = OnceLock::new();

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

/// Says which statement the database was just asked to run.
#[cfg(feature = "crash-walk")]
pub fn stated(sql: &str) {
    if let Some(hook) = STATEMENTS.get() {
        hook(sql);
    }
}

/// Installs the hook that every later [`stated`] calls; a second installation changes nothing.
#[cfg(feature = "crash-walk")]
pub fn install_statements(hook: fn(&str)) {
    STATEMENTS.get_or_init(|| hook);
}

#[cfg(test)]
mod tests {
    #[cfg(not(feature = "crash-walk"))]
    #[test]
    fn a_step_does_nothing_in_a_build_for_use() {
        super::reached("any step");
    }

    #[cfg(feature = "crash-walk")]
    #[test]
    fn every_step_calls_the_first_hook_that_was_installed() {
        use std::sync::Mutex;

        static SEEN: Mutex<Vec<&str>> = Mutex::new(Vec::new());

        super::reached("before a hook is installed");
        super::install(|what| SEEN.lock().unwrap().push(what));
        super::install(|_| panic!("a second hook is never called"));
        super::reached("commit");
        assert_eq!(*SEEN.lock().unwrap(), ["commit"]);
    }
}
