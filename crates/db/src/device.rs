//! The device and the launch sizes for OpenCL programs. Programs are checked against the device
//! while they are typed, so it is a salsa input like the texts. So are launch sizes other than
//! those of the programs.

use std::sync::Arc;

use codegen::PassSet;
use dpia::{Device, IndexPolicy, IndexWidth};
use nat::Nat;
use rise::core::{Launch, Program};

use crate::inputs::Options;
use crate::{Database, Db};

/// Returns the device against which OpenCL programs are checked.
pub(crate) fn device(db: &dyn Db) -> Arc<Device> {
    Options::get(db).device(db)
}

/// Returns a program with the user's launch sizes, if there are any.
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
    /// Sets the launch sizes that replace those of the programs: up to three numbers each; if there
    /// are none, those of the programs are used.
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

    /// Sets the device against which OpenCL programs are checked; `None` sets a typical one.
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

    /// Sets the width of sizes and indices in generated code, which can also depend on the sizes.
    pub fn set_index_width(&mut self, index: impl Into<IndexPolicy>) {
        let index = index.into();
        self.set_codegen(|options| options.index = index);
    }

    /// Sets the passes that are left out.
    pub fn set_left_out_passes(&mut self, without: PassSet) {
        self.set_codegen(|options| options.without = without);
    }

    fn set_codegen(&mut self, change: impl FnOnce(&mut codegen::Options)) {
        use salsa::Setter as _;
        let mut options = Options::get(self).codegen(self).clone();
        change(&mut options);
        if *Options::get(self).codegen(self) == options {
            return;
        }
        Options::get(self)
            .set_codegen(self)
            .with_durability(salsa::Durability::HIGH)
            .to(options);
    }

    /// Returns the width of the sizes that are passed to generated code.
    pub fn index_width(&self) -> IndexWidth {
        match Options::get(self).codegen(self).index {
            IndexPolicy::Fixed(width) => width,
            IndexPolicy::BySizes => IndexWidth::Bits64,
        }
    }

    /// Returns the device against which OpenCL programs are checked.
    pub fn device(&self) -> Arc<Device> {
        device(self)
    }
}
