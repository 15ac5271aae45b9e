//! The pool of tasks that wait for a worker, where those whose ground is taken wait aside.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::ops::Bound;

use super::network::Network;
use crate::task::owns::OwnedPath;

/// A task by how urgent it is, and its position.
type Ranked = Reverse<(usize, usize)>;

/// Something that can be tried: a task, or the best of those that wait for a path that was freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Entry<'tasks> {
    Task(usize),
    Queue(&'tasks str),
}

/// Tasks that wait for a worker, the most urgent first.
///
/// A task that meets taken ground moves to the queue of the taken path, and a freed path puts its
/// queue back as one entry. So a freed path costs one step and not one for each that waits.
pub(super) struct Pool<'tasks, 'network> {
    network: &'network Network<'tasks>,
    ranks: Vec<usize>,
    entries: BinaryHeap<Reverse<(usize, Entry<'tasks>)>>,
    taken: BTreeSet<&'tasks str>,
    queues: HashMap<&'tasks str, BinaryHeap<Ranked>>,
}

impl<'tasks, 'network> Pool<'tasks, 'network> {
    /// A pool whose tasks are ranked by position, the lowest rank the most urgent.
    pub(super) fn new(network: &'network Network<'tasks>, ranks: Vec<usize>) -> Self {
        Self {
            network,
            ranks,
            entries: BinaryHeap::new(),
            taken: BTreeSet::new(),
            queues: HashMap::new(),
        }
    }

    /// Adds a task that nothing blocks any longer.
    pub(super) fn add(&mut self, position: usize) {
        self.entries.push(Reverse((self.rank(position), Entry::Task(position))));
    }

    /// Takes the most urgent task whose ground is free, and its ground with it.
    pub(super) fn take(&mut self) -> Option<usize> {
        while let Some(Reverse((_, entry))) = self.entries.pop() {
            let position = match entry {
                Entry::Task(position) => Some(position),
                Entry::Queue(path) => self.first_of_queue(path),
            };
            let Some(position) = position else { continue };
            match self.obstacle(position) {
                None => {
                    let owns = self.owns(position);
                    self.taken.extend(owns.iter().map(OwnedPath::path));
                    return Some(position);
                }
                Some(path) => {
                    let rank = self.rank(position);
                    self.queues.entry(path).or_default().push(Reverse((rank, position)));
                }
            }
        }
        None
    }

    /// Frees the ground of a task that was taken.
    pub(super) fn free(&mut self, position: usize) {
        for owned in self.owns(position) {
            self.taken.remove(owned.path());
            self.enter_queue(owned.path());
        }
    }

    /// The best of a queue, unless a taken path keeps the whole queue waiting: every task in it
    /// owns ground above or below `path`, so all meet whoever took `path` or what is above it.
    fn first_of_queue(&mut self, path: &'tasks str) -> Option<usize> {
        if let Some(cover) = self.covering(path) {
            if cover != path {
                let mut moved = self.queues.remove(path).unwrap_or_default();
                self.queues.entry(cover).or_default().append(&mut moved);
            }
            return None;
        }
        let Reverse((_, position)) = self.queues.get_mut(path)?.pop()?;
        self.enter_queue(path);
        Some(position)
    }

    fn enter_queue(&mut self, path: &'tasks str) {
        if let Some(Reverse((rank, _))) = self.queues.get(path).and_then(BinaryHeap::peek) {
            self.entries.push(Reverse((*rank, Entry::Queue(path))));
        }
    }

    /// A taken path that overlaps the ground of a task.
    fn obstacle(&self, position: usize) -> Option<&'tasks str> {
        if self.taken.is_empty() {
            return None;
        }
        self.owns(position)
            .iter()
            .find_map(|owned| self.covering(owned.path()).or_else(|| self.below(owned.path())))
    }

    /// The taken path that is `path` or above it.
    fn covering(&self, path: &str) -> Option<&'tasks str> {
        let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        above.chain([path]).find_map(|ancestor| self.taken.get(ancestor)).copied()
    }

    /// A taken path below `path`.
    fn below(&self, path: &str) -> Option<&'tasks str> {
        let prefix = format!("{path}/");
        let first = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        let found = self.taken.range::<str, _>(first).next().copied()?;
        found.starts_with(&prefix).then_some(found)
    }

    fn owns(&self, position: usize) -> &'tasks [OwnedPath] {
        self.network.tasks.get(position).map_or(&[], |task| task.owns.as_slice())
    }

    fn rank(&self, position: usize) -> usize {
        self.ranks.get(position).copied().unwrap_or(usize::MAX)
    }
}
