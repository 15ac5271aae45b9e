//! A stop signal is seen as a flag, as a descriptor, and by programs that should stop with us.

use std::os::fd::AsFd as _;
use std::time::Duration;

use drover_host::process::{Command, ProcessError};
use drover_host::signals;
use drover_host::watch::{Wake, Woken};

#[test]
fn a_stop_signal_is_seen_by_every_waiter() {
    let signals = signals::install().unwrap();
    assert_eq!(signals.received(), None);
    let own = std::process::id().to_string();
    let script = format!("kill -TERM {own}; sleep 1000");
    let command = Command::new("sh", "/").args(["-c", &script]).stop_on_signal();
    let error = command.run().unwrap_err();
    assert!(matches!(error, ProcessError::Interrupted { .. }), "{error}");
    assert_eq!(signals.received(), Some(15));

    let directory = tempfile::tempdir().unwrap();
    let mut wake = Wake::start(&directory.path().join("wake")).unwrap();
    for _ in 0..2 {
        let woken = wake.wait(Duration::from_secs(30), &[signals.fd().as_fd()]).unwrap();
        assert_eq!(woken, Woken::Ready(0));
    }
    let unaffected = Command::new("true", "/").run().unwrap();
    assert!(unaffected.status.is_success());
}
