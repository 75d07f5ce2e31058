//! Prints operators on scalars and vectors with their meaning in RISE: integers wrap around at
//! their own width, also where C leaves overflow undefined or computes with more bits.

use crate::targets::CDialect;
use nat::Nat;
use syntax::ast::{Literal, ScalarType};

use crate::ir::{Binary, Expr, ExprKind, Unary};

use super::assemble::register_lanes;
use super::literal::{float_value, int_value, integer};
use super::{Prec, Printer};
use crate::error::{self, Result};
use crate::ir::types::CType;
use crate::ir::types::Int;

impl Printer<'_> {
    pub(in crate::targets) fn binary(
        &mut self,
        op: Binary,
        a: &Expr,
        b: &Expr,
        whole: &Expr,
    ) -> Result<Prec> {
        match op {
            Binary::And | Binary::Or => self.logical(op, a, b),
            Binary::Gt | Binary::Lt | Binary::Ge | Binary::Le | Binary::Eq | Binary::Ne => {
                self.comparison(op, a, b)
            }
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Mod => {
                if let (true, Some(value)) = (self.flips_signs, negated_operand(op, a, b)) {
                    return self.negation(value, whole);
                }
                let ty = self.type_of(whole)?;
                match &ty {
                    CType::Vector(..) | CType::Register(_) => self.vector_operation(op, a, b, &ty),
                    CType::Scalar(scalar) => self.scalar_operation(op, a, b, *scalar),
                    CType::Pair(..) => Err(error::unstorable(
                        &rise::print::type_text(&whole.ty, &self.shown),
                        whole.origin,
                    )),
                }
            }
            Binary::Min | Binary::Max => {
                let ty = self.type_of(whole)?;
                let comparison = if op == Binary::Min { "<" } else { ">" };
                let value = |x: &[String]| format!("{0} {comparison} {1} ? {0} : {1}", x[0], x[1]);
                self.helper_on_lanes(word(op), &[a, b], &ty, value)
            }
        }
    }

    fn logical(&mut self, op: Binary, a: &Expr, b: &Expr) -> Result<Prec> {
        let prec = prec(op);
        // Compilers recommend parentheses around && in ||.
        let operand = |e: &Expr| match &e.kind {
            ExprKind::Binary(inner, ..) if *inner == op => prec,
            _ => Prec::Equality,
        };
        self.expr(a, operand(a))?;
        self.write(sign(op));
        self.expr(b, operand(b).max(Prec::And))?;
        Ok(prec)
    }

    fn comparison(&mut self, op: Binary, a: &Expr, b: &Expr) -> Result<Prec> {
        let ty = self.type_of(a)?;
        if let Some(known) = decided(op, a, b, &ty) {
            self.write(if known { "true" } else { "false" });
            return Ok(Prec::Postfix);
        }
        if let (ExprKind::Nat(a), ExprKind::Nat(b)) = (&a.kind, &b.kind) {
            return self.compare_sizes(op, a, b);
        }
        // Compilers recommend parentheses around ! before a comparison.
        let least = match &a.kind {
            ExprKind::Unary(Unary::Not, _) => Prec::Postfix,
            _ => Prec::Sum,
        };
        self.expr(a, least)?;
        self.write(sign(op));
        self.expr(b, Prec::Sum)?;
        Ok(prec(op))
    }

    /// Writes a comparison of sizes with the innermost counter alone on its left, which C compilers
    /// vectorise better: `j < n - 1`. If that is not possible, the comparison has no subtraction,
    /// and no constant on the left: `m > 0`.
    pub(in crate::targets) fn compare_sizes(
        &mut self,
        op: Binary,
        a: &Nat,
        b: &Nat,
    ) -> Result<Prec> {
        if let Some((counter, limit, grows)) = self.border(a, b) {
            // The forms `i > 0` instead of `i >= 1`, and `i < n` instead of `i <= n - 1`.
            let (op, limit) = match if grows { op } else { mirrored(op) } {
                Binary::Ge if limit.as_const().is_some() => (Binary::Gt, limit - 1),
                Binary::Le
                    if limit
                        .summands()
                        .last()
                        .is_some_and(|s| s.factors.is_empty() && s.coeff < 0) =>
                {
                    (Binary::Lt, limit + 1)
                }
                op => (op, limit),
            };
            self.var(counter)?;
            self.write(sign(op));
            self.nat(&limit, Prec::Sum)?;
            return Ok(prec(op));
        }
        let (left, right) = Nat::sub(a, b).split_signs();
        let turned = left.as_const().is_some() && right.as_const().is_none();
        let (op, left, right) = if turned {
            (mirrored(op), right, left)
        } else {
            (op, left, right)
        };
        self.operand(&left, Prec::Sum, None)?;
        self.write(sign(op));
        self.operand(&right, Prec::Sum, None)?;
        Ok(prec(op))
    }

    fn scalar_operation(
        &mut self,
        op: Binary,
        a: &Expr,
        b: &Expr,
        scalar: ScalarType,
    ) -> Result<Prec> {
        let Some(int) = Int::of(scalar) else {
            return self.infix(op, a, b);
        };
        if matches!(op, Binary::Div | Binary::Mod) {
            return self.division(op, a, b, scalar, int);
        }
        if !int.signed && int.bits >= 32 {
            return self.infix(op, a, b);
        }
        self.write(&format!("({})", self.target.scalar_name(scalar)));
        let overflows = int.bits == 16 && op == Binary::Mul;
        let nested = is_arithmetic(a) || is_arithmetic(b);
        let wide = int.bits < 32 && !overflows && !nested;
        if wide {
            // An int contains the exact result.
            self.at_least(Prec::Unary, |this| this.infix(op, a, b))?;
        } else {
            let wrapping = int.wrapping();
            self.at_least(Prec::Unary, |this| this.wrapping(op, a, b, wrapping))?;
        }
        Ok(Prec::Unary)
    }

    fn infix(&mut self, op: Binary, a: &Expr, b: &Expr) -> Result<Prec> {
        let prec = prec(op);
        self.expr(a, prec)?;
        self.write(sign(op));
        self.expr(b, right_operand(op))?;
        Ok(prec)
    }

    /// Writes a sum, difference or product on the unsigned integers with the same bits, without a
    /// cast back: one unsigned operand is sufficient in C.
    fn wrapping(&mut self, op: Binary, a: &Expr, b: &Expr, unsigned: ScalarType) -> Result<Prec> {
        let prec = prec(op);
        let right = right_operand(op);
        self.at_least(prec, |this| this.unsigned(a, unsigned))?;
        self.write(sign(op));
        if is_arithmetic(b) {
            self.at_least(right, |this| this.unsigned(b, unsigned))?;
        } else {
            self.expr(b, right)?;
        }
        Ok(prec)
    }

    /// Writes an integer as the unsigned one of this type with the same bits.
    fn unsigned(&mut self, value: &Expr, unsigned: ScalarType) -> Result<Prec> {
        match &value.kind {
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub | Binary::Mul), a, b) => {
                return self.wrapping(*op, a, b, unsigned);
            }
            ExprKind::Unary(Unary::Neg, inner) => {
                self.negated(|this| this.unsigned(inner, unsigned))?;
                return Ok(Prec::Unary);
            }
            ExprKind::Literal(literal) => {
                if let Some(number) = int_value(literal).filter(|n| *n >= 0) {
                    let text = match unsigned {
                        ScalarType::U64 if self.target.dialect() != CDialect::OpenCl => {
                            format!("UINT64_C({number})")
                        }
                        _ => integer(number, unsigned, self.target),
                    };
                    self.write(&text);
                    return Ok(Prec::Postfix);
                }
            }
            _ => {}
        }
        self.write(&format!("({})", self.target.scalar_name(unsigned)));
        self.expr(value, Prec::Unary)?;
        Ok(Prec::Unary)
    }

    /// Writes a call of the function with this name.
    pub(in crate::targets) fn called<'e>(
        &mut self,
        name: &str,
        args: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<Prec> {
        self.write(&format!("{name}("));
        self.list(args, |this, arg| this.expr(arg, Prec::Conditional))?;
        self.write(")");
        Ok(Prec::Postfix)
    }

    /// Returns the name of a helper function that negates a float by its sign bit.
    fn sign_flip(&mut self, float: ScalarType) -> String {
        let scalar = self.target.scalar_name(float);
        let (bits, sign) = sign_bit(float);
        self.helpers.other(format!("neg_{float}"), |helper| {
            format!(
                "static inline {scalar} {helper}({scalar} x) {{\n    \
                 union {{ {scalar} value; {bits} bits; }} number = {{x}};\n    \
                 number.bits ^= {sign};\n    return number.value;\n}}\n"
            )
        })
    }

    pub(in crate::targets) fn negation(&mut self, value: &Expr, whole: &Expr) -> Result<Prec> {
        let ty = self.type_of(whole)?;
        if let CType::Vector(..) | CType::Register(_) = ty {
            return self.vector_negation(value, &ty);
        }
        let Some(scalar) = ty.scalar() else {
            return self.bare_expr(value);
        };
        let Some(int) = Int::of(scalar) else {
            if self.flips_signs {
                let helper = self.sign_flip(scalar);
                return self.called(&helper, [value]);
            }
            self.negated(|this| this.bare_expr(value))?;
            return Ok(Prec::Unary);
        };
        if int.signed || int.bits < 32 {
            self.write(&format!("({})", self.target.scalar_name(scalar)));
        }
        if int.signed && int.bits >= 32 || is_arithmetic(value) {
            self.negated(|this| this.unsigned(value, int.wrapping()))?;
        } else {
            self.negated(|this| this.bare_expr(value))?;
        }
        Ok(Prec::Unary)
    }

    fn division(
        &mut self,
        op: Binary,
        a: &Expr,
        b: &Expr,
        scalar: ScalarType,
        int: Int,
    ) -> Result<Prec> {
        let divisor = match &b.kind {
            ExprKind::Literal(literal) => int_value(literal),
            ExprKind::Nat(nat) => nat.as_const().map(i128::from),
            _ => None,
        };
        let plain = match divisor {
            // Compilers warn of a division by a constant 0.
            Some(divisor) => divisor != 0 && divisor != -1,
            None => !int.signed || int.bits < 32,
        };
        if !plain {
            let name = self.helpers.division(scalar, op == Binary::Mod);
            return self.called(&name, [a, b]);
        }
        // In C -128 / -1 is 128.
        if int.signed && int.bits < 32 && op == Binary::Div && divisor.is_none() {
            self.write(&format!("({})", self.target.scalar_name(scalar)));
            self.at_least(Prec::Unary, |this| this.infix(op, a, b))?;
            return Ok(Prec::Unary);
        }
        self.infix(op, a, b)
    }

    fn vector_operation(&mut self, op: Binary, a: &Expr, b: &Expr, ty: &CType) -> Result<Prec> {
        let int = ty.scalar().and_then(Int::of);
        let divides = matches!(op, Binary::Div | Binary::Mod);
        let signed = int.is_some_and(|int| int.signed);
        let own = self.target.dialect() == CDialect::OpenCl && !signed;
        if !ty.is_native(self.target) || divides && int.is_some() && !own {
            return self.lane_by_lane(op, a, b, ty);
        }
        let prec = prec(op);
        let right = right_operand(op);
        if !signed {
            self.vector_operand(a, ty, prec, !matches!(b.kind, ExprKind::Broadcast(_)))?;
            self.write(sign(op));
            self.vector_operand(b, ty, right, true)?;
            return Ok(prec);
        }
        // Overflow of signed lanes is undefined, as for scalars.
        let unsigned = unsigned_vector(ty);
        self.need_type(&unsigned);
        let name = unsigned.name(self.target);
        if self.target.dialect() == CDialect::OpenCl {
            self.write(&format!("as_{}(", ty.name(self.target)));
            self.unsigned_lanes((op, a, b), &name)?;
            self.write(")");
            return Ok(Prec::Postfix);
        }
        self.write(&format!("({})", ty.name(self.target)));
        self.at_least(Prec::Unary, |this| this.unsigned_lanes((op, a, b), &name))?;
        Ok(Prec::Unary)
    }

    /// Writes a sum, difference or product of vectors as that of vectors of unsigned integers with
    /// the same bits, whose type is `name`.
    fn unsigned_lanes(&mut self, (op, a, b): (Binary, &Expr, &Expr), name: &str) -> Result<Prec> {
        let prec = prec(op);
        let right = right_operand(op);
        for (operand, least) in [(a, prec), (b, right)] {
            if least != prec {
                self.write(sign(op));
            }
            self.at_least(least, |this| match &operand.kind {
                ExprKind::Binary(op @ (Binary::Add | Binary::Sub | Binary::Mul), a, b) => {
                    this.unsigned_lanes((*op, a, b), name)
                }
                _ if this.target.dialect() == CDialect::OpenCl => {
                    this.called(&format!("as_{name}"), [operand])
                }
                _ => {
                    this.write(&format!("({name})"));
                    this.expr(operand, Prec::Unary)?;
                    Ok(Prec::Unary)
                }
            })?;
        }
        Ok(prec)
    }

    /// Writes an operand of an operation on vectors of type `ty`. If `alone` is true, the other
    /// operand is a vector, so that a broadcast value may stay a scalar; it does except for `u8`
    /// and `u16`.
    fn vector_operand(&mut self, value: &Expr, ty: &CType, least: Prec, alone: bool) -> Result<()> {
        match &value.kind {
            ExprKind::Broadcast(inner)
                if alone
                    && ty
                        .scalar()
                        .is_some_and(|s| s != ScalarType::U8 && s != ScalarType::U16) =>
            {
                self.expr(inner, least)
            }
            _ => self.expr(value, least),
        }
    }

    fn vector_negation(&mut self, value: &Expr, ty: &CType) -> Result<Prec> {
        if !ty.is_native(self.target) {
            let name = ty.name(self.target);
            let lanes = lanes(ty);
            let scalar = ty.scalar().map_or("float", |s| self.target.scalar_name(s));
            let negated = match (ty.scalar().and_then(Int::of), ty.scalar()) {
                (Some(int), _) => {
                    let unsigned = self.target.scalar_name(int.wrapping());
                    format!("({scalar})-({unsigned})x.data[l]")
                }
                (None, Some(float)) if self.flips_signs => {
                    format!("{}(x.data[l])", self.sign_flip(float))
                }
                _ => "-x.data[l]".to_owned(),
            };
            let helper = self.helpers.other(format!("neg_{name}"), |helper| {
                format!(
                    "static inline {name} {helper}({name} x) {{\n    \
                     for (int l = 0; l < {lanes}; l++) {{\n        x.data[l] = {negated};\n    \
                     }}\n    return x;\n}}\n"
                )
            });
            return self.called(&helper, [value]);
        }
        if ty.scalar().and_then(Int::of).is_some_and(|int| int.signed) {
            let unsigned = unsigned_vector(ty);
            self.need_type(&unsigned);
            if self.target.dialect() == CDialect::OpenCl {
                let (own, unsigned) = (ty.name(self.target), unsigned.name(self.target));
                self.write(&format!("as_{own}(-as_{unsigned}("));
                self.expr(value, Prec::Conditional)?;
                self.write("))");
                return Ok(Prec::Postfix);
            }
            self.write(&format!(
                "({})-({})",
                ty.name(self.target),
                unsigned.name(self.target)
            ));
            self.expr(value, Prec::Unary)?;
        } else if let (true, Some(float)) = (
            self.flips_signs,
            ty.scalar().filter(|s| Int::of(*s).is_none()),
        ) {
            let name = ty.name(self.target);
            let (bits, sign) = sign_bit(float);
            let helper = self.helpers.other(format!("neg_{}", ty.short()), |helper| {
                format!(
                    "static inline {name} {helper}({name} x) {{\n    \
                     typedef {bits} bits __attribute__((vector_size(sizeof({name}))));\n    \
                     return ({name})((bits)x ^ {sign});\n}}\n"
                )
            });
            return self.called(&helper, [value]);
        } else {
            self.negated(|this| this.bare_expr(value))?;
        }
        Ok(Prec::Unary)
    }

    /// Writes the absolute value of a signed integer or of a vector of signed integers.
    pub(in crate::targets) fn absolute(&mut self, value: &Expr, whole: &Expr) -> Result<Prec> {
        let ty = self.type_of(whole)?;
        let Some((scalar, int)) = ty.scalar().and_then(|s| Some((s, Int::of(s)?))) else {
            return self.bare_expr(value);
        };
        if let (CType::Vector(..), CDialect::OpenCl) = (&ty, self.target.dialect())
            && ty.is_native(self.target)
        {
            self.write(&format!("as_{}(", ty.name(self.target)));
            self.called("abs", [value])?;
            self.write(")");
            return Ok(Prec::Postfix);
        }
        let (own, wrapping) = (
            self.target.scalar_name(scalar),
            self.target.scalar_name(int.wrapping()),
        );
        let text = |x: &[String]| format!("{0} < 0 ? ({own})-({wrapping}){0} : {0}", x[0]);
        self.helper_on_lanes("abs", &[value], &ty, text)
    }

    /// Writes a call of a helper function, whose name is `word` and the type, on values of type
    /// `ty`. On vectors it computes each lane in a loop, unless OpenCL C has the operations on the
    /// vectors. `value` returns the text of its result, given the names of its parameters or of
    /// their lanes.
    pub(in crate::targets) fn helper_on_lanes(
        &mut self,
        word: &str,
        args: &[&Expr],
        ty: &CType,
        value: impl Fn(&[String]) -> String,
    ) -> Result<Prec> {
        let name = ty.name(self.target);
        let params: Vec<String> = (["x", "y", "z"].iter().take(args.len()))
            .map(|param| (*param).to_owned())
            .collect();
        let is_native = ty.is_native(self.target);
        let (lanes, whole) = match ty {
            CType::Register(scalar) => (
                register_lanes(*scalar),
                wide_instruction(word, &params, *scalar),
            ),
            _ => (lanes(ty).to_string(), None),
        };
        // OpenCL C has comparisons and choices of vectors.
        let on_device = self.target.dialect() == CDialect::OpenCl && is_native;
        let mut body = if on_device || matches!(ty, CType::Scalar(_)) {
            format!("    return {};\n", value(&params))
        } else {
            let at = if is_native { "[l]" } else { ".data[l]" };
            let of_lanes: Vec<String> = params.iter().map(|param| format!("{param}{at}")).collect();
            format!(
                "    for (int l = 0; l < {lanes}; l++) {{\n        x{at} = {};\n    }}\n    return x;\n",
                value(&of_lanes)
            )
        };
        if let Some(whole) = whole {
            body =
                format!("#ifdef __AVX512F__\n    return ({name}){whole};\n#else\n{body}#endif\n");
        }
        let declared: Vec<String> = params
            .iter()
            .map(|param| format!("{name} {param}"))
            .collect();
        let declared = declared.join(", ");
        let helper = (self.helpers).other(format!("{word}_{}", ty.short()), |helper| {
            format!("static inline {name} {helper}({declared}) {{\n{body}}}\n")
        });
        self.called(&helper, args.iter().copied())
    }

    /// Writes an operation on vectors as a call of a helper function with a loop over the lanes.
    fn lane_by_lane(&mut self, op: Binary, a: &Expr, b: &Expr, ty: &CType) -> Result<Prec> {
        let name = ty.name(self.target);
        let lanes = lanes(ty);
        let scalar = ty.scalar().unwrap_or(ScalarType::F32);
        let on_device = self.target.dialect() == CDialect::OpenCl && ty.is_native(self.target);
        let (x, y) = match ty.is_native(self.target) {
            _ if on_device => ("xs[l]".to_owned(), "ys[l]".to_owned()),
            true => ("x[l]".to_owned(), "y[l]".to_owned()),
            false => ("x.data[l]".to_owned(), "y.data[l]".to_owned()),
        };
        let value = match Int::of(scalar) {
            Some(int) if matches!(op, Binary::Div | Binary::Mod) && int.signed => {
                let helper = self.helpers.division(scalar, op == Binary::Mod);
                format!("{helper}({x}, {y})")
            }
            Some(int) if int.signed || int.bits < 32 => {
                let unsigned = self.target.scalar_name(int.wrapping());
                let scalar = self.target.scalar_name(scalar);
                format!("({scalar})(({unsigned}){x}{}{y})", sign(op))
            }
            _ => format!("{x}{}{y}", sign(op)),
        };
        let target = self.target;
        let helper = self
            .helpers
            .other(format!("{}_{}", word(op), ty.short()), |helper| {
                let head = format!("static inline {name} {helper}({name} x, {name} y) {{\n    ");
                let each = format!(
                    "for (int l = 0; l < {lanes}; l++) {{\n        {x} = {value};\n    }}\n    "
                );
                if !on_device {
                    return format!("{head}{each}return x;\n}}\n");
                }
                let lane = target.scalar_name(scalar);
                format!(
                    "{head}{lane} xs[{lanes}], ys[{lanes}];\n    \
                     vstore{lanes}(x, 0, xs);\n    vstore{lanes}(y, 0, ys);\n    \
                     {each}return vload{lanes}(0, xs);\n}}\n"
                )
            });
        self.called(&helper, [a, b])
    }
}

/// Returns the call of the instruction that computes a function on the widest vectors of AVX-512;
/// `None` if there is none, and for other lanes than `f32` and `f64`. GCC does not generate it from
/// a loop over the lanes if it prefers narrower vectors.
fn wide_instruction(word: &str, params: &[String], scalar: ScalarType) -> Option<String> {
    let (ty, suffix) = match scalar {
        ScalarType::F32 => ("__m512", "ps"),
        ScalarType::F64 => ("__m512d", "pd"),
        _ => return None,
    };
    let (name, mode) = match word {
        "fma" => ("fmadd", ""),
        "fabs" => ("abs", ""),
        // The rounding mode is the current one.
        "rint" => ("roundscale", ", 4"),
        "min" | "max" | "sqrt" | "floor" | "ceil" => (word, ""),
        _ => return None,
    };
    let args: Vec<String> = params
        .iter()
        .map(|param| format!("({ty}){param}"))
        .collect();
    Some(format!("_mm512_{name}_{suffix}({}{mode})", args.join(", ")))
}

fn lanes(ty: &CType) -> u32 {
    match ty {
        CType::Vector(lanes, _) => *lanes,
        _ => 1,
    }
}

fn unsigned_vector(ty: &CType) -> CType {
    let unsigned = |scalar| match scalar {
        ScalarType::I8 => ScalarType::U8,
        ScalarType::I16 => ScalarType::U16,
        ScalarType::I64 => ScalarType::U64,
        _ => ScalarType::U32,
    };
    match ty {
        CType::Vector(lanes, scalar) => CType::Vector(*lanes, unsigned(*scalar)),
        other => other.clone(),
    }
}

/// Returns true for a sum, difference, product or negation, whose result may not fit before it is
/// wrapped around.
fn is_arithmetic(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..)
            | ExprKind::Unary(Unary::Neg, _)
    )
}

/// Returns the result of a comparison of integers or Booleans if the operands are equal
/// expressions, or if one is a constant for which the result is the same for all values of the
/// other; otherwise `None`. Compilers warn of such comparisons.
fn decided(op: Binary, a: &Expr, b: &Expr, ty: &CType) -> Option<bool> {
    let scalar = ty.scalar()?;
    let (least, most) = match (scalar, Int::of(scalar)) {
        (ScalarType::Bool, _) => (0, 1),
        (_, Some(int)) => (int.min(), int.max()),
        _ => return None,
    };
    let same = |a: &Expr, b: &Expr| a.kind == b.kind;
    if same(a, b) {
        return Some(matches!(op, Binary::Eq | Binary::Le | Binary::Ge));
    }
    let constant = |e: &Expr| match &e.kind {
        ExprKind::Literal(literal @ (Literal::Int { .. } | Literal::Bool(_))) => int_value(literal),
        _ => None,
    };
    let (op, bound) = match (constant(a), constant(b)) {
        (None, Some(bound)) => (op, bound),
        (Some(bound), None) => (mirrored(op), bound),
        _ => return None,
    };
    match op {
        Binary::Lt if bound <= least => Some(false),
        Binary::Ge if bound <= least => Some(true),
        Binary::Gt if bound >= most => Some(false),
        Binary::Le if bound >= most => Some(true),
        _ => None,
    }
}

fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Gt => Binary::Lt,
        Binary::Lt => Binary::Gt,
        Binary::Ge => Binary::Le,
        Binary::Le => Binary::Ge,
        other => other,
    }
}

fn prec(op: Binary) -> Prec {
    match op {
        Binary::Add | Binary::Sub => Prec::Sum,
        Binary::Mul | Binary::Div | Binary::Mod => Prec::Product,
        Binary::Min | Binary::Max => Prec::Postfix,
        Binary::Gt | Binary::Lt | Binary::Ge | Binary::Le => Prec::Relation,
        Binary::Eq | Binary::Ne => Prec::Equality,
        Binary::And => Prec::And,
        Binary::Or => Prec::Or,
    }
}

/// Returns the least precedence that the right operand of an arithmetic operator has without
/// parentheses.
fn right_operand(op: Binary) -> Prec {
    match prec(op) {
        Prec::Sum => Prec::Product,
        _ => Prec::Unary,
    }
}

pub(in crate::targets) fn sign(op: Binary) -> &'static str {
    match op {
        Binary::Add => " + ",
        Binary::Sub => " - ",
        Binary::Mul => " * ",
        Binary::Div => " / ",
        Binary::Mod => " % ",
        Binary::Min => " min ",
        Binary::Max => " max ",
        Binary::Gt => " > ",
        Binary::Lt => " < ",
        Binary::Ge => " >= ",
        Binary::Le => " <= ",
        Binary::Eq => " == ",
        Binary::Ne => " != ",
        Binary::And => " && ",
        Binary::Or => " || ",
    }
}

fn word(op: Binary) -> &'static str {
    match op {
        Binary::Add => "add",
        Binary::Sub => "sub",
        Binary::Mul => "mul",
        Binary::Div => "div",
        Binary::Min => "min",
        Binary::Max => "max",
        _ => "mod",
    }
}

/// Returns the unsigned integer type with the width of `f32` or `f64`, and the sign bit in it.
fn sign_bit(float: ScalarType) -> (&'static str, &'static str) {
    match float {
        ScalarType::F64 => ("uint64_t", "UINT64_C(0x8000000000000000)"),
        _ => ("uint32_t", "UINT32_C(0x80000000)"),
    }
}

/// Returns the operand of which a floating-point operation only changes the sign, because the other
/// one is the constant -1 or -0; otherwise `None`. C compilers treat these operations as negations.
fn negated_operand<'e>(op: Binary, a: &'e Expr, b: &'e Expr) -> Option<&'e Expr> {
    let is = |constant: &Expr, value: f64| {
        float_value(constant).is_some_and(|known| known.to_bits() == value.to_bits())
    };
    match op {
        Binary::Mul if is(a, -1.0) => Some(b),
        Binary::Mul | Binary::Div if is(b, -1.0) => Some(a),
        Binary::Sub if is(a, -0.0) => Some(b),
        _ => None,
    }
}
