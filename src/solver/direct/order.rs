//! An order of the nodes of a graph in which neighbours are close together: reverse Cuthill–McKee
//! (Cuthill, McKee, “Reducing the bandwidth of sparse symmetric matrices”, 1969; reversed by George,
//! 1971). Along a chain it is the order of the chain, across a sheet that of its shorter side.

/// A graph as its nodes' neighbours, side by side in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// Where each node's neighbours end.
    ends: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of `count` nodes with these links, each given once or more, in any direction.
    pub(super) fn new(count: usize, links: &[(u32, u32)]) -> Self {
        let mut both: Vec<(u32, u32)> =
            links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|(a, b)| a != b).collect();
        both.sort_unstable();
        both.dedup();
        let ends = (0..count as u32).map(|node| both.partition_point(|link| link.0 <= node));
        Self { ends: ends.collect(), neighbours: both.iter().map(|link| link.1).collect() }
    }

    pub(super) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.neighbours[start..self.ends[node]]
    }

    fn degree(&self, node: u32) -> usize {
        self.of(node).len()
    }

    /// The connected parts of the graph.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut walk = Walk { graph: self, seen: vec![0; self.ends.len()], turn: 0 };
        let mut placed = vec![false; self.ends.len()];
        let mut parts = Vec::new();
        for node in 0..self.ends.len() as u32 {
            if !placed[node as usize] {
                let start = walk.far_from(node);
                let mut part = walk.by_distance(start);
                part.order.reverse();
                for &node in &part.order {
                    placed[node as usize] = true;
                }
                parts.push(part);
            }
        }
        parts
    }
}

/// A connected part of a graph.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its nodes, in an order that keeps neighbours together.
    pub(super) order: Vec<u32>,
    /// The most nodes on a shortest way through it, both ends counted; a little less where it has no
    /// clear ends.
    pub(super) reach: usize,
}

/// Walks through a graph, with what they have seen: one list for all, since parts may be many.
struct Walk<'a> {
    graph: &'a Graph,
    /// The last walk that came by each node.
    seen: Vec<u32>,
    turn: u32,
}

impl Walk<'_> {
    /// A node at an end of the part that `node` is in: the last of a walk from the last of a walk
    /// from it (a pseudo-peripheral node).
    fn far_from(&mut self, node: u32) -> u32 {
        let mut last = |node: u32| self.by_distance(node).order.last().copied().unwrap_or(node);
        let end = last(node);
        last(end)
    }

    /// The nodes that can be reached from `start`, nearest first, those with few neighbours before
    /// others.
    fn by_distance(&mut self, start: u32) -> Part {
        self.turn += 1;
        self.seen[start as usize] = self.turn;
        let (mut order, mut done) = (vec![start], 0);
        let (mut reach, mut nearer) = (0, 0);
        while done < order.len() {
            // The first node that is farther than all before.
            if done == nearer {
                (reach, nearer) = (reach + 1, order.len());
            }
            let node = order[done];
            done += 1;
            let from = order.len();
            for &next in self.graph.of(node) {
                if self.seen[next as usize] != self.turn {
                    self.seen[next as usize] = self.turn;
                    order.push(next);
                }
            }
            order[from..].sort_by_key(|&node| self.graph.degree(node));
        }
        Part { order, reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most places between neighbours.
    fn spread(graph: &Graph, part: &[u32]) -> usize {
        let place = |node: u32| part.iter().position(|&other| other == node).unwrap_or(0);
        let apart = |a: u32| move |&b: &u32| (a, b);
        part.iter()
            .flat_map(|&a| graph.of(a).iter().map(apart(a)))
            .map(|(a, b)| place(a).abs_diff(place(b)))
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn a_shuffled_chain_is_put_in_line() {
        let at = |k: u32| (k * 7) % 23;
        let links: Vec<_> = (0..22).map(|k| (at(k), at(k + 1))).collect();
        let graph = Graph::new(23, &links);
        let parts = graph.parts();
        assert_eq!(parts.len(), 1);
        assert_eq!(spread(&graph, &parts[0].order), 1);
    }

    #[test]
    fn reach_counts_the_nodes_of_the_longest_way() {
        let star = Graph::new(8, &[(0, 1), (1, 2), (0, 3), (3, 4), (0, 5), (5, 6), (6, 7)]);
        assert_eq!(star.parts()[0].reach, 6);
        let ring: Vec<_> = (0..10).map(|k| (k, (k + 1) % 10)).collect();
        let ring = Graph::new(10, &ring);
        assert_eq!(ring.parts()[0].reach, 6);
    }

    #[test]
    fn a_sheet_is_taken_across_its_shorter_side() {
        let (wide, high) = (12, 4);
        let mut links = Vec::new();
        for x in 0..wide {
            for y in 0..high {
                let node = x + y * wide;
                if x + 1 < wide {
                    links.push((node, node + 1));
                }
                if y + 1 < high {
                    links.push((node, node + wide));
                }
            }
        }
        let graph = Graph::new((wide * high) as usize, &links);
        assert!(spread(&graph, &graph.parts()[0].order) <= high as usize + 1);
    }

    #[test]
    fn parts_are_told_apart() {
        let graph = Graph::new(5, &[(0, 3), (1, 4)]);
        let mut parts: Vec<_> = graph.parts().into_iter().map(|part| part.order).collect();
        for part in &mut parts {
            part.sort_unstable();
        }
        assert_eq!(parts, [vec![0, 3], vec![1, 4], vec![2]]);
    }
}
