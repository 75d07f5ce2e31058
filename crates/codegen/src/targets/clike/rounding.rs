//! Determines where a C compiler could round the operations of a program on floats differently, and
//! defines the text that prevents it.

use rise::Type;
use syntax::ast::ScalarType;

use crate::analysis::math;
use crate::ir::{Binary, Expr, ExprKind, Function, Unary, walk};

use super::literal::float_value;

/// The note on compiler options in the head of a program that calls `fma`: the functions of the C
/// library are not inlined, and compute the same slowly on processors without the instruction.
pub(super) const FMA_NOTE: &str = "/* Compile with -march=native or -mfma: a processor computes \
     fma by one instruction, without which\n   it takes up to 70 times as long. */\n";

/// The pragmas by which a compiler contracts no product and sum to a fused multiply-add.
pub(super) const NO_CONTRACTION: &str = "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n\
     #elif defined __GNUC__ && !defined __STRICT_ANSI__\n\
     #pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n";

/// The name of the macro for products.
pub(super) const ROUNDED: &str = "ROUNDED";

/// The macro for [products](is_product). GCC 12 vectorises sums and differences that alternate by
/// instructions that do not round a product in their left operands, although its options exclude
/// contraction. The built-in function stops that, and costs nothing.
pub(super) const ROUNDED_PRODUCT: &str = "/* GCC 12 fuses products with alternating sums and \
     differences in spite of -ffp-contract=off. */\n\
     #if defined __GNUC__ && !defined __clang__ && __GNUC__ == 12\n\
     #define ROUNDED(product) __builtin_assoc_barrier(product)\n\
     #else\n#define ROUNDED(product) (product)\n#endif\n\n";

/// The operators on floats that a function contains.
#[derive(Default)]
struct Operators {
    products: bool,
    sums: bool,
    differences: bool,
    /// Negations and negative constants, by which a sum is a difference and the reverse.
    negations: bool,
}

impl Operators {
    fn of(function: &Function) -> Operators {
        let mut found = Operators::default();
        let mut note = |expr: &Expr| found.note(expr);
        walk::for_each_expr(&function.body, &mut |expr| walk::sub_exprs(expr, &mut note));
        found
    }

    fn note(&mut self, expr: &Expr) {
        let scalar = match &*expr.ty {
            Type::Vector(_, scalar) => scalar,
            _ => &expr.ty,
        };
        if !matches!(
            **scalar,
            Type::Scalar(ScalarType::F16 | ScalarType::F32 | ScalarType::F64)
        ) {
            return;
        }
        self.products |= is_product(expr);
        match &expr.kind {
            ExprKind::Binary(Binary::Add, ..) => self.sums = true,
            ExprKind::Binary(Binary::Sub, ..) => self.differences = true,
            ExprKind::Unary(Unary::Neg, _) => self.negations = true,
            ExprKind::Literal(_) => {
                self.negations |= float_value(expr).is_some_and(f64::is_sign_negative);
            }
            _ => {}
        }
    }
}

/// Returns true if an expression on floats is a product, or if a compiler may compute it by one: a
/// quotient by a constant, the double of a value, and a power.
pub(super) fn is_product(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(Binary::Mul, ..) => true,
        ExprKind::Binary(Binary::Div, _, by) => float_value(by).is_some(),
        ExprKind::Binary(Binary::Add, a, b) => is_same(a, b),
        ExprKind::Binary(Binary::Sub, a, b) => is_negated(a, b) || is_negated(b, a),
        ExprKind::Call(function, _) => math::plain_name(&function.name) == Some("pow"),
        _ => false,
    }
}

/// Returns true if `a` is `-b`.
fn is_negated(a: &Expr, b: &Expr) -> bool {
    matches!(&a.kind, ExprKind::Unary(Unary::Neg, value) if is_same(value, b))
}

/// Returns true if two expressions compute the same from the same variables, wherever they are in
/// the program.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(f, a, b), ExprKind::Binary(g, c, d)) => {
            f == g && is_same(a, c) && is_same(b, d)
        }
        (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && is_same(a, b),
        (ExprKind::Half(f, a), ExprKind::Half(g, b)) => f == g && is_same(a, b),
        (a, b) => a == b,
    }
}

/// Returns true if a function contains both a product and a sum or difference of floats, which a
/// compiler could contract to a fused multiply-add; programs use `fma` for that.
pub(in crate::targets) fn may_contract(function: &Function) -> bool {
    let found = Operators::of(function);
    found.products && (found.sums || found.differences)
}

/// Returns true if a function contains a product, and both sums and differences, of floats, so that
/// [`ROUNDED_PRODUCT`] is needed.
pub(super) fn alternates_signs(function: &Function) -> bool {
    let found = Operators::of(function);
    let signs = [found.sums, found.differences, found.negations];
    found.products && signs.into_iter().filter(|has| *has).count() >= 2
}

/// Returns true if a function calls the function of the primitive `fma`.
pub(super) fn calls_fma(function: &Function) -> bool {
    let mut found = false;
    let mut note = |expr: &Expr| found |= super::expr::is_fma(expr);
    walk::for_each_expr(&function.body, &mut |expr| walk::sub_exprs(expr, &mut note));
    found
}
