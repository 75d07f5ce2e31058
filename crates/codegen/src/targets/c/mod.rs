//! Defines the target C: C99 for one thread.

use dpia::{Features, Parallelism};
use rise::TargetName;

use super::{Backend, Description};

pub(super) struct C;

impl Backend for C {
    fn description(&self) -> &'static Description {
        &Description {
            name: TargetName {
                name: "c",
                aliases: &["cpu"],
            },
            summary: "C for one thread",
            features: Features {
                title: "C",
                parallelism: Parallelism::Sequential,
                half_floats: false,
            },
            language: "c",
            lowering: "lowerToC",
            exact_lowering: "lowerToCExactly",
            host: None,
        }
    }
}
