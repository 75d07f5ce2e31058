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
    /// Sets the launch sizes that replace those of the programs: the numbers of work-items of a
    /// work-group (`local`) and of all (`global`) in up to three dimensions. Missing dimensions
    /// are 1; if a list is empty, the sizes of the programs are used.
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

    /// Sets the device against which OpenCL programs are checked; `None` sets the default device.
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

    /// Sets the width of sizes and indices in generated code: a fixed one, or one that depends on
    /// the sizes of a call.
    pub fn set_index_width(&mut self, index: impl Into<IndexPolicy>) {
        let index = index.into();
        self.set_codegen(|options| options.index = index);
    }

    /// Sets the optimisation passes that are left out when code is generated.
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

    /// Sets the target for which programs without annotated targets are checked, in addition to
    /// the one that their patterns or their strategies need; `None` sets none.
    pub fn set_target(&mut self, target: Option<Target>) {
        Options::get(self)
            .set_target(self)
            .with_durability(Durability::HIGH)
            .to(target);
    }

    /// Returns the targets that the item is checked for: its annotated targets, or, for a program
    /// that no other item of its file uses, the target that it needs and that of
    /// [`Database::set_target`]. Returns none for an item with errors or of the library.
    pub fn targets(&self, item: ItemId) -> Targets {
        targets::targets(self, self.demand(item).into())
    }
}
