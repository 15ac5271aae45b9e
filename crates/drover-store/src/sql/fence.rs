//! The fence around what a person writes: SQLite asks it for leave as it reads a statement.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::hooks::{AuthContext, Authorization};

use super::error::SqlError;
use super::rules::{self, Leave, Reader};
use crate::error::Result;

/// How often a running statement is asked whether its time is over, in steps of SQLite's machine.
const STEPS: i32 = 10_000;
/// The most memory that SQLite may take for a query, sorting included.
const MOST_MEMORY: u64 = 512 << 20;

/// The fence of one connection; it stands open until it is closed around a statement.
#[derive(Debug, Clone)]
pub struct Fence {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    is_closed: AtomicBool,
    refused: Mutex<Option<(String, Option<&'static str>)>>,
}

/// Keeps the fence closed while it lives.
#[derive(Debug)]
pub(super) struct Inside {
    shared: Arc<Shared>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.shared.is_closed.store(false, Ordering::Relaxed);
    }
}

impl Fence {
    /// Sets the fence up; `is_over` says whether a statement has had its time.
    pub(crate) fn set_up(
        conn: &mut Connection,
        reader: Reader,
        mut is_over: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Self> {
        conn.execute_batch(&format!("PRAGMA hard_heap_limit={MOST_MEMORY};"))?;
        let shared =
            Arc::new(Shared { is_closed: AtomicBool::new(false), refused: Mutex::default() });
        let asked = Arc::clone(&shared);
        conn.authorizer(Some(move |it: AuthContext<'_>| asked.answer(&it, reader)))?;
        let timed = Arc::clone(&shared);
        conn.progress_handler(
            STEPS,
            Some(move || timed.is_closed.load(Ordering::Relaxed) && is_over()),
        )?;
        Ok(Self { shared })
    }

    /// Closes the fence until the returned value is dropped.
    pub(super) fn close(&self) -> Inside {
        self.shared.is_closed.store(true, Ordering::Relaxed);
        Inside { shared: Arc::clone(&self.shared) }
    }

    /// What was kept out last.
    pub(super) fn take_refused(&self) -> Option<SqlError> {
        let mut refused = self.shared.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.take().map(|(what, verb)| SqlError::Fenced { what, verb })
    }
}

impl Shared {
    fn answer(&self, asked: &AuthContext<'_>, reader: Reader) -> Authorization {
        if !self.is_closed.load(Ordering::Relaxed) {
            return Authorization::Allow;
        }
        match rules::leave(asked, reader) {
            Leave::Given => Authorization::Allow,
            Leave::Hidden => Authorization::Ignore,
            Leave::Refused(what, verb) => {
                let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
                refused.get_or_insert((what, verb));
                Authorization::Deny
            }
        }
    }
}
