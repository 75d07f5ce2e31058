//! Prints the speed of strategies. The first argument is the number of rounds of each workload; the
//! second selects the workloads whose name contains it: `cargo run --release -p elevate --example
//! measure -- 20 tree`.

#![allow(clippy::print_stdout)]

fn main() {
    let rounds = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let words = std::env::args().nth(2).unwrap_or_default();
    for measured in elevate::measure::all(rounds.unwrap_or(5), &words) {
        println!(
            "{:<45} {:>9} nodes {:>8} steps {:>9.3} ms {:>12.0} steps/s",
            measured.name,
            measured.size,
            measured.steps,
            measured.seconds * 1e3,
            measured.rate(),
        );
    }
}
