//! The device that OpenCL programs are for: what they may use of it is checked while they are
//! written, so it is an input like the texts. So are the sizes that they are launched with, where
//! they are not those that the programs say.

use std::sync::Arc;

use dpia::{Device, IndexPolicy, IndexWidth};
use nat::Nat;
use rise::core::{Launch, Program};

use crate::inputs::Options;
use crate::{Database, Db};

/// What OpenCL programs are checked against.
pub(crate) fn device(db: &dyn Db) -> Arc<Device> {
    Options::get(db).device(db)
}

/// A program with the sizes that the user has given, where there are some.
pub(crate) fn launched<P>(db: &dyn Db, mut program: Program<P>) -> Program<P> {
    let given = Options::get(db).launch(db);
    let is_given = |sizes: &[Option<Nat>; 3]| sizes.iter().any(Option::is_some);
    if is_given(&given.local) {
        program.launch.local = given.local.clone();
    }
    if is_given(&given.global) {
        program.launch.global = given.global.clone();
    }
    program
}

impl Database {
    /// Launches kernels with these sizes instead of those of their programs: up to three numbers
    /// each, none for those of the programs.
    pub fn set_launch(&mut self, local: &[u64], global: &[u64]) {
        use salsa::Setter as _;
        let nats = |sizes: &[u64]| -> Vec<Nat> {
            let nat = |size: &u64| Nat::from(i64::try_from(*size).unwrap_or(i64::MAX));
            sizes.iter().map(nat).collect()
        };
        let launch = Launch::of(&nats(local), &nats(global));
        if *Options::get(self).launch(self) == launch {
            return;
        }
        Options::get(self)
            .set_launch(self)
            .with_durability(salsa::Durability::HIGH)
            .to(launch);
    }

    /// Checks OpenCL programs against this device; without one, against a usual one.
    pub fn set_device(&mut self, device: Option<Device>) {
        use salsa::Setter as _;
        let device = device.unwrap_or_default();
        if *self.device() == device {
            return;
        }
        Options::get(self)
            .set_device(self)
            .with_durability(salsa::Durability::HIGH)
            .to(Arc::new(device));
    }

    /// Generates code with sizes and indices of this width, or of one that the sizes choose.
    pub fn set_index_width(&mut self, index: impl Into<IndexPolicy>) {
        use salsa::Setter as _;
        let index = index.into();
        if Options::get(self).index(self) == index {
            return;
        }
        Options::get(self)
            .set_index(self)
            .with_durability(salsa::Durability::HIGH)
            .to(index);
    }

    /// The width of the sizes that generated code is passed.
    pub fn index_width(&self) -> IndexWidth {
        match Options::get(self).index(self) {
            IndexPolicy::Fixed(width) => width,
            IndexPolicy::BySizes => IndexWidth::Bits64,
        }
    }

    /// The device that OpenCL programs are checked against.
    pub fn device(&self) -> Arc<Device> {
        device(self)
    }
}
