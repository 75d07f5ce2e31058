//! Descriptions of machines.

use dpia::Parallelism;
use serde::{Deserialize, Serialize};

use crate::targets::Target;

/// The properties of a machine that determine estimates. Times are in cycles, sizes in bytes,
/// bandwidths in bytes per second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Machine {
    /// The name in outputs.
    pub name: String,
    /// The number of threads that run at the same time.
    pub threads: u32,
    /// The cycles of a core per second.
    pub frequency: f64,
    /// The size of the vectors with which compilers vectorise loops.
    pub vector_bytes: u32,
    /// The size of a vector register, for operations on explicit vectors. Compilers use only half
    /// of the registers of AVX-512.
    pub register_bytes: u32,
    /// The time to start the threads of a parallel loop and to wait for their end, in seconds.
    pub parallel_start: f64,
    /// The time to get a page of 4096 bytes of new memory from the system, in seconds.
    pub new_page: f64,
    /// The times of operations.
    pub cycles: Cycles,
    /// The translation of addresses.
    pub translation: Translation,
    /// The caches, from the smallest to the largest, at least one.
    pub caches: Vec<Cache>,
}

/// The translation of addresses, whose results a core keeps for some pages of memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Translation {
    /// The size of a page in bytes.
    pub page: u64,
    /// The number of pages whose addresses a core keeps.
    pub pages: u64,
    /// The time to find the address of another page, in seconds.
    pub walk: f64,
}

/// The times of operations on scalars and vectors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Cycles {
    /// The reciprocal throughput of additions, multiplications, comparisons and conversions.
    pub simple: f64,
    /// The reciprocal throughput of divisions and square roots of scalars.
    pub divide: f64,
    /// The reciprocal throughput of loads.
    pub load: f64,
    /// The reciprocal throughput of stores.
    pub store: f64,
    /// The latency of an addition of floating-point numbers whose result the next one needs.
    pub latency: f64,
    /// The time of a call of a function such as `exp`.
    pub call: f64,
}

/// A cache, with the speed of the transfers to it from the next larger cache or from memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// The name in outputs.
    pub name: String,
    /// The size that one thread can use.
    pub bytes: u64,
    /// The number of lines that a set has; `None` if the cache distributes all lines evenly.
    #[serde(default)]
    pub ways: Option<u32>,
    /// The bandwidth of one thread for consecutive cache lines.
    pub consecutive: f64,
    /// The bandwidth of one thread for cache lines that are far apart, which hardware does not
    /// prefetch.
    pub scattered: f64,
    /// The bandwidth of all threads together.
    pub total: f64,
}

impl Default for Cycles {
    fn default() -> Self {
        Cycles {
            simple: 0.5,
            divide: 4.0,
            load: 0.5,
            store: 1.0,
            latency: 3.0,
            call: 8.0,
        }
    }
}

impl Default for Translation {
    fn default() -> Self {
        Translation {
            page: 4096,
            pages: 1536,
            walk: 1.0e-8,
        }
    }
}

impl Default for Machine {
    fn default() -> Self {
        let cache = |name: &str, bytes, ways, consecutive, scattered, total| Cache {
            name: name.to_owned(),
            bytes,
            ways,
            consecutive,
            scattered,
            total,
        };
        Machine {
            name: "default".to_owned(),
            threads: 1,
            frequency: 3.0e9,
            vector_bytes: 32,
            register_bytes: 64,
            parallel_start: 5.0e-6,
            new_page: 5.0e-7,
            cycles: Cycles::default(),
            translation: Translation::default(),
            caches: vec![
                cache("L1", 32 << 10, Some(8), 8.0e10, 4.0e10, 6.4e11),
                cache("L2", 1 << 20, Some(16), 3.0e10, 5.0e9, 1.2e11),
                cache("L3", 16 << 20, None, 1.2e10, 4.0e9, 4.0e10),
            ],
        }
    }
}

impl Machine {
    /// Returns the machine that estimates for a target assume: a core of an x86-64 server, for
    /// OpenMP eight of them. `None` for targets with kernels, whose times depend on a device.
    pub fn of_target(target: Target) -> Option<Machine> {
        let threads = match target.features().parallelism {
            Parallelism::Sequential => 1,
            Parallelism::Threads => 8,
            Parallelism::WorkItems => return None,
        };
        Some(Machine {
            threads,
            ..Machine::default()
        })
    }

    /// Parses a description in TOML. Properties that it leaves out are those of the default
    /// machine.
    ///
    /// # Errors
    /// Fails with a message for text that is no description, and for values that are not positive.
    pub fn parse(text: &str) -> Result<Machine, String> {
        let machine: Machine = toml::from_str(text).map_err(|error| error.to_string())?;
        machine.check()?;
        Ok(machine)
    }

    fn check(&self) -> Result<(), String> {
        let cycles = &self.cycles;
        let mut values = vec![
            ("threads".to_owned(), f64::from(self.threads)),
            ("frequency".to_owned(), self.frequency),
            ("vector_bytes".to_owned(), f64::from(self.vector_bytes)),
            ("register_bytes".to_owned(), f64::from(self.register_bytes)),
            ("parallel_start".to_owned(), self.parallel_start),
            ("new_page".to_owned(), self.new_page),
            ("cycles.simple".to_owned(), cycles.simple),
            ("cycles.divide".to_owned(), cycles.divide),
            ("cycles.load".to_owned(), cycles.load),
            ("cycles.store".to_owned(), cycles.store),
            ("cycles.latency".to_owned(), cycles.latency),
            ("cycles.call".to_owned(), cycles.call),
            ("translation.page".to_owned(), self.translation.page as f64),
            (
                "translation.pages".to_owned(),
                self.translation.pages as f64,
            ),
            ("translation.walk".to_owned(), self.translation.walk),
        ];
        for cache in &self.caches {
            let of = |property: &str| format!("{}.{property}", cache.name);
            values.push((of("consecutive"), cache.consecutive));
            values.push((of("scattered"), cache.scattered));
            values.push((of("total"), cache.total));
        }
        let wrong = values
            .iter()
            .find(|(_, value)| !(value.is_finite() && *value > 0.0));
        if let Some((name, value)) = wrong {
            return Err(format!("`{name}` is {value}, but must be positive"));
        }
        if self.caches.is_empty() {
            return Err("`caches` is empty".to_owned());
        }
        let sizes: Vec<u64> = self.caches.iter().map(|cache| cache.bytes).collect();
        if !sizes.is_sorted_by(|a, b| a < b) {
            return Err("the caches must be listed from the smallest to the largest".to_owned());
        }
        Ok(())
    }
}
