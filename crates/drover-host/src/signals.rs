//! Being told to stop: Ctrl-C and TERM as a flag and as a descriptor that becomes readable.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

static INSTALLED: OnceLock<Signals> = OnceLock::new();
static LIMIT_OUTLIVED: OnceLock<()> = OnceLock::new();

thread_local! {
    /// What this thread heeds in place of the signals of the process.
    static OWN: RefCell<Option<Signals>> = const { RefCell::new(None) };
}

/// The stop signals of this process, or of one of several things that it does at once.
#[derive(Debug, Clone)]
pub struct Signals {
    received: Arc<AtomicUsize>,
    pipe: Arc<OwnedFd>,
    writer: Arc<OwnedFd>,
}

impl Signals {
    /// Signals that only [`Signals::stop`] gives.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { received: Arc::default(), pipe: Arc::new(reader), writer: Arc::new(writer) })
    }

    /// The number of the signal that came, if one did.
    pub fn received(&self) -> Option<i32> {
        i32::try_from(self.received.load(Ordering::SeqCst)).ok().filter(|it| *it != 0)
    }

    /// Readable from the first signal on; never read from it, so that every waiter sees it.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Tells whoever heeds them to stop, as Ctrl-C would.
    pub fn stop(&self) {
        self.received.store(2, Ordering::SeqCst);
        // A full pipe is readable already.
        let _ = rustix::io::write(&self.writer, b"x");
    }

    /// Has this thread heed these, and not those of the process, for as long as it runs this.
    pub fn heeded<T>(&self, run: impl FnOnce() -> T) -> T {
        let before = OWN.replace(Some(self.clone()));
        let restored = Restore(before);
        let result = run();
        drop(restored);
        result
    }
}

/// Puts back what a thread heeded before, whatever ends the work.
struct Restore(Option<Signals>);

impl Drop for Restore {
    fn drop(&mut self) {
        OWN.set(self.0.take());
    }
}

/// Takes the stop signals over for the rest of the process; a second one ends it at once.
///
/// A thread that heeds its own leaves those of the process alone.
pub fn install() -> io::Result<Signals> {
    if let Some(signals) = installed() {
        return Ok(signals);
    }
    let signals = Signals::new()?;
    let is_second = Arc::new(AtomicBool::new(false));
    for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        signal_hook::flag::register(signal, Arc::clone(&is_second))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&signals.received), number)?;
        signal_hook::low_level::pipe::register(signal, signals.writer.try_clone()?)?;
    }
    Ok(INSTALLED.get_or_init(|| signals).clone())
}

/// Has a write beyond the limit of file sizes fail, as on a full disk, instead of ending the process.
pub fn outlive_file_limit() -> io::Result<()> {
    if LIMIT_OUTLIVED.get().is_none() {
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let _ = LIMIT_OUTLIVED.set(());
    }
    Ok(())
}

/// Has the process live on when its terminal or its agent's processes are told to hang up.
pub fn outlive_hangup() -> io::Result<()> {
    signal_hook::flag::register(SIGHUP, Arc::new(AtomicBool::new(false))).map(|_| ())
}

/// The stop signals that this thread heeds, if any were taken over.
pub fn installed() -> Option<Signals> {
    OWN.with_borrow(Clone::clone).or_else(|| INSTALLED.get().cloned())
}

#[cfg(test)]
mod tests {
    use super::{Signals, installed};

    #[test]
    fn a_thread_is_stopped_by_its_own_signals_and_by_no_others() {
        let (mine, other) = (Signals::new().unwrap(), Signals::new().unwrap());
        other.stop();
        mine.heeded(|| {
            let heeded = installed().unwrap();
            assert_eq!(heeded.received(), None);
            mine.stop();
            assert_eq!(heeded.received(), Some(2));
        });
        assert!(installed().is_none());
    }
}
