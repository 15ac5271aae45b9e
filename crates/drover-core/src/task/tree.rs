//! The graph around one task as a tree: each task opened once, repeats marked.

use super::ids::IdSet;

/// One line of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    /// The task.
    pub task: i64,
    /// The task it hangs under; none for the root.
    pub parent: Option<i64>,
    /// How far it is from the root.
    pub depth: usize,
    /// It stands further up, with what hangs under it.
    pub is_repeat: bool,
}

/// The tree under `root`, each line behind the one it hangs under; each task is asked for its
/// neighbours once.
pub fn tree(root: i64, mut neighbours: impl FnMut(i64) -> Vec<i64>) -> Vec<Branch> {
    let mut entered = IdSet::default();
    let mut branches = Vec::new();
    let mut stack = vec![(root, None, 0)];
    while let Some((task, parent, depth)) = stack.pop() {
        let is_repeat = !entered.insert(task);
        branches.push(Branch { task, parent, depth, is_repeat });
        if !is_repeat {
            let below = neighbours(task);
            stack.extend(below.into_iter().rev().map(|it| (it, Some(task), depth + 1)));
        }
    }
    branches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_task_is_opened_once_and_marked_after_that() {
        let below = |task| match task {
            1 => vec![2, 3],
            2 | 3 => vec![4],
            4 => vec![5],
            _ => Vec::new(),
        };
        let lines: Vec<(i64, usize, bool)> =
            tree(1, below).iter().map(|it| (it.task, it.depth, it.is_repeat)).collect();
        let expected = [(1, 0, false), (2, 1, false), (4, 2, false), (5, 3, false)];
        assert_eq!(lines[..4], expected);
        assert_eq!(lines[4..], [(3, 1, false), (4, 2, true)]);
    }

    #[test]
    fn a_ladder_of_thirty_layers_and_a_chain_of_ten_thousand_are_walked_once() {
        let ladder = |task: i64| {
            let layer = task / 2 + 1;
            if layer < 30 { vec![layer * 2, layer * 2 + 1] } else { Vec::new() }
        };
        assert_eq!(tree(0, ladder).len(), 1 + 2 * (2 * 28 + 1));
        let chain = |task: i64| if task < 10_000 { vec![task + 1] } else { Vec::new() };
        assert_eq!(tree(0, chain).last().map(|it| it.depth), Some(10_000));
    }
}
