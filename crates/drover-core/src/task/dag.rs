//! The graph of tasks: whether one leads to another, and an order in which all can be done.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;

use super::ids::IdMap;

/// A set of nodes and the edges between them, kept by position for speed.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    ids: Vec<i64>,
    successors: Adjacency,
    predecessors: Adjacency,
}

/// Lists of neighbours, all in one vector: node `n` has `targets[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, Default)]
struct Adjacency {
    starts: Vec<usize>,
    targets: Vec<usize>,
}

/// A cycle: each node leads to the next, and the last, which is the first again, closes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the graph has a cycle of {} nodes", .0.len().saturating_sub(1))]
pub struct CyclePath(pub Vec<i64>);

impl Graph {
    /// The graph with these nodes and edges `(from, to)`; an end that is no node is added.
    pub fn new(
        nodes: impl IntoIterator<Item = i64>,
        edges: impl IntoIterator<Item = (i64, i64)>,
    ) -> Self {
        let mut graph = Self::default();
        let mut positions = IdMap::default();
        for id in nodes {
            graph.intern(id, &mut positions);
        }
        let edges: Vec<(usize, usize)> = edges
            .into_iter()
            .map(|(from, to)| {
                (graph.intern(from, &mut positions), graph.intern(to, &mut positions))
            })
            .collect();
        let count = graph.ids.len();
        graph.successors = Adjacency::new(count, edges.iter().copied());
        graph.predecessors = Adjacency::new(count, edges.iter().map(|&(from, to)| (to, from)));
        graph
    }

    fn intern(&mut self, id: i64, positions: &mut IdMap<usize>) -> usize {
        *positions.entry(id).or_insert_with(|| {
            self.ids.push(id);
            self.ids.len() - 1
        })
    }

    /// How many nodes there are; they stand at positions below this.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The nodes by position: those given in their order, then those that edges added.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// The positions of the nodes that the node at `position` leads to.
    pub fn successors(&self, position: usize) -> &[usize] {
        self.successors.of(position)
    }

    /// The positions of the nodes that lead to the node at `position`.
    pub fn predecessors(&self, position: usize) -> &[usize] {
        self.predecessors.of(position)
    }

    /// The positions in an order in which every node stands behind all that lead to it, and those
    /// that are left over because they are on a cycle or behind one.
    pub fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let mut waiting: Vec<usize> =
            (0..self.len()).map(|position| self.predecessors(position).len()).collect();
        let mut queue: VecDeque<usize> =
            (0..self.len()).filter(|position| self.predecessors(*position).is_empty()).collect();
        let mut order = Vec::with_capacity(self.len());
        while let Some(position) = queue.pop_front() {
            order.push(position);
            for &next in self.successors(position) {
                if let Some(count) = waiting.get_mut(next) {
                    *count -= 1;
                    if *count == 0 {
                        queue.push_back(next);
                    }
                }
            }
        }
        let is_left = |position: &usize| waiting.get(*position).is_some_and(|count| *count > 0);
        let left = (0..self.len()).filter(is_left).collect();
        (order, left)
    }

    fn id(&self, position: usize) -> i64 {
        self.ids.get(position).copied().unwrap_or_default()
    }

    /// Walks backwards among nodes that each have a predecessor among them until one repeats.
    fn cycle_among(&self, left: &[usize]) -> Vec<i64> {
        let mut is_left = vec![false; self.len()];
        for &position in left {
            if let Some(slot) = is_left.get_mut(position) {
                *slot = true;
            }
        }
        let mut walked: Vec<usize> = Vec::new();
        let mut step_of = HashMap::new();
        let mut at = left.first().copied();
        while let Some(position) = at {
            if let Some(step) = step_of.insert(position, walked.len()) {
                let mut cycle: Vec<i64> =
                    walked.iter().skip(step).map(|position| self.id(*position)).collect();
                cycle.push(self.id(position));
                cycle.reverse();
                return cycle;
            }
            walked.push(position);
            let stays = |before: &&usize| is_left.get(**before).copied().unwrap_or(false);
            at = self.predecessors(position).iter().find(stays).copied();
        }
        Vec::new()
    }
}

impl Adjacency {
    fn new(count: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (from, _) in edges.clone() {
            if let Some(slot) = starts.get_mut(from + 1) {
                *slot += 1;
            }
        }
        let mut sum = 0;
        for slot in &mut starts {
            sum += *slot;
            *slot = sum;
        }
        let mut next = starts.clone();
        let mut targets = vec![0; sum];
        for (from, to) in edges {
            if let Some(place) = next.get_mut(from) {
                if let Some(slot) = targets.get_mut(*place) {
                    *slot = to;
                }
                *place += 1;
            }
        }
        Self { starts, targets }
    }

    fn of(&self, position: usize) -> &[usize] {
        let bounds = self.starts.get(position).zip(self.starts.get(position + 1));
        bounds.and_then(|(start, end)| self.targets.get(*start..*end)).unwrap_or_default()
    }
}

/// The nodes in an order in which each stands behind all that lead to it, or a cycle.
pub fn topological_order(graph: &Graph) -> Result<Vec<i64>, CyclePath> {
    let (order, left) = graph.order();
    if left.is_empty() {
        return Ok(order.into_iter().map(|position| graph.id(position)).collect());
    }
    Err(CyclePath(graph.cycle_among(&left)))
}

/// A shortest path from one node to another, both ends included; each node is asked for its
/// successors at most once.
pub fn path(from: i64, to: i64, mut successors: impl FnMut(i64) -> Vec<i64>) -> Option<Vec<i64>> {
    match try_path(from, to, |node| Ok::<_, Infallible>(successors(node))) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

/// The same as [`path`], where asking for successors can fail.
pub fn try_path<E>(
    from: i64,
    to: i64,
    mut successors: impl FnMut(i64) -> Result<Vec<i64>, E>,
) -> Result<Option<Vec<i64>>, E> {
    let mut came_from = IdMap::from_iter([(from, from)]);
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            return Ok(Some(trace(from, to, &came_from)));
        }
        for next in successors(node)? {
            came_from.entry(next).or_insert_with(|| {
                queue.push_back(next);
                node
            });
        }
    }
    Ok(None)
}

fn trace(from: i64, to: i64, came_from: &IdMap<i64>) -> Vec<i64> {
    let mut path = vec![to];
    let mut at = to;
    while at != from {
        let Some(&before) = came_from.get(&at) else { break };
        at = before;
        path.push(at);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    /// Fault G-05.
    #[test]
    fn a_chain_of_ten_thousand_is_walked_without_recursion() {
        let found = path(0, 10_000, |node| vec![node + 1]).unwrap();
        assert_eq!(found.len(), 10_001);
        let graph = Graph::new(0..=10_000, (0..10_000).map(|node| (node, node + 1)));
        assert_eq!(topological_order(&graph).unwrap().len(), 10_001);
    }

    /// Fault G-05.
    #[test]
    fn a_ladder_of_thirty_layers_asks_each_node_once() {
        let mut asked = Vec::new();
        let found = path(0, -1, |node| {
            asked.push(node);
            let layer = node / 2 + 1;
            if layer < 30 { vec![layer * 2, layer * 2 + 1] } else { Vec::new() }
        });
        assert_eq!(found, None);
        assert_eq!(asked.len(), asked.iter().collect::<HashSet<_>>().len());
    }

    /// Fault G-05.
    #[test]
    fn a_diamond_is_not_a_cycle() {
        let graph = Graph::new([1, 2, 3, 4], [(1, 2), (1, 3), (2, 4), (3, 4)]);
        assert_eq!(topological_order(&graph).unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn a_cycle_is_named_by_its_nodes_in_order() {
        let graph = Graph::new([9, 1, 2, 3], [(1, 2), (2, 3), (3, 1), (3, 9)]);
        let CyclePath(cycle) = topological_order(&graph).unwrap_err();
        assert_eq!(cycle.first(), cycle.last());
        assert_eq!(cycle.len(), 4);
        assert!(cycle.windows(2).all(|step| [[1, 2], [2, 3], [3, 1]].iter().any(|it| it == step)));
    }

    #[test]
    fn a_node_leads_to_itself_by_the_empty_path() {
        assert_eq!(path(1, 1, |_| Vec::new()), Some(vec![1]));
    }

    #[test]
    fn a_failure_to_look_ends_the_search() {
        assert_eq!(try_path(1, 2, |_| Err("closed")), Err("closed"));
    }

    fn edges() -> impl Strategy<Value = Vec<(i64, i64)>> {
        proptest::collection::vec((0_i64..12, 0_i64..12), 0..30)
    }

    proptest! {
        #[test]
        fn an_order_exists_exactly_when_no_edge_can_be_walked_back(edges in edges()) {
            let graph = Graph::new(0..12, edges.iter().copied());
            let successors = |node| -> Vec<i64> {
                edges.iter().filter(|(from, _)| *from == node).map(|(_, to)| *to).collect()
            };
            let cyclic = edges.iter().any(|(from, to)| path(*to, *from, successors).is_some());
            match topological_order(&graph) {
                Ok(order) => {
                    prop_assert!(!cyclic);
                    let place = |node| order.iter().position(|it| *it == node);
                    prop_assert!(edges.iter().all(|(from, to)| place(*from) < place(*to)));
                    prop_assert_eq!(order.len(), 12);
                }
                Err(CyclePath(cycle)) => {
                    prop_assert!(cyclic);
                    prop_assert!(cycle.len() >= 2 && cycle.first() == cycle.last());
                    prop_assert!(cycle.windows(2).all(|step| edges.contains(&(step[0], step[1]))));
                }
            }
        }
    }
}
