//! Messages about a `reduce` that needs an implementation.

use rise::Primitive;
use rise::core::{Expr, Form, Mapper, Node, Origin, expr_text, subterms, walk};
use syntax::Diagnostic;

use super::{Reporter, offer};

impl Reporter<'_> {
    /// Adds the remark that `reducePar` requires an associative function, if it is offered and the
    /// function is not known to be one.
    pub(super) fn about_reduction(&self, at: Origin, choices: &[String], found: &mut Diagnostic) {
        if !choices
            .iter()
            .any(|choice| choice == Primitive::ReducePar.name())
        {
            return;
        }
        let reduce = find(&self.source_map.program.body, at);
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

impl Reporter<'_> {
    /// Adds a fix for each choice that is the name of a primitive: it replaces the use of a
    /// definition by its body, in which the choice implements the `reduce`.
    pub(super) fn written_out(&self, at: Origin, choices: &[String], found: &mut Diagnostic) {
        let Some(used) = self.used(at) else { return };
        for choice in choices {
            let Some(pattern) = Primitive::from_name(choice) else {
                continue;
            };
            let mut chosen = Chosen { at, pattern };
            let text = expr_text(self.source_map.program, &chosen.expr(used));
            if text.len() > LONGEST || text.contains('\n') {
                return;
            }
            if found.fixes.is_empty() {
                found.help = Some(format!("write out what it computes: `{text}`"));
            }
            let edits = self.source_map.rewrite(at, &text);
            offer(found, format!("Write it out with `{choice}`"), edits);
        }
    }

    /// Returns the inlined body of a used definition, if it can be written in the terms of the
    /// reported definition.
    fn used(&self, at: Origin) -> Option<&Expr<Primitive>> {
        let head = self.source_map.location(at).head;
        let is_used = |expr: &&Expr<Primitive>| {
            let spot = self.source_map.location(expr.origin);
            spot.inside.is_some() && spot.head == head
        };
        let used = subterms(&self.source_map.program.body).find(is_used)?;
        self.is_in_own_words(used).then_some(used)
    }

    /// Returns true if the name of each free variable is that of exactly one binder in the text of
    /// the reported definition.
    fn is_in_own_words(&self, expr: &Expr<Primitive>) -> bool {
        let binders = &self.source_map.written.item.binders;
        let (mut bound, mut used) = (Vec::new(), Vec::new());
        for term in subterms(expr) {
            match &term.form {
                Form::Lambda(param, _) => bound.push(param.local.id),
                Form::Var(local) => used.push(local),
                _ => {}
            }
        }
        used.iter()
            .filter(|local| !bound.contains(&local.id))
            .all(|local| {
                binders
                    .iter()
                    .filter(|binder| binder.name == local.name)
                    .count()
                    == 1
            })
    }
}

/// The greatest length in bytes of the text of an inlined definition that is offered as a fix.
const LONGEST: usize = 160;

/// A mapper that replaces the `reduce` at an origin by an implementation.
struct Chosen {
    at: Origin,
    pattern: Primitive,
}

impl Mapper<Primitive> for Chosen {
    fn expr(&mut self, expr: &Expr<Primitive>) -> Expr<Primitive> {
        let expr = walk(self, expr);
        match &expr.form {
            Form::Primitive(Primitive::Reduce, types, args) if expr.origin == self.at => {
                // The type-level arguments are in the order of the primitives' own types.
                let mut types = types.to_vec();
                if self.pattern != Primitive::ReducePar {
                    types.extend(types.last().cloned());
                }
                let form = Form::Primitive(self.pattern, types.into(), args.clone());
                Node::new(form, expr.ty.clone(), expr.origin)
            }
            _ => expr,
        }
    }
}

/// Returns the function of the `reduce` at an origin.
fn find(body: &Expr<Primitive>, at: Origin) -> Option<&Expr<Primitive>> {
    subterms(body).find_map(|term| match &term.form {
        Form::Primitive(Primitive::Reduce, _, args) if term.origin == at => args.first(),
        _ => None,
    })
}

/// Returns true if a function is known to be associative: `add`, `mul`, `and`, `or`, and minimum or
/// maximum by `select`, also if they are written as a `fun`. (Rounding of floating-point numbers is
/// ignored: `reducePar` is documented to change the grouping.)
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
