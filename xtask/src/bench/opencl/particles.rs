//! Generates particles in a box, and the nearest neighbours of each: random neighbours could be too
//! far away to interact, or the particle itself.

/// The length of an edge of the box.
const EDGE: f32 = 20.0;

/// Generates positions of `count` particles: x, y, z and a fourth number, 0.
pub fn positions(count: usize) -> Vec<[f32; 4]> {
    let mut random = crate::bench::random::Random::new(count as u64 + 1);
    let mut coordinate = || (random.below(1 << 20) as f32) / (1 << 20) as f32 * EDGE;
    (0..count)
        .map(|_| [coordinate(), coordinate(), coordinate(), 0.0])
        .collect()
}

/// Returns for each particle the indices of `wanted` near others, in rows: the nearest neighbour of
/// each particle, then the second nearest of each, …. If there are too few particles, neighbours
/// are repeated.
pub fn neighbours(positions: &[[f32; 4]], wanted: usize) -> Vec<i32> {
    let count = positions.len();
    let cells = Cells::new(positions, wanted);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let each = count.div_ceil(threads).max(1);
    let parts: Vec<Vec<i32>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..count)
            .step_by(each)
            .map(|from| {
                let cells = &cells;
                let to = (from + each).min(count);
                scope.spawn(move || {
                    (from..to)
                        .flat_map(|at| cells.nearest(positions, at, wanted))
                        .collect()
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_default())
            .collect()
    });
    let by_particle = parts.concat();
    let mut rows = vec![0; by_particle.len()];
    for (at, near) in by_particle.chunks(wanted.max(1)).enumerate() {
        for (rank, other) in near.iter().enumerate() {
            rows[rank * count + at] = *other;
        }
    }
    rows
}

/// A uniform grid of cells with the particles in each.
struct Cells {
    /// The number of cells along each edge.
    side: i32,
    lists: Vec<Vec<i32>>,
}

impl Cells {
    fn new(positions: &[[f32; 4]], wanted: usize) -> Cells {
        // 27 cells contain about twice as many particles as are wanted.
        let full = positions.len() as f64 / (2.0 * wanted.max(1) as f64 / 27.0);
        let side = (full.cbrt().floor() as i32).clamp(1, 64);
        let mut cells = Cells {
            side,
            lists: vec![Vec::new(); (side * side * side) as usize],
        };
        for (at, position) in (0..).zip(positions) {
            let [x, y, z] = cells.place(position);
            let list = cells.index(x, y, z);
            if let Some(list) = list.and_then(|index| cells.lists.get_mut(index)) {
                list.push(at);
            }
        }
        cells
    }

    fn place(&self, position: &[f32; 4]) -> [i32; 3] {
        let along = |x: f32| ((x / EDGE * self.side as f32) as i32).clamp(0, self.side - 1);
        [along(position[0]), along(position[1]), along(position[2])]
    }

    fn index(&self, x: i32, y: i32, z: i32) -> Option<usize> {
        let inside = |c: i32| (0..self.side).contains(&c);
        (inside(x) && inside(y) && inside(z))
            .then_some(((x * self.side + y) * self.side + z) as usize)
    }

    fn nearest(&self, positions: &[[f32; 4]], at: usize, wanted: usize) -> Vec<i32> {
        let own = &positions[at];
        let [x, y, z] = self.place(own);
        let mut found: Vec<(f32, i32)> = Vec::new();
        for reach in 1..=self.side {
            found.clear();
            let around = -reach..=reach;
            for (dx, dy) in around
                .clone()
                .flat_map(|dx| around.clone().map(move |dy| (dx, dy)))
            {
                for dz in around.clone() {
                    let list = self.index(x + dx, y + dy, z + dz);
                    for other in list.map_or(&[][..], |index| &self.lists[index]) {
                        let distance = |k: usize| own[k] - positions[*other as usize][k];
                        let square = (0..3).map(|k| distance(k) * distance(k)).sum();
                        if *other as usize != at {
                            found.push((square, *other));
                        }
                    }
                }
            }
            if found.len() >= wanted {
                break;
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut near: Vec<i32> = found.into_iter().map(|(_, other)| other).collect();
        // If there are too few particles, some are repeated.
        let there = near.len().max(1);
        near.resize(wanted.min(near.len()), 0);
        let own = i32::try_from(at).unwrap_or(0);
        (0..wanted)
            .map(|rank| near.get(rank % there).copied().unwrap_or(own))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_the_nearest_others() {
        let (count, wanted) = (200, 5);
        let positions = positions(count);
        let rows = neighbours(&positions, wanted);
        assert_eq!(rows.len(), count * wanted);
        let square = |a: usize, b: usize| -> f32 {
            (0..3)
                .map(|k| (positions[a][k] - positions[b][k]).powi(2))
                .sum()
        };
        for at in 0..count {
            let near: Vec<usize> = (0..wanted)
                .map(|rank| rows[rank * count + at] as usize)
                .collect();
            assert!(near.iter().all(|other| *other != at && *other < count));
            assert!(
                near.windows(2)
                    .all(|two| square(at, two[0]) <= square(at, two[1]))
            );
        }
    }

    #[test]
    fn few_particles_are_neighbours_more_than_once() {
        let rows = neighbours(&positions(3), 4);
        assert_eq!(rows.len(), 12);
        assert!(rows.iter().all(|other| (0..3).contains(other)));
    }
}
