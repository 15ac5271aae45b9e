//! Being told to stop: Ctrl-C and TERM as a flag and as a descriptor that becomes readable.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

static INSTALLED: OnceLock<Signals> = OnceLock::new();

/// The stop signals of this process.
#[derive(Debug)]
pub struct Signals {
    received: Arc<AtomicUsize>,
    pipe: OwnedFd,
}

impl Signals {
    /// The number of the signal that came, if one did.
    pub fn received(&self) -> Option<i32> {
        i32::try_from(self.received.load(Ordering::SeqCst)).ok().filter(|it| *it != 0)
    }

    /// Readable from the first signal on; never read from it, so that every waiter sees it.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// Takes the stop signals over for the rest of the process; a second one ends it at once.
pub fn install() -> io::Result<&'static Signals> {
    if let Some(signals) = INSTALLED.get() {
        return Ok(signals);
    }
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    let received = Arc::new(AtomicUsize::new(0));
    let is_second = Arc::new(AtomicBool::new(false));
    for (signal, number) in [(SIGINT, 2), (SIGTERM, 15)] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&is_second))?;
        signal_hook::flag::register(signal, Arc::clone(&is_second))?;
        signal_hook::flag::register_usize(signal, Arc::clone(&received), number)?;
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    Ok(INSTALLED.get_or_init(|| Signals { received, pipe: reader }))
}

/// Has a write beyond the limit of file sizes fail, as on a full disk, instead of ending the process.
pub fn outlive_file_limit() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(|_| ())
}

/// Has the process live on when its terminal or its agent's processes are told to hang up.
pub fn outlive_hangup() -> io::Result<()> {
    signal_hook::flag::register(SIGHUP, Arc::new(AtomicBool::new(false))).map(|_| ())
}

/// The stop signals, if this process has taken them over.
pub fn installed() -> Option<&'static Signals> {
    INSTALLED.get()
}
