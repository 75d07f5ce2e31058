//! The device that OpenCL programs are for: what they may use of it is checked while they are
//! written, so it is an input like the texts.

use std::sync::Arc;

use dpia::Device;

use crate::inputs::Options;
use crate::{Database, Db};

/// What OpenCL programs are checked against.
pub(crate) fn device(db: &dyn Db) -> Arc<Device> {
    Options::get(db).device(db)
}

impl Database {
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

    /// The device that OpenCL programs are checked against.
    pub fn device(&self) -> Arc<Device> {
        device(self)
    }
}
