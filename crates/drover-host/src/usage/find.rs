//! Where an engine keeps a conversation: found by its id, never as the newest in a directory.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::call::Format;

/// The most entries of a directory that are looked at.
const MOST: usize = 10_000;

/// Where an engine keeps things, and where its agent works.
#[derive(Debug, Clone)]
pub struct Place {
    /// The engine's own directory, as `~/.pi/agent`, `~/.codex` or `~/.claude`.
    pub home: PathBuf,
    /// Where sessions are kept instead of below it; only pi can be told so.
    pub sessions: Option<PathBuf>,
    /// The directory the agent works in.
    pub cwd: PathBuf,
}

/// The files of a conversation that are there.
pub fn files(format: Format, place: &Place, conversation: &str) -> Vec<PathBuf> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
    if conversation.is_empty() || !conversation.chars().all(is_plain) {
        return Vec::new();
    }
    match format {
        Format::Pi => of_pi(place, conversation),
        Format::Codex => of_codex(place, conversation),
        Format::Claude => of_claude(place, conversation),
    }
}

/// `sessions/--<directory>--/<time>_<id>.jsonl`, or without the folder where sessions are kept elsewhere.
fn of_pi(place: &Place, id: &str) -> Vec<PathBuf> {
    let ending = format!("_{id}.jsonl");
    let is_it = |name: &str| name.strip_suffix(&ending).is_some_and(|it| !it.contains('_'));
    if let Some(sessions) = &place.sessions {
        let found = named(sessions, is_it);
        if !found.is_empty() {
            return found;
        }
    }
    let sessions = place.sessions.clone().unwrap_or_else(|| place.home.join("sessions"));
    let folder = place.cwd.to_string_lossy().trim_start_matches('/').replace(['/', '\\', ':'], "-");
    anywhere(&sessions, &format!("--{folder}--"), |folder| named(folder, is_it))
}

/// `projects/<directory>/<id>.jsonl`, and what its helpers wrote below `<id>/subagents`.
fn of_claude(place: &Place, id: &str) -> Vec<PathBuf> {
    let folder = place.cwd.to_string_lossy().replace(|it: char| !it.is_ascii_alphanumeric(), "-");
    anywhere(&place.home.join("projects"), &folder, |folder| {
        let own = folder.join(format!("{id}.jsonl"));
        let helpers = folder.join(id).join("subagents");
        let mut found = named(&helpers, |it| it.starts_with("agent-"));
        found.retain(|it| it.extension().is_some_and(|it| it == "jsonl"));
        found.extend(Some(own).filter(|it| it.is_file()));
        found
    })
}

/// `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`; the id tells the day, its place on the earth does not.
fn of_codex(place: &Place, id: &str) -> Vec<PathBuf> {
    let ending = format!("-{id}.jsonl");
    let is_it = |name: &str| name.starts_with("rollout-") && name.ends_with(&ending);
    let days =
        born(id).map(|it| TimeZone::system().to_datetime(it).date()).into_iter().flat_map(|it| {
            [0, -1, 1].into_iter().filter_map(move |days| it.checked_add(days.days()).ok())
        });
    let folders = days.map(|it| {
        let day = format!("{:04}/{:02}/{:02}", it.year(), it.month(), it.day());
        place.home.join("sessions").join(day)
    });
    let folders = folders.chain([place.home.join("archived_sessions")]);
    folders.map(|it: PathBuf| named(&it, is_it)).find(|it| !it.is_empty()).unwrap_or_default()
}

/// When an id of the time-ordered kind was made.
fn born(id: &str) -> Option<Timestamp> {
    let (seconds, nanoseconds) = uuid::Uuid::parse_str(id).ok()?.get_timestamp()?.to_unix();
    Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanoseconds).ok()?).ok()
}

/// What is found in the likely folder, else in any beside it: how an engine names them is its own affair.
fn anywhere(above: &Path, likely: &str, look: impl Fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let found = look(&above.join(likely));
    if !found.is_empty() {
        return found;
    }
    let folders = entries(above).into_iter().filter(|it| it.is_dir());
    folders.map(|it| look(&it)).find(|it| !it.is_empty()).unwrap_or_default()
}

fn named(folder: &Path, is_it: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| {
        path.file_name().and_then(std::ffi::OsStr::to_str).is_some_and(&is_it) && path.is_file()
    };
    entries(folder).into_iter().filter(is_it).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.take(MOST).filter_map(|it| it.ok().map(|it| it.path())).collect();
    paths.sort();
    paths
}
