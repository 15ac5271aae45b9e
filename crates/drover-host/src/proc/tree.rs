//! Many processes: ancestors, descendants, whatever belongs to one agent or one directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::stat::{Identity, Stat, cwd, identity};

/// The variable in an agent's environment that marks all it starts, however far it detaches.
pub const AGENT_UID_VARIABLE: &str = "DROVER_AGENT_UID";

/// A process and the name it goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Which process it is.
    pub identity: Identity,
    /// Its name as the kernel keeps it; the process may have chosen it.
    pub name: String,
}

/// The parents of a process, nearest first.
pub fn ancestors(pid: u32) -> Vec<Identity> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([pid]);
    let mut current = Stat::read(pid).map(|it| it.parent);
    while let Some(pid) = current.filter(|it| *it != 0 && seen.insert(*it)) {
        let Some(identity) = identity(pid) else { break };
        found.push(identity);
        current = Stat::read(pid).map(|it| it.parent);
    }
    found
}

/// All processes at one moment, for who asks about several of them.
#[derive(Debug)]
pub struct Snapshot(BTreeMap<u32, Stat>);

impl Snapshot {
    /// The processes of now.
    pub fn take() -> Self {
        Self(all())
    }

    /// The processes of a group, its leader first, then by number.
    pub fn in_group(&self, group: u32) -> Vec<Process> {
        let Self(all) = self;
        let mut members: Vec<&Stat> = all.values().filter(|it| it.group == group).collect();
        members.sort_by_key(|it| (it.pid != group, it.pid));
        members.into_iter().map(process).collect()
    }

    /// The children of a process, their children, and so on; parents come before children.
    pub fn descendants(&self, root: &Identity) -> Vec<Process> {
        let Self(all) = self;
        if all.get(&root.pid).is_none_or(|it| it.identity() != *root) {
            return Vec::new();
        }
        below(all, root.pid).into_iter().filter_map(|pid| all.get(&pid)).map(process).collect()
    }
}

/// All that belongs to a process: itself, its descendants, the session it leads, and processes
/// anywhere that carry `agent_uid` in their environment. This process is never among them.
pub fn tree_of(root: &Identity, agent_uid: Option<&str>) -> Vec<Process> {
    let all = all();
    let own = std::process::id();
    let is_root_alive = all.get(&root.pid).is_some_and(|it| it.identity() == *root);
    let mut members = BTreeSet::new();
    if is_root_alive {
        members.insert(root.pid);
    }
    // A number in use as a session is not given away, so a session that still has members is the
    // old one unless its number belongs to a living stranger.
    if is_root_alive || !all.contains_key(&root.pid) {
        members.extend(all.values().filter(|it| it.session == root.pid).map(|it| it.pid));
    }
    if let Some(uid) = agent_uid {
        members.extend(all.keys().copied().filter(|pid| carries(*pid, uid)));
    }
    for pid in members.clone() {
        members.extend(below(&all, pid));
    }
    members.remove(&own);
    members.iter().filter_map(|pid| all.get(pid)).map(process).collect()
}

/// The processes that work in a directory or below it.
pub fn in_directory(directory: &Path) -> Vec<Process> {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let is_inside = |path: PathBuf| path.starts_with(&directory);
    all().values().filter(|it| cwd(it.pid).is_some_and(is_inside)).map(process).collect()
}

/// Whether a process of this group still runs.
pub fn is_group_alive(group: u32) -> bool {
    all().values().any(|it| it.group == group)
}

fn all() -> BTreeMap<u32, Stat> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return BTreeMap::new() };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(Stat::read)
        .filter(Stat::is_running)
        .map(|it| (it.pid, it))
        .collect()
}

fn below(all: &BTreeMap<u32, Stat>, root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for stat in all.values() {
        children.entry(stat.parent).or_default().push(stat.pid);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        // Taken out, so that a snapshot torn by a reused number cannot make a circle.
        for child in children.remove(&pid).unwrap_or_default() {
            found.push(child);
            open.push(child);
        }
    }
    found
}

fn carries(pid: u32, uid: &str) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    let wanted = format!("{AGENT_UID_VARIABLE}={uid}");
    environment.split(|byte| *byte == 0).any(|it| it == wanted.as_bytes())
}

fn process(stat: &Stat) -> Process {
    Process { identity: stat.identity(), name: stat.name.clone() }
}
