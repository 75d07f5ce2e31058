//! The options of the user: target, device, choices of code generation, and launch sizes. They are
//! a salsa input like the texts, because queries depend on them.

use std::sync::Arc;

use dpia::Device;
use nat::Nat;
use rise::core::Program;

use crate::inputs::Db;

/// The options of the user.
#[salsa::input(singleton)]
pub(crate) struct Options {
    /// The target that programs without annotated targets are checked for, in addition to the one
    /// that their patterns or strategies need.
    #[returns(copy)]
    pub target: Option<codegen::Target>,
    /// The device that OpenCL programs are checked against.
    #[returns(clone)]
    pub device: Arc<dpia::Device>,
    /// The width of the sizes and indices of generated code, and the passes to leave out.
    #[returns(ref)]
    pub codegen: codegen::Options,
    /// The launch sizes that the user has given, which replace those of programs.
    #[returns(ref)]
    pub launch: rise::core::Launch,
}

/// Returns the device against which OpenCL programs are checked.
pub(crate) fn device(db: &dyn Db) -> Arc<Device> {
    Options::get(db).device(db)
}

/// Returns a program with the launch sizes that the user has given instead of its own. The local
/// and the global sizes are replaced independently.
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
