//! Defines the target OpenCL: kernels in OpenCL C, and the C program that launches them.

mod host;
pub(crate) mod kernels;
mod lanes;
mod unrolling;

use dpia::{Features, Parallelism};
use rise::TargetName;
use syntax::ast::ScalarType;

use super::clike::Printer;
use super::{Backend, CDialect, Description, HostProgram};
use crate::error::Result;
use crate::ir::Loop;

pub(super) struct OpenCl;

impl Backend for OpenCl {
    fn description(&self) -> &'static Description {
        &Description {
            name: TargetName {
                name: "opencl",
                aliases: &[
                    "__global__",
                    "__kernel",
                    "cuda",
                    "device",
                    "global",
                    "gpu",
                    "kernel",
                    "ocl",
                ],
            },
            summary: "OpenCL C",
            features: Features {
                title: "OpenCL",
                parallelism: Parallelism::WorkItems,
                half_floats: true,
            },
            language: "opencl",
            lowering: "lowerToOpenCL",
            exact_lowering: "lowerToOpenCLExactly",
            host: Some(HostProgram {
                name: "opencl-host",
                title: "a host program for OpenCL",
                print: host::host,
            }),
        }
    }

    fn dialect(&self) -> CDialect {
        CDialect::OpenCl
    }

    fn scalar_name(&self, scalar: ScalarType) -> &'static str {
        match scalar {
            ScalarType::Bool | ScalarType::U8 => "uchar",
            ScalarType::I8 => "char",
            ScalarType::I16 => "short",
            ScalarType::U16 => "ushort",
            ScalarType::I32 | ScalarType::NatType => "int",
            ScalarType::U32 => "uint",
            ScalarType::I64 => "long",
            ScalarType::U64 => "ulong",
            ScalarType::F16 => "half",
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
        }
    }

    fn annotated_loop(&self, printer: &mut Printer<'_>, this: &Loop) -> Option<Result<()>> {
        if printer.unrolling_harms(this) {
            printer.pragma("unroll 1");
        }
        None
    }
}
