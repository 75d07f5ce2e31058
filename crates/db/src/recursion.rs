//! Recursive definitions and cyclic imports, found as cycles of directed graphs.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::files::{FileId, FilePath, ItemId};
use crate::inputs::{Db, Library, SourceFile};
use crate::items::{imports, items};
use crate::language::Language;
use crate::scope::dependencies;

/// The recursive definitions of one group of files that import each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recursion {
    /// For each strongly connected component of recursive definitions, a shortest cycle through the
    /// first definition of the component, which is the first element of the cycle. Definitions are
    /// in the order of the files' paths, and in that of the text within a file.
    pub cycles: Box<[Box<[ItemId]>]>,
    /// The recursive definitions, each with the number of its strongly connected component.
    members: FxHashMap<ItemId, u32>,
}

impl Recursion {
    /// Returns true if the definition uses itself, directly or transitively.
    pub fn contains(&self, item: ItemId) -> bool {
        self.members.contains_key(&item)
    }

    /// Returns true if the two definitions, which must be different, are mutually recursive.
    pub fn are_mutually_recursive(&self, one: ItemId, other: ItemId) -> bool {
        match (self.members.get(&one), self.members.get(&other)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        }
    }
}

/// Returns the recursive definitions of the file, and of the files in the same import cycle. The
/// files of the standard library count as one import cycle.
pub(crate) fn recursion(db: &dyn Db, file: SourceFile) -> Arc<Recursion> {
    let first = import_group(db, file).first().copied();
    group_recursion(db, first.map_or(file, SourceFile::from))
}

/// Computes the recursive definitions of a group of files. The argument must be the first file of
/// the group, so that all its files share one result.
#[salsa::tracked(returns(clone))]
fn group_recursion(db: &dyn Db, first: SourceFile) -> Arc<Recursion> {
    let group = import_group(db, first);
    let all: Vec<ItemId> = group
        .iter()
        .flat_map(|&file| items(db, file.into()).to_vec())
        .collect();
    let graph = Graph::new(&all, |item, edge| dependencies(db, item, edge));
    let mut recursion = Recursion::default();
    let mut cycles: Vec<Vec<u32>> = graph.cyclic_components();
    cycles
        .iter_mut()
        .for_each(|members| members.sort_unstable());
    cycles.sort_unstable();
    recursion.members = cycles
        .iter()
        .zip(0..)
        .flat_map(|(members, group)| members.iter().map(move |&node| (node, group)))
        .map(|(node, group)| (all[node as usize], group))
        .collect();
    let around = |members: &Vec<u32>| {
        graph
            .shortest_cycle(members)
            .iter()
            .map(|&node| all[node as usize])
            .collect()
    };
    recursion.cycles = cycles.iter().map(around).collect();
    Arc::new(recursion)
}

/// Returns the strongly connected component that contains the file, in the order of the paths, of
/// the graph of imports between files of one language. The files of the standard library, whose
/// definitions are in scope in all of them, are one group.
#[salsa::tracked(returns(clone))]
pub(crate) fn import_group(db: &dyn Db, file: SourceFile) -> Arc<[FileId]> {
    if matches!(file.path(db), FilePath::Std(_)) && file.language(db) == Language::Rise {
        return Library::try_get(db)
            .map(|library| library.files(db).iter().copied().collect())
            .unwrap_or_default();
    }
    let own = FileId::from(file);
    let targets = |file: FileId| imported_files(db, file);
    if targets(own).is_empty() {
        return Arc::new([own]);
    }
    let mut reached = vec![own];
    let mut seen = FxHashSet::from_iter([own]);
    let mut at = 0;
    while let Some(&next) = reached.get(at) {
        reached.extend(
            targets(next)
                .into_iter()
                .filter(|&target| seen.insert(target)),
        );
        at += 1;
    }
    let graph = Graph::new(&reached, |file, edge| {
        targets(file).into_iter().for_each(edge)
    });
    let mut group: Vec<FileId> = match graph
        .cyclic_components()
        .into_iter()
        .find(|members| members.contains(&0))
    {
        Some(members) => members.iter().map(|&node| reached[node as usize]).collect(),
        None => vec![own],
    };
    group.sort_unstable_by_key(|&file| SourceFile::from(file).path(db));
    group.into()
}

/// Returns the imported files of the same language. Imports of other languages form no cycles that
/// are errors: programs and strategies may import each other.
fn imported_files(db: &dyn Db, file: FileId) -> Vec<FileId> {
    let language = |file: FileId| SourceFile::from(file).language(db);
    imports(db, file.into())
        .iter()
        .filter_map(|import| import.target)
        .filter(|&target| language(target) == language(file))
        .collect()
}

/// Returns a shortest cycle of imports, between files of one language, through a file, which is the
/// first element of the cycle; `None` if the file is in no cycle.
pub(crate) fn import_cycle(db: &dyn Db, file: FileId) -> Option<Vec<FileId>> {
    let group = import_group(db, file.into());
    let graph = Graph::new(&group, |file, edge| {
        imported_files(db, file).into_iter().for_each(edge)
    });
    let members = graph.cyclic_components().pop()?;
    let start = group.iter().position(|&member| member == file)? as u32;
    let rest = members.iter().copied().filter(|&member| member != start);
    let from_start: Vec<u32> = std::iter::once(start).chain(rest).collect();
    Some(
        graph
            .shortest_cycle(&from_start)
            .iter()
            .map(|&node| group[node as usize])
            .collect(),
    )
}

/// A directed graph in compressed sparse row form. Nodes are numbered from 0.
struct Graph {
    /// The targets of all edges, grouped by source node.
    edges: Vec<u32>,
    /// The index of the first edge of each node, and the number of edges at the end.
    starts: Vec<usize>,
}

impl Graph {
    fn new<N: Copy + Eq + std::hash::Hash>(
        nodes: &[N],
        mut successors: impl FnMut(N, &mut dyn FnMut(N)),
    ) -> Self {
        let index: FxHashMap<N, u32> = nodes.iter().copied().zip(0..).collect();
        let mut graph = Graph {
            edges: Vec::new(),
            starts: vec![0],
        };
        for &node in nodes {
            let edges = &mut graph.edges;
            successors(node, &mut |to| edges.extend(index.get(&to)));
            graph.starts.push(graph.edges.len());
        }
        graph
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn successors(&self, node: u32) -> &[u32] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Returns the strongly connected components that contain an edge (Tarjan's algorithm with an
    /// explicit stack).
    fn cyclic_components(&self) -> Vec<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let mut order = vec![NEW; self.len()];
        let mut low = vec![0; self.len()];
        let mut open = vec![false; self.len()];
        let (mut path, mut pending, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut time = 0;
        for root in 0..self.len() as u32 {
            if order[root as usize] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some((node, next)) = path.pop() {
                let at = node as usize;
                if next == 0 {
                    (order[at], low[at], open[at]) = (time, time, true);
                    time += 1;
                    pending.push(node);
                }
                match self.successors(node).get(next) {
                    Some(&to) => {
                        path.push((node, next + 1));
                        if order[to as usize] == NEW {
                            path.push((to, 0));
                        } else if open[to as usize] {
                            low[at] = low[at].min(order[to as usize]);
                        }
                    }
                    None => {
                        if low[at] == order[at] {
                            let from = pending
                                .iter()
                                .rposition(|&member| member == node)
                                .unwrap_or(0);
                            let members = pending.split_off(from);
                            members
                                .iter()
                                .for_each(|&member| open[member as usize] = false);
                            if members.len() > 1 || self.successors(node).contains(&node) {
                                found.push(members);
                            }
                        }
                        if let Some(&(parent, _)) = path.last() {
                            low[parent as usize] = low[parent as usize].min(low[at]);
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns a shortest cycle through the first of these nodes that visits only these nodes. If
    /// there is none, returns the first node alone.
    fn shortest_cycle(&self, members: &[u32]) -> Vec<u32> {
        let Some(&start) = members.first() else {
            return Vec::new();
        };
        let inside: FxHashSet<u32> = members.iter().copied().collect();
        let mut came_from: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &to in self.successors(node) {
                if to == start {
                    let mut way = vec![node];
                    while let Some(&before) = way
                        .last()
                        .filter(|&&last| last != start)
                        .and_then(|last| came_from.get(last))
                    {
                        way.push(before);
                    }
                    way.reverse();
                    return way;
                }
                if inside.contains(&to) && !came_from.contains_key(&to) {
                    came_from.insert(to, node);
                    queue.push_back(to);
                }
            }
        }
        vec![start]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(nodes: u32, edges: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut found = graph(nodes, edges).cyclic_components();
        found.iter_mut().for_each(|members| members.sort_unstable());
        found.sort();
        found
    }

    fn graph(nodes: u32, edges: &[(u32, u32)]) -> Graph {
        let nodes: Vec<u32> = (0..nodes).collect();
        Graph::new(&nodes, |node, edge| {
            edges
                .iter()
                .filter(|(from, _)| *from == node)
                .for_each(|(_, to)| edge(*to))
        })
    }

    #[test]
    fn components_are_circles() {
        assert!(components(3, &[(0, 1), (1, 2), (0, 2)]).is_empty());
        assert_eq!(components(2, &[(1, 1)]), [[1]]);
        assert_eq!(
            components(5, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)]),
            [vec![0, 1, 2], vec![3, 4]]
        );
        assert_eq!(
            components(4, &[(0, 1), (1, 0), (0, 2), (2, 0), (3, 0)]),
            [[0, 1, 2]]
        );
    }

    #[test]
    fn a_way_around_is_a_shortest_one() {
        let graph = graph(4, &[(0, 1), (1, 2), (2, 0), (1, 3), (3, 1), (2, 3)]);
        assert_eq!(graph.shortest_cycle(&[0, 1, 2, 3]), [0, 1, 2]);
        assert_eq!(graph.shortest_cycle(&[1, 0, 2, 3]), [1, 3]);
    }

    #[test]
    fn long_chains_fit_the_stack() {
        let edges: Vec<(u32, u32)> = (0..3000).map(|node| (node, (node + 1) % 3000)).collect();
        let graph = graph(3000, &edges);
        assert_eq!(graph.cyclic_components().len(), 1);
        assert_eq!(
            graph.shortest_cycle(&(0..3000).collect::<Vec<_>>()).len(),
            3000
        );
    }
}
