//! Compiles calls of C functions.

use std::rc::Rc;
use std::sync::Arc;

use rise::core::{Foreign, Origin};

use super::super::block::{Code, Operand, Step};
use super::super::error::{ErrorKind, InterpResult};
use super::super::kind::Kind;
use super::super::scalar::Scalar;
use super::super::{io, math, optimized};
use super::{Call, Compiler, Thunk, scalar_kind};

impl Compiler {
    pub(super) fn foreign(
        &mut self,
        function: &Arc<Foreign>,
        args: &[Thunk],
        origin: Origin,
        steps: &mut Vec<Step>,
    ) -> InterpResult<Operand> {
        // Arguments are accessed like those of a primitive, whose kind does not matter here.
        let call = Call {
            primitive: rise::Primitive::ToMem,
            types: Rc::new([]),
            args: args.iter().map(Thunk::again).collect(),
            origin,
        };
        if let Some((math, float, result)) = built_in(function) {
            let mut all = Vec::new();
            for at in 0..args.len() {
                all.push(self.scalar(&call, at, steps)?.1);
            }
            let value = Scalar::Math(math, float, all);
            let given = math.result(float);
            let value = if given == result {
                value
            } else {
                Scalar::Cast(given, result, Box::new(value))
            };
            return Ok(Operand::Word(result, value));
        }
        let codes = self.codes(&call, steps)?;
        let variants = self.optimized(|| optimized::calls(function, &codes, origin));
        let (function, result) = (function.clone(), function.result.clone());
        let code = Code::one(move |frame| {
            let Some(foreign) = frame.foreign.filter(|_| function.body.is_some()) else {
                return Err(ErrorKind::UnknownForeign(function.name.to_string()).at(origin));
            };
            let mut values = Vec::with_capacity(codes.len());
            for (code, (_, ty)) in codes.iter().zip(&function.params) {
                let value = (code.one)(frame)?;
                let shape = io::shape(ty, &value, &|_| None)?;
                values.push(io::to_value(&shape, &value, Some(origin))?);
            }
            let failed = |message| {
                let name = function.name.to_string();
                ErrorKind::Foreign { name, message }.at(origin)
            };
            let value = foreign.call(&function, &values).map_err(failed)?;
            io::from_value(value.shape(), &value, &frame.meter)
        });
        Ok(self.computed(&result, code.with(variants)))
    }
}

/// Returns the function of `<math.h>` that a declaration without a body refers to, with the kind of
/// its floating-point parameters and the declared kind of its result. Returns `None` if the
/// function has a body, the interpreter does not know its name, or the types do not fit.
fn built_in(function: &Foreign) -> Option<(math::Math, Kind, Kind)> {
    if function.body.is_some() {
        return None;
    }
    let math = math::function(&function.name)?;
    let params: Option<Vec<Kind>> = (function.params.iter())
        .map(|(_, ty)| scalar_kind(ty))
        .collect();
    let params = params?;
    let float = *params.first().filter(|kind| kind.is_float())?;
    let result = scalar_kind(&function.result)?;
    let given = math.result(float);
    let fits = given == result || (given == Kind::I64 && result == Kind::I32);
    (fits && params == math.params(float)).then_some((math, float, result))
}
