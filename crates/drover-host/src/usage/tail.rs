//! What is new in a file that grows by lines.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::call::Call;

/// The longest line that is looked at; a longer one holds a picture, not a count.
const LONGEST: u64 = 16 << 20;
/// The most that is read at once; the rest is for the next time.
const MOST: u64 = 32 << 20;

/// What a line says about those behind it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Carried {
    /// The model that answers.
    pub model: Option<String>,
    /// The conversation that the file is of.
    pub thread: Option<String>,
}

/// How far a file was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Position {
    /// The device and inode of the file that was read.
    pub file: (u64, u64),
    /// Up to here, always the end of a line.
    pub offset: u64,
    /// What was said up to here.
    pub carried: Carried,
}

/// What is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The calls, in the order of the file.
    pub calls: Vec<Call>,
    /// How far it was read now.
    pub position: Position,
    /// Whether there is more than is read at once.
    pub is_partial: bool,
}

/// Reads the lines that are new; `line` finds the call in one of them.
pub(super) fn read(
    path: &Path,
    from: &Position,
    line: fn(&[u8], &mut Carried) -> Option<Call>,
) -> io::Result<Reading> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let identity = (metadata.dev(), metadata.ino());
    let mut position = from.clone();
    if !goes_on(&mut file, from, identity, metadata.len())? {
        position = Position { file: identity, ..Position::default() };
    }
    let mut reading = Reading { calls: Vec::new(), position, is_partial: false };
    if reading.position.offset == metadata.len() {
        return Ok(reading);
    }
    file.seek(SeekFrom::Start(reading.position.offset))?;
    let mut lines = BufReader::with_capacity(64 << 10, file);
    let end = reading.position.offset.saturating_add(MOST);
    let mut bytes = Vec::new();
    while let Some(length) = next_line(&mut lines, &mut bytes)? {
        let position = &mut reading.position;
        position.offset += length;
        if bytes.len() as u64 == length {
            reading.calls.extend(line(&bytes, &mut position.carried));
        }
        if position.offset >= end {
            reading.is_partial = true;
            break;
        }
    }
    Ok(reading)
}

/// Whether the file is the one that was read, still holds what was read, and goes on behind it.
fn goes_on(
    file: &mut File,
    from: &Position,
    identity: (u64, u64),
    length: u64,
) -> io::Result<bool> {
    if from.file != identity || from.offset > length {
        return Ok(false);
    }
    let Some(last) = from.offset.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    file.seek(SeekFrom::Start(last))?;
    file.read_exact(&mut byte)?;
    Ok(byte == *b"\n")
}

/// The next whole line with its end, and its length; of one that is too long only the length.
fn next_line(lines: &mut impl BufRead, bytes: &mut Vec<u8>) -> io::Result<Option<u64>> {
    bytes.clear();
    let mut length = lines.by_ref().take(LONGEST).read_until(b'\n', bytes)? as u64;
    if bytes.last() == Some(&b'\n') {
        return Ok(Some(length));
    }
    if length < LONGEST {
        return Ok(None);
    }
    bytes.clear();
    loop {
        let (used, is_end) = {
            let some = lines.fill_buf()?;
            if some.is_empty() {
                return Ok(None);
            }
            match some.iter().position(|it| *it == b'\n') {
                Some(at) => (at + 1, true),
                None => (some.len(), false),
            }
        };
        lines.consume(used);
        length += used as u64;
        if is_end {
            return Ok(Some(length));
        }
    }
}
