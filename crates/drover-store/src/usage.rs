//! What agents used, as their engines' files say, and how far those were read; a cache, not logged.

use drover_core::usage::Tokens;
use rusqlite::{OptionalExtension as _, Row, params};

use crate::error::Result;
use crate::tx::{ReadTx, WriteTx};

/// How far a file was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct File {
    /// Its device and inode, as the bits they are.
    pub file: (i64, i64),
    /// Up to here.
    pub offset: i64,
    /// The model that answers from there on.
    pub model: Option<String>,
    /// The conversation that the file is of.
    pub thread: Option<String>,
}

/// One call of a model.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// What it is known by.
    pub id: &'a str,
    /// When, RFC 3339.
    pub at: &'a str,
    /// The model.
    pub model: Option<&'a str>,
    /// What it used.
    pub tokens: Tokens,
    /// Millionths of a dollar, where its engine recorded them.
    pub micros: Option<u64>,
}

/// What was used of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The model.
    pub model: Option<String>,
    /// The tokens.
    pub tokens: Tokens,
    /// Millionths of a dollar; `None` where the engine recorded no cost.
    pub micros: Option<u64>,
}

/// How far a file of an agent was read.
pub fn file(tx: &ReadTx<'_>, agent_pk: i64, path: &str) -> Result<Option<File>> {
    let mut statement = tx.conn().prepare_cached(
        "SELECT device, inode, offset, model, thread FROM usage_files WHERE agent_pk=?1 AND path=?2",
    )?;
    let file = |row: &Row<'_>| {
        Ok(File {
            file: (row.get(0)?, row.get(1)?),
            offset: row.get(2)?,
            model: row.get(3)?,
            thread: row.get(4)?,
        })
    };
    Ok(statement.query_row(params![agent_pk, path], file).optional()?)
}

/// Says how far a file of an agent was read.
pub fn set_file(tx: &WriteTx<'_>, agent_pk: i64, path: &str, file: &File) -> Result<()> {
    tx.conn().execute(
        "INSERT INTO usage_files(agent_pk,path,device,inode,offset,model,thread) VALUES(?1,?2,?3,?4,?5,?6,?7)
         ON CONFLICT(agent_pk,path) DO UPDATE SET device=excluded.device, inode=excluded.inode,
           offset=excluded.offset, model=excluded.model, thread=excluded.thread",
        params![
            agent_pk,
            path,
            file.file.0,
            file.file.1,
            file.offset,
            file.model,
            file.thread
        ],
    )?;
    Ok(())
}

/// Keeps a call; one that is known already is as it says now.
pub fn put(tx: &WriteTx<'_>, agent_pk: i64, call: &Call<'_>) -> Result<()> {
    let tokens = call.tokens;
    let stored = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    tx.conn()
        .prepare_cached(
            "INSERT INTO usage_calls(agent_pk,id,at,model,input,cached,written,output,micros)
             VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)
             ON CONFLICT(agent_pk,id) DO UPDATE SET model=excluded.model, input=excluded.input,
               cached=excluded.cached, written=excluded.written, output=excluded.output,
               micros=excluded.micros",
        )?
        .execute(params![
            agent_pk,
            call.id,
            call.at,
            call.model,
            stored(tokens.input),
            stored(tokens.cached),
            stored(tokens.written),
            stored(tokens.output),
            call.micros.map(stored)
        ])?;
    Ok(())
}

/// The columns of a sum; text that is the same in each query.
macro_rules! sums {
    ($from:literal) => {
        concat!(
            "SELECT model, total(input), total(cached), total(written), total(output), ",
            "CASE WHEN micros IS NULL THEN NULL ELSE total(micros) END FROM usage_calls ",
            $from,
            " GROUP BY model, micros IS NULL"
        )
    };
}

fn sum_of(row: &Row<'_>) -> rusqlite::Result<Sum> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sums of whole numbers, none below nothing"
    )]
    let count = |at: usize| row.get::<_, f64>(at).map(|it| it as u64);
    Ok(Sum {
        model: row.get(0)?,
        tokens: Tokens {
            input: count(1)?,
            cached: count(2)?,
            written: count(3)?,
            output: count(4)?,
        },
        micros: match row.get::<_, Option<f64>>(5)? {
            Some(_) => Some(count(5)?),
            None => None,
        },
    })
}

/// What an agent used of each model.
pub fn of_agent(tx: &ReadTx<'_>, agent_pk: i64) -> Result<Vec<Sum>> {
    let mut statement = tx.conn().prepare_cached(sums!("WHERE agent_pk=?1"))?;
    Ok(statement.query_map([agent_pk], sum_of)?.collect::<rusqlite::Result<_>>()?)
}

/// What an agent used of each model from a time up to another, which is not part of it.
pub fn of_agent_between(
    tx: &ReadTx<'_>,
    agent_pk: i64,
    from: &str,
    to: Option<&str>,
) -> Result<Vec<Sum>> {
    let mut statement = tx
        .conn()
        .prepare_cached(sums!("WHERE agent_pk=?1 AND at>=?2 AND (?3 IS NULL OR at<?3)"))?;
    Ok(statement
        .query_map(params![agent_pk, from, to], sum_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// What all agents of a project used of each model, closed ones included.
pub fn of_project(tx: &ReadTx<'_>, project_pk: i64) -> Result<Vec<Sum>> {
    let mut statement = tx
        .conn()
        .prepare_cached(sums!("WHERE agent_pk IN (SELECT pk FROM agents WHERE project_pk=?1)"))?;
    Ok(statement.query_map([project_pk], sum_of)?.collect::<rusqlite::Result<_>>()?)
}
