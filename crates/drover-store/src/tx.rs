//! Transactions: what may read, and what may write under whose name.

use jiff::Timestamp;
use rusqlite::Connection;

/// Who writes, why, and when; every op of the transaction carries it.
#[derive(Debug, Clone)]
pub struct Writer {
    /// Who acts, as `user:ann` or an agent's name.
    pub actor: String,
    /// The verb, as `task.claim`.
    pub intent: String,
    /// The change group: what one action does, undone as one.
    pub group: String,
    /// The wall clock.
    pub at: Timestamp,
}

/// Leave to read.
#[derive(Debug)]
pub struct ReadTx<'a> {
    conn: &'a Connection,
}

impl<'a> ReadTx<'a> {
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self { conn }
    }

    pub(crate) fn conn(&self) -> &'a Connection {
        self.conn
    }
}

/// Leave to write: an immediate transaction whose `writer` row is filled.
#[derive(Debug)]
pub struct WriteTx<'a> {
    read: ReadTx<'a>,
    at: Timestamp,
}

impl<'a> WriteTx<'a> {
    pub(crate) fn new(conn: &'a Connection, at: Timestamp) -> Self {
        Self { read: ReadTx::new(conn), at }
    }

    /// The wall clock of this transaction.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// The wall clock of this transaction as it is stored.
    pub fn at_text(&self) -> String {
        time_text(self.at)
    }
}

impl<'a> std::ops::Deref for WriteTx<'a> {
    type Target = ReadTx<'a>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

/// A time as it is stored: RFC 3339, UTC, milliseconds.
pub fn time_text(at: Timestamp) -> String {
    format!("{at:.3}")
}
