//! Who this machine is.

use jiff::Timestamp;
use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::error::Result;
use crate::tx::{ReadTx, time_text};

/// This machine's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Never changes.
    pub machine_uid: String,
    /// The name people read.
    pub machine_name: String,
    /// Counts up when the state directory is restored, rebuilt or copied.
    pub incarnation: i64,
}

pub(crate) fn create(conn: &Connection, machine_name: &str, at: Timestamp) -> Result<()> {
    conn.execute(
        "INSERT INTO identity(one,machine_uid,machine_name,incarnation,home_mark,created_at) VALUES(1,?1,?2,1,?3,?4)",
        params![Uuid::now_v7().to_string(), machine_name, Uuid::now_v7().to_string(), time_text(at)],
    )?;
    conn.execute("INSERT INTO clock(one,hlc) VALUES(1,?1)", [at.as_millisecond() << 20])?;
    Ok(())
}

/// The text that stands for this machine in the log: `<uid>.<incarnation>`.
pub(crate) fn machine(conn: &Connection) -> Result<String> {
    Ok(conn.query_row("SELECT machine_uid||'.'||incarnation FROM identity", [], |row| row.get(0))?)
}

/// This machine's row.
pub fn read(tx: &ReadTx<'_>) -> Result<Identity> {
    Ok(tx.conn().query_row(
        "SELECT machine_uid, machine_name, incarnation FROM identity",
        [],
        |row| {
            Ok(Identity {
                machine_uid: row.get(0)?,
                machine_name: row.get(1)?,
                incarnation: row.get(2)?,
            })
        },
    )?)
}
