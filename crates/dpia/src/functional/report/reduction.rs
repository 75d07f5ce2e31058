//! What there is to say about a `reduce` whose implementation is to be chosen.

use rise::Primitive;
use rise::core::{Expr, Form, Origin};
use syntax::Diagnostic;

use super::Reporter;

impl Reporter<'_> {
    /// `reducePar` needs a function that may be grouped in any way; said where it is offered and
    /// the function is not known to be one.
    pub(super) fn about_reduction(&self, at: Origin, choices: &[String], found: &mut Diagnostic) {
        if !choices
            .iter()
            .any(|choice| choice == Primitive::ReducePar.name())
        {
            return;
        }
        let reduce = find(&self.places.program.body, at);
        if reduce.is_some_and(is_associative) {
            return;
        }
        let remark = "`reducePar` combines in any grouping: choose it only if the function is \
                      associative, which is not known of this one";
        found.help = Some(match found.help.take() {
            Some(help) => format!("{help}; {remark}"),
            None => remark.to_owned(),
        });
        for fix in &mut found.fixes {
            if fix.title.contains(Primitive::ReducePar.name()) {
                fix.title.push_str(", if the function is associative");
            }
        }
    }
}

/// The function of the `reduce` that stands there.
fn find(body: &Expr<Primitive>, at: Origin) -> Option<&Expr<Primitive>> {
    let mut rest = vec![body];
    while let Some(expr) = rest.pop() {
        match &expr.form {
            Form::Primitive(Primitive::Reduce, _, args) if expr.origin == at => {
                return args.first();
            }
            Form::Primitive(_, _, args) | Form::Foreign(_, args) => rest.extend(args.iter()),
            Form::Lambda(_, body) | Form::DepLambda(_, _, body) | Form::DepApply(body, _) => {
                rest.push(body);
            }
            Form::Apply(f, x) => rest.extend([f, x]),
            Form::Var(_) | Form::Literal(_) | Form::Nat(_) | Form::Global(..) => {}
        }
    }
    None
}

/// Whether a function is one of those whose grouping does not matter: `add`, `mul`, `and`, `or`, and
/// the smaller or larger of two by `select`, as functions that are written out, too. (Sums of
/// floating point numbers are as far as anybody asks: `reducePar` says that it groups.)
fn is_associative(f: &Expr<Primitive>) -> bool {
    use Primitive::{Add, And, Ge, Gt, Le, Lt, Mul, Or, Select};
    if let Form::Primitive(Add | Mul | And | Or, _, args) = &f.form {
        return args.is_empty();
    }
    let Form::Lambda(a, inner) = &f.form else {
        return false;
    };
    let Form::Lambda(b, body) = &inner.form else {
        return false;
    };
    let both = |args: &[Expr<Primitive>]| match args {
        [x, y] => match (&x.form, &y.form) {
            (Form::Var(x), Form::Var(y)) => {
                (x, y) == (&a.local, &b.local) || (x, y) == (&b.local, &a.local)
            }
            _ => false,
        },
        _ => false,
    };
    match &body.form {
        Form::Primitive(Add | Mul | And | Or, _, args) => both(args),
        Form::Primitive(Select, _, args) => match &args[..] {
            [condition, values @ ..] => {
                matches!(&condition.form, Form::Primitive(Lt | Le | Gt | Ge, _, sides) if both(sides))
                    && both(values)
            }
            [] => false,
        },
        _ => false,
    }
}
