//! The database's methods for the options of the user.

use std::sync::Arc;

use codegen::{PassSet, Target, Targets};
use dpia::{Device, IndexPolicy, IndexWidth};
use nat::Nat;
use rise::core::Launch;
use salsa::{Durability, Setter};

use super::Database;
use crate::files::ItemId;
use crate::options::{Options, device};
use crate::targets;

/// Methods for the options of the user.
impl Database {
    /// Sets the launch sizes that replace those of the programs: up to three numbers each; if there
    /// are none, those of the programs are used.
    pub fn set_launch(&mut self, local: &[u64], global: &[u64]) {
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
            .with_durability(Durability::HIGH)
            .to(launch);
    }

    /// Sets the device against which OpenCL programs are checked; `None` sets a typical one.
    pub fn set_device(&mut self, device: Option<Device>) {
        let device = device.unwrap_or_default();
        if *self.device() == device {
            return;
        }
        Options::get(self)
            .set_device(self)
            .with_durability(Durability::HIGH)
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
        let mut options = Options::get(self).codegen(self).clone();
        change(&mut options);
        if *Options::get(self).codegen(self) == options {
            return;
        }
        Options::get(self)
            .set_codegen(self)
            .with_durability(Durability::HIGH)
            .to(options);
    }

    /// Returns the width of the sizes that are passed to generated code, which is 64 bits if the
    /// width of indices depends on the sizes.
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

    /// Sets a target for which every program is checked in addition to its own.
    pub fn set_target(&mut self, target: Option<Target>) {
        Options::get(self)
            .set_target(self)
            .with_durability(Durability::HIGH)
            .to(target);
    }

    /// Returns the targets that the item is checked for.
    pub fn targets(&self, item: ItemId) -> Targets {
        targets::targets(self, self.demand(item).into())
    }
}
