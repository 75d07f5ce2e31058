//! Prints expressions.

use std::sync::Arc;

use crate::targets::CDialect;
use rise::Type;
use rise::core::Foreign;
use syntax::ast::{Literal, ScalarType};

use crate::ir::{Binary, Expr, ExprKind, Place, Unary, walk};

use super::operator::sign;
use super::place::Use;
use super::rounding::{ROUNDED, is_product};
use super::{Prec, Printer, foreign};
use crate::error::{self, Result};
use crate::ir::types::CType;
use crate::ir::types::Int;

/// The maximal number of lanes of a vector of equal lanes that is written as a list of its lanes.
const MAX_WRITTEN_LANES: u32 = 4;

impl Printer<'_> {
    /// Writes an expression, in parentheses if its precedence is below `least`.
    pub(in crate::targets) fn expr(&mut self, expr: &Expr, least: Prec) -> Result<()> {
        self.at_least(least, |this| this.bare_expr(expr))
    }

    pub(in crate::targets) fn bare_expr(&mut self, expr: &Expr) -> Result<Prec> {
        self.at_origin_of(expr, |this| this.kind(expr))
    }

    /// Calls `write`, and maps the text that it writes to the phrase of an expression.
    fn at_origin_of(
        &mut self,
        expr: &Expr,
        write: impl FnOnce(&mut Self) -> Result<Prec>,
    ) -> Result<Prec> {
        if expr.origin == self.origin {
            return write(self);
        }
        let at = self.map.len();
        let result = self.mapped(expr.origin, None, write);
        self.note_views(at, expr);
        result
    }

    /// Records in the mapping with the number `at` the views from which the index of a read
    /// results.
    fn note_views(&mut self, at: usize, expr: &Expr) {
        let ExprKind::Load(Place { index: Some(_), .. }) = &expr.kind else {
            return;
        };
        if let Some(views) = self.function.views.get(&expr.origin)
            && let Some(mapping) = self.map.get_mut(at)
        {
            let mut names: Vec<String> = Vec::new();
            for view in views {
                let name = format!("`{}`", view.name);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let text = format!("views: the index comes from {}", names.join(", "));
            mapping.passes = [text].into();
            mapping.views = views.iter().map(|view| view.origin).collect();
        }
    }

    /// Writes a value of a conditional expression. A native vector in C is cast to its type,
    /// because vectors in memory, and results computed from them, have a type which compilers
    /// regard as a different one here.
    fn side(&mut self, expr: &Expr, prec: Prec) -> Result<()> {
        let own = !matches!(
            expr.kind,
            ExprKind::Select(..) | ExprKind::Broadcast(_) | ExprKind::Vector(_)
        );
        if own && matches!(*expr.ty, Type::Vector(..)) {
            let ty = self.type_of(expr)?;
            if ty.is_native(self.target) && self.target.dialect() != CDialect::OpenCl {
                self.write(&format!("({})", ty.name(self.target)));
                return self.expr(expr, Prec::Unary);
            }
        }
        self.expr(expr, prec)
    }

    /// Returns the C type of an expression, and declares it if necessary.
    pub(in crate::targets) fn type_of(&mut self, expr: &Expr) -> Result<CType> {
        if let Type::Vector(lanes, _) = &*expr.ty
            && let Some(ty) = self.register_of(lanes)
        {
            return Ok(ty);
        }
        let ty = CType::of_target(&expr.ty, &self.shown, expr.origin, self.function.features)?;
        self.need_type(&ty);
        Ok(ty)
    }

    fn kind(&mut self, expr: &Expr) -> Result<Prec> {
        if self.rounds_products && is_scalar_float(expr) && is_product(expr) {
            self.write(&format!("{ROUNDED}("));
            self.product(expr)?;
            self.write(")");
            return Ok(Prec::Postfix);
        }
        self.form(expr)
    }

    /// Writes a product of floats without [`ROUNDED`], which its left operand does not need either:
    /// only a sum or difference can be fused with a product.
    fn product(&mut self, expr: &Expr) -> Result<Prec> {
        match &expr.kind {
            ExprKind::Binary(Binary::Mul, a, b) if is_product(a) => {
                self.at_least(Prec::Product, |this| {
                    this.at_origin_of(a, |this| this.product(a))
                })?;
                self.write(sign(Binary::Mul));
                self.expr(b, Prec::Unary)?;
                Ok(Prec::Product)
            }
            _ => self.form(expr),
        }
    }

    /// Writes an expression by its form.
    fn form(&mut self, expr: &Expr) -> Result<Prec> {
        match &expr.kind {
            ExprKind::Literal(literal) => {
                let ty = self.type_of(expr)?;
                self.literal(literal, &ty)
            }
            ExprKind::Nat(nat) => self.size_value(nat, false),
            ExprKind::Load(place) => self.place(place, Use::Read),
            ExprKind::Unary(op, value) => self.unary(*op, value, expr),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr),
            ExprKind::Select(condition, a, b) => {
                self.expr(condition, Prec::Or)?;
                let rounds_products = self.rounds_products;
                self.rounds_products &= !self.assigns_once || depends_on_index(condition);
                self.write(" ? ");
                self.side(a, Prec::Or)?;
                self.write(" : ");
                self.side(b, Prec::Conditional)?;
                self.rounds_products = rounds_products;
                Ok(Prec::Conditional)
            }
            ExprKind::Cast(to, value) => self.cast(*to, value),
            ExprKind::Call(function, args) => {
                if self.target.dialect() != CDialect::OpenCl && expr.is_lanewise_call() {
                    let ty = self.type_of(expr)?;
                    return self.lanewise_call(function, args, &ty);
                }
                self.foreign_call(function, args)
            }
            ExprKind::Pair(a, b) => {
                let ty = self.type_of(expr)?;
                self.write(&format!("({}){{", ty.name(self.target)));
                self.list([a, b], |this, half| this.expr(half, Prec::Conditional))?;
                self.write("}");
                Ok(Prec::Postfix)
            }
            ExprKind::Half(second, pair) => match &pair.kind {
                ExprKind::Pair(a, b) => self.bare_expr(if *second { b } else { a }),
                _ => {
                    self.expr(pair, Prec::Postfix)?;
                    self.write(if *second { "._2" } else { "._1" });
                    Ok(Prec::Postfix)
                }
            },
            ExprKind::Broadcast(value) => {
                let ty = self.type_of(expr)?;
                self.broadcast(value, &ty)
            }
            ExprKind::Vector(lanes) => {
                let ty = self.type_of(expr)?;
                let (open, close) = self.braces_of(&ty);
                self.write(&format!("({}){open}", ty.name(self.target)));
                self.list(lanes, |this, lane| this.expr(lane, Prec::Conditional))?;
                self.write(close);
                Ok(Prec::Postfix)
            }
            ExprKind::Lane(vector, lane) => self.lane_of(vector, lane),
            ExprKind::Element(all, at) => self.element(all, at),
        }
    }

    /// Returns the brackets around the lanes of a vector.
    fn braces_of(&self, ty: &CType) -> (&'static str, &'static str) {
        match (ty.is_native(self.target), self.target.dialect()) {
            (true, CDialect::OpenCl) => ("(", ")"),
            (true, CDialect::Gnu) => ("{", "}"),
            (false, _) => ("{{", "}}"),
        }
    }

    /// Writes the element of a list of expressions with this index: itself if the index is a
    /// constant, otherwise an element of a table of OpenCL C or of an array without a name.
    fn element(&mut self, all: &[Expr], at: &nat::Nat) -> Result<Prec> {
        let number = at.as_const().and_then(|n| usize::try_from(n).ok());
        if let Some(expr) = number.and_then(|n| all.get(n)) {
            return self.bare_expr(expr);
        }
        if let Some(prec) = self.table(all, at)? {
            return Ok(prec);
        }
        let ty = match all.first() {
            Some(first) => self.type_of(first)?.name(self.target),
            None => "int".to_owned(),
        };
        self.write(&format!("((const {ty}[]){{"));
        self.list(all, |this, expr| this.expr(expr, Prec::Conditional))?;
        self.write("})[");
        self.nat(at, Prec::Conditional)?;
        self.write("]");
        Ok(Prec::Postfix)
    }

    fn lane_of(&mut self, vector: &Expr, lane: &nat::Nat) -> Result<Prec> {
        let number = lane.as_const().and_then(|n| usize::try_from(n).ok());
        match (&vector.kind, number) {
            (ExprKind::Broadcast(value), _) => return self.bare_expr(value),
            (ExprKind::Vector(lanes), Some(at)) if at < lanes.len() => {
                return self.bare_expr(&lanes[at]);
            }
            _ => {}
        }
        let ty = self.type_of(vector)?;
        if number.is_none()
            && self.target.dialect() == CDialect::OpenCl
            && ty.is_native(self.target)
        {
            let name = self.lane_helper(&ty);
            self.write(&format!("{name}("));
            self.expr(vector, Prec::Conditional)?;
            self.write(", ");
            self.nat(lane, Prec::Conditional)?;
            self.write(")");
            return Ok(Prec::Postfix);
        }
        self.expr(vector, Prec::Postfix)?;
        self.lane(&ty, lane)?;
        Ok(Prec::Postfix)
    }

    fn broadcast(&mut self, value: &Expr, ty: &CType) -> Result<Prec> {
        if let CType::Register(_) = ty {
            self.expr(value, Prec::Sum)?;
            self.write(&format!(" - ({}){{0}}", ty.name(self.target)));
            return Ok(Prec::Sum);
        }
        let CType::Vector(lanes, scalar) = ty else {
            return self.bare_expr(value);
        };
        let name = ty.name(self.target);
        if !ty.is_native(self.target) {
            let (lanes, scalar) = (*lanes, self.target.scalar_name(*scalar));
            let helper = self.helpers.other(format!("splat_{name}"), |helper| {
                format!(
                    "static inline {name} {helper}({scalar} x) {{\n    {name} value;\n    \
                     for (int l = 0; l < {lanes}; l++) {{\n        value.data[l] = x;\n    }}\n    \
                     return value;\n}}\n"
                )
            });
            return self.called(&helper, [value]);
        }
        if self.target.dialect() == CDialect::OpenCl {
            return self.called(&format!("({name})"), [value]);
        }
        if is_zero(value) {
            self.write(&format!("({name}){{0}}"));
            return Ok(Prec::Postfix);
        }
        if *lanes <= MAX_WRITTEN_LANES && is_leaf(value) {
            self.write(&format!("({name}){{"));
            self.list(0..*lanes, |this, _| this.expr(value, Prec::Conditional))?;
            self.write("}");
            return Ok(Prec::Postfix);
        }
        // The operand -0 keeps the sign of a zero. C would promote a small integer to int.
        if Int::of(*scalar).is_some_and(|int| int.bits < 32) {
            self.write(&format!("({})", self.target.scalar_name(*scalar)));
            self.expr(value, Prec::Unary)?;
        } else {
            self.expr(value, Prec::Sum)?;
        }
        self.write(&format!(" - ({name}){{0}}"));
        Ok(Prec::Sum)
    }

    fn unary(&mut self, op: Unary, value: &Expr, whole: &Expr) -> Result<Prec> {
        match op {
            Unary::Not => {
                self.write("!");
                self.expr(value, Prec::Unary)?;
                Ok(Prec::Unary)
            }
            Unary::Neg => self.negation(value, whole),
            Unary::Abs => self.absolute(value, whole),
        }
    }

    /// Writes `-` and the operand that `write` writes, in parentheses if its precedence requires
    /// them, or if it starts with `-`: `--` is another operator.
    pub(in crate::targets) fn negated(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<Prec>,
    ) -> Result<()> {
        self.write("-");
        let (start, at) = (self.out.len(), self.map.len());
        let prec = write(self)?;
        if prec < Prec::Unary || self.out[start..].starts_with('-') {
            self.parenthesize(start, at);
        }
        Ok(())
    }

    fn cast(&mut self, to: ScalarType, value: &Expr) -> Result<Prec> {
        if to == ScalarType::F16 && self.target.dialect() != CDialect::OpenCl {
            return Err(error::half(self.origin));
        }
        let ty = self.type_of(value)?;
        let Some(from) = ty.scalar() else {
            return self.bare_expr(value);
        };
        if let (CType::Vector(lanes, _), CDialect::OpenCl) = (&ty, self.target.dialect()) {
            return self.vector_cast(from, to, *lanes, value);
        }
        let is_float = |s| matches!(s, ScalarType::F16 | ScalarType::F32 | ScalarType::F64);
        if from == to {
            return self.bare_expr(value);
        }
        if to == ScalarType::Bool {
            self.expr(value, Prec::Sum)?;
            self.write(if is_float(from) { " != 0.0" } else { " != 0" });
            self.write(if from == ScalarType::F32 { "f" } else { "" });
            return Ok(Prec::Equality);
        }
        if is_float(from) && !is_float(to) {
            let name = match self.target.dialect() {
                CDialect::OpenCl => format!("convert_{}_sat_rtz", self.target.scalar_name(to)),
                CDialect::Gnu => self.helpers.saturating(from, to),
            };
            return self.called(&name, [value]);
        }
        if let ExprKind::Literal(literal @ Literal::Int { value, .. }) = &value.kind
            && Int::of(to).is_none_or(|int| (int.min()..=int.max()).contains(value))
        {
            return self.literal(literal, &CType::Scalar(to));
        }
        if let ExprKind::Nat(nat) = &value.kind
            && let Some(number) = nat.as_const().map(i128::from)
            && Int::of(to).is_none_or(|int| (int.min()..=int.max()).contains(&number))
        {
            let literal = Literal::Int {
                value: number,
                suffix: None,
            };
            return self.literal(&literal, &CType::Scalar(to));
        }
        self.write(&format!("({})", self.target.scalar_name(to)));
        match &value.kind {
            ExprKind::Nat(nat) if Int::of(to).is_some_and(|int| int.bits <= 32) => {
                self.at_least(Prec::Unary, |this| this.size_value(nat, true))?;
            }
            _ => self.expr(value, Prec::Unary)?,
        }
        Ok(Prec::Unary)
    }

    /// Writes the conversion of each lane of a vector of OpenCL C to another scalar type.
    fn vector_cast(
        &mut self,
        from: ScalarType,
        to: ScalarType,
        lanes: u32,
        value: &Expr,
    ) -> Result<Prec> {
        let is_float = |s| matches!(s, ScalarType::F16 | ScalarType::F32 | ScalarType::F64);
        let rounding = if is_float(from) && !is_float(to) {
            "_sat_rtz"
        } else {
            ""
        };
        let name = self.target.scalar_name(to);
        self.called(&format!("convert_{name}{lanes}{rounding}"), [value])
    }

    /// Writes a call, in C, of a helper function that calls a function of scalars for each lane of
    /// its arguments, which are vectors of type `ty`.
    fn lanewise_call(
        &mut self,
        function: &Arc<Foreign>,
        args: &[Expr],
        ty: &CType,
    ) -> Result<Prec> {
        let scalar = self.function_name(function)?;
        let args: Vec<&Expr> = args.iter().collect();
        self.helper_on_lanes(&function.name, &args, ty, |lanes| {
            format!("{scalar}({})", lanes.join(", "))
        })
    }

    /// Writes the arguments of a call of a C function. A negated argument of `fma` is always
    /// written with the operator `-`, not with a function that flips its sign bit.
    fn arguments(&mut self, function: &Foreign, args: &[Expr]) -> Result<()> {
        let is_fused = is_fma_function(function);
        self.list(args, |this, arg| match &arg.kind {
            ExprKind::Unary(Unary::Neg, value) if is_fused => {
                this.negated(|this| this.bare_expr(value))
            }
            _ => this.expr(arg, Prec::Conditional),
        })
    }

    /// Returns the name of a C function in the text, and adds it to the text if it is a helper.
    /// Fails for OpenCL if a function has no body and is none of `<math.h>`.
    fn function_name(&mut self, function: &Arc<Foreign>) -> Result<String> {
        let dialect = self.target.dialect();
        let name = foreign::math_name(function);
        self.helpers.math |= name.is_some();
        let is_own = function.id.is_none() && dialect == CDialect::Gnu;
        Ok(match (&*function.name, &*function.result, name) {
            ("floor", Type::Scalar(float), _) if is_own => self.helpers.floor(*float),
            ("ceil", Type::Scalar(float), _) if is_own => self.helpers.ceil(*float),
            (_, _, Some(name)) if dialect == CDialect::OpenCl => foreign::opencl_name(&name),
            (_, _, Some(name)) => name,
            (_, _, None) if dialect == CDialect::OpenCl && function.body.is_none() => {
                return Err(error::no_body(&function.name, self.origin));
            }
            (_, _, None) => self.foreign_name(function),
        })
    }

    fn foreign_call(&mut self, function: &Arc<Foreign>, args: &[Expr]) -> Result<Prec> {
        let name = self.function_name(function)?;
        if matches!(name.as_str(), "lround" | "llround")
            && self.target.dialect() == CDialect::OpenCl
        {
            self.write("convert_long(");
            self.called("round", args)?;
            self.write(")");
            return Ok(Prec::Postfix);
        }
        self.write(&format!("{name}("));
        self.arguments(function, args)?;
        self.write(")");
        Ok(Prec::Postfix)
    }
}

fn is_scalar_float(expr: &Expr) -> bool {
    matches!(
        &*expr.ty,
        Type::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
    )
}

/// Returns true if a function is the one that computes the primitive `fma`.
fn is_fma_function(function: &Foreign) -> bool {
    function.id.is_none() && function.name == "fma"
}

/// Returns true if an expression is a call of the function of the primitive `fma`.
pub(in crate::targets) fn is_fma(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(function, _) if is_fma_function(function))
}

/// Returns true for a literal, a size that is a constant or a variable, and a read of a variable
/// that is not an array: to repeat these costs nothing.
pub(in crate::targets) fn is_leaf(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Nat(nat) => nat.as_const().is_some() || nat.as_var().is_some(),
        ExprKind::Load(place) => place.lanes.is_none() && place.index.is_none(),
        _ => false,
    }
}

fn is_zero(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(Literal::Int { value, .. }) => *value == 0,
        ExprKind::Literal(Literal::Float { text, .. }) => text
            .parse::<f64>()
            .is_ok_and(|x| x == 0.0 && x.is_sign_positive()),
        ExprKind::Nat(nat) => nat.is_zero(),
        _ => false,
    }
}

/// Returns true if a condition depends on sizes, and may be known in iterations that a compiler unrolls.
fn depends_on_index(condition: &Expr) -> bool {
    let mut found = false;
    walk::sub_exprs(condition, &mut |part| {
        found |= matches!(part.kind, ExprKind::Nat(_));
    });
    found
}
