//! What is kept, for how long, and what is left over; and the end of what is over.

use std::path::{Path, PathBuf};

use drover_host::keeping::{self, Kept};
use drover_host::state_dir::Folder;
use drover_host::{clock, files};
use drover_store::{delegates, keys, messages, workspaces};
use jiff::{SignedDuration, Timestamp};

use super::check::Check;
use crate::ctx::Ctx;
use crate::error::{Result, at_file};

const SECTION: &str = "kept";

/// Days that an answered key is remembered.
const KEY_DAYS: i64 = 30;

/// How a folder's entries end.
struct Keep {
    folder: Folder,
    days: i64,
    /// The newest entry stays whatever its age.
    keeps_newest: bool,
    what: &'static str,
}

const KEEPS: &[Keep] = &[
    Keep {
        folder: Folder::Backups,
        days: 90,
        keeps_newest: true,
        what: "copies of the database made before it was migrated or made smaller, 90 days, the newest for ever",
    },
    Keep {
        folder: Folder::Trash,
        days: 30,
        keeps_newest: false,
        what: "files of removed workspaces, 30 days",
    },
    Keep {
        folder: Folder::Logs,
        days: 30,
        keeps_newest: false,
        what: "output of verify and setup commands, 30 days",
    },
    Keep {
        folder: Folder::Briefs,
        days: 30,
        keeps_newest: false,
        what: "briefs of agents, 30 days",
    },
];

/// How old a private file must be before it counts as left over by a process that was cut off.
const LEFT_OVER: SignedDuration = SignedDuration::from_hours(1);

/// What the folders of a state directory keep; works without the database.
pub(super) fn folders(state: &Path) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for keep in KEEPS {
        let entries = entries(state, keep.folder)?;
        let over = over(keep, &entries, clock::now()).len();
        let bytes: u64 = entries.iter().map(|it| it.size.bytes).sum();
        let detail = format!("{} of {bytes} bytes: {}", entries.len(), keep.what);
        checks.push(match over {
            0 => Check::fine(SECTION, keep.folder.name(), detail),
            over => {
                Check::warning(SECTION, keep.folder.name(), format!("{detail}; {over} are over"))
                    .fix("drover doctor --tidy")
            }
        });
    }
    for path in leftovers(state)? {
        let shown = path.display().to_string();
        checks.push(
            Check::warning(SECTION, shown, "left over by a process that was cut off")
                .fix("drover doctor --tidy"),
        );
    }
    Ok(checks)
}

fn entries(state: &Path, folder: Folder) -> Result<Vec<Kept>> {
    let path = state.join(folder.name());
    keeping::entries(&path).map_err(at_file(path))
}

fn over<'a>(keep: &Keep, entries: &'a [Kept], now: Timestamp) -> Vec<&'a Kept> {
    let oldest = before(now, keep.days);
    let spared = usize::from(keep.keeps_newest);
    let aged = entries.len().saturating_sub(spared);
    entries.iter().take(aged).filter(|it| it.at < oldest).collect()
}

fn before(now: Timestamp, days: i64) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MIN)
}

/// Private files that were never placed, an hour old or more.
fn leftovers(state: &Path) -> Result<Vec<PathBuf>> {
    let old = clock::now().checked_sub(LEFT_OVER).unwrap_or(Timestamp::MIN);
    let mut found = Vec::new();
    for folder in [state.to_owned(), state.join(Folder::Backups.name())] {
        for entry in keeping::entries(&folder).map_err(at_file(&folder))? {
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_private = name.starts_with("drover.db.new-")
                || name.starts_with(".drover-")
                || (name.starts_with('.') && entry.path.extension().is_some_and(|it| it == "part"));
            if is_private && entry.at < old {
                found.push(entry.path);
            }
        }
    }
    Ok(found)
}

/// What the rows keep.
pub(super) fn rows(ctx: &Ctx) -> Result<Vec<Check>> {
    let tx = ctx.read();
    let (bodies, bytes) = messages::kept_bodies(&tx)?;
    let (answered, pending) = keys::count(&tx)?;
    let rescues = workspaces::rescues(&tx)?.len();
    let bodies =
        format!("{bodies} of {bytes} bytes: exact texts of messages, 7 days after their end");
    let (answers, bytes) = delegates::kept_texts(&tx)?;
    let answers = format!(
        "{answers} of {bytes} bytes: what delegates were told and answered, 7 days after their end"
    );
    let keys = format!(
        "{answered} answered and {pending} pending: idempotency keys, {KEY_DAYS} days after their answer"
    );
    let rescues = format!(
        "{rescues}: work of removed workspaces and failed tries under refs/drover, until you delete the ref"
    );
    Ok(vec![
        Check::fine(SECTION, "outbox", bodies),
        Check::fine(SECTION, "delegates", answers),
        Check::fine(SECTION, "keys", keys),
        Check::fine(SECTION, "rescues", rescues),
    ])
}

/// Ends what is over, and says what that was; nothing is ended otherwise.
pub(super) fn tidy(ctx: &mut Ctx) -> Result<Vec<String>> {
    let state = ctx.state_path().to_owned();
    let mut paths = leftovers(&state)?;
    for keep in KEEPS {
        let entries = entries(&state, keep.folder)?;
        paths.extend(over(keep, &entries, ctx.now()).into_iter().map(|it| it.path.clone()));
    }
    let mut tidied = Vec::new();
    for path in paths {
        let shown = path.display().to_string();
        ctx.act(format!("remove {shown}"), || files::remove_tree(&path).map_err(at_file(&path)))?;
        tidied.push(shown);
    }
    let now = ctx.now();
    let keys_before = drover_store::time_text(before(now, KEY_DAYS));
    let (keys, bodies, answers) = ctx.step("doctor.tidy", |tx| {
        let (keys, now) = (keys::expire(tx, &keys_before)?, drover_store::time_text(now));
        Ok((keys, messages::erase(tx, &now)?, delegates::erase(tx, &now)?))
    })?;
    let ended =
        [(keys, "answered keys"), (bodies, "texts of messages"), (answers, "texts of delegates")];
    for (count, what) in ended {
        if count > 0 {
            tidied.push(format!("{count} {what}"));
        }
    }
    Ok(tidied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_backup_is_never_over() {
        let now: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
        let kept = |name: &str, at: &str| Kept {
            path: name.into(),
            at: at.parse().unwrap(),
            size: files::Size::default(),
        };
        let entries = [kept("a", "2025-01-01T00:00:00Z"), kept("b", "2025-02-01T00:00:00Z")];
        let names = |keep: &Keep| -> Vec<PathBuf> {
            over(keep, &entries, now).into_iter().map(|it| it.path.clone()).collect()
        };
        assert_eq!(names(&KEEPS[0]), [PathBuf::from("a")]);
        assert_eq!(names(&KEEPS[1]).len(), 2);
        assert!(over(&KEEPS[1], &[kept("c", "2026-05-20T00:00:00Z")], now).is_empty());
    }
}
