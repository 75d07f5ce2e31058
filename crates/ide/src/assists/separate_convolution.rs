//! Separates a convolution whose weights are an outer product into two passes, with a definition of
//! weights for each.
//!
//! ```rise
//! def edges = fun(nbh: 3.3.i32 => do$0t(join(makeArray(3)(makeArray(3)(1, 0, -1), makeArray(3)(2, 0, -2), makeArray(3)(1, 0, -1))))(join(nbh)))
//! ```
//! *Separate convolution, horizontal first*
//! ```rise
//! def weightsV : 3.i32 = makeArray(3)(1, 2, 1)
//! def weightsH : 3.i32 = makeArray(3)(1, 0, -1)
//!
//! def edges = fun(nbh: 3.3.i32 => dot(weightsV)(map(dot(weightsH))(nbh)))
//! ```

use db::{Database, ItemId};
use elevate::lang::Programs;
use elevate::rule::separable_filters::{Factors, factors};
use elevate::term::{Node, Path, Store, Term};
use rise::core::Form;
use rise::{Primitive, Type};
use syntax::Span;
use syntax::ast::ScalarType;

use super::edits::{free_name, with_text};
use super::{Assist, AssistContext, AssistEffect, AssistHandler, Prompt, by_strategy};
use crate::item_view::def_name;
use crate::rewrites::offer::Offer;
use crate::rewrites::terms::{Core, strip};
use crate::rewrites::{AssistKind, record};
use crate::{FileRange, SourceEdits, TextEdit};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "separate_convolution",
    kinds: &[AssistKind::Image],
    offer,
};

struct Separation {
    /// The strategy, with `{V}` and `{H}` as placeholders for the names of the weights.
    strategy: String,
    factors: Factors,
    scalar: ScalarType,
    /// The name of the weights, if they have one.
    name: Option<String>,
}

/// The two orders of the passes, each with its description and the right side of the rule.
const ORDERS: [(&str, &str); 2] = [
    (
        "vertical first",
        "x |> transpose |> map(dot({V})) |> dot({H})",
    ),
    ("horizontal first", "x |> map(dot({H})) |> dot({V})"),
];

/// A convolution in a program.
struct Convolution {
    item: ItemId,
    path: Path,
    name: Option<String>,
    /// The factors: an error if the weights are no outer product, and `None` if only the user can
    /// give them.
    factors: Option<Result<Factors, ()>>,
    /// The type of the weights.
    ty: String,
    scalar: ScalarType,
}

/// Returns the actions for both orders, at the innermost convolution around the selection.
fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let is_inside = cx.applications().is_some_and(|around| {
        let mut places = around.places.iter();
        places.any(|(_, core)| is_convolution(cx.db, core))
    });
    if !is_inside {
        return Vec::new();
    }
    let Some(found) = Convolution::at(cx.db, cx.place()) else {
        return Vec::new();
    };
    let assists = ORDERS.iter();
    assists
        .filter_map(|(order, result)| found.assist(cx, order, result))
        .collect()
}

impl Convolution {
    fn at(db: &Database, range: FileRange) -> Option<Convolution> {
        let (item, offer) = Offer::at(db, range)?;
        let store = &offer.known.program.store;
        let mut places = offer.places.iter();
        let (path, weights) =
            places.find_map(|place| Some((place.path.clone(), weights_of(store, place.term)?)))?;
        let lookup = |id| {
            let item = db.item_of(id);
            let is_library = db.is_library(db.file_of(item));
            (!is_library).then(|| db.elaborated(item)).flatten()
        };
        let name = match store.node(weights) {
            Node::Global(id, _) => def_name(db, db.item_of(id)),
            _ => None,
        };
        let (ty, scalar) = type_of(store.type_of(weights))?;
        let factors = factors(store, &lookup, weights);
        offer.keep();
        Some(Convolution {
            item,
            path,
            name,
            factors,
            ty,
            scalar,
        })
    }

    fn assist(&self, cx: &AssistContext<'_>, order: &'static str, result: &str) -> Option<Assist> {
        use ScalarType::{F16, F32, F64};
        let rounds = matches!(self.scalar, F16 | F32 | F64);
        let mut note = if rounds { " (changes rounding)" } else { "" };
        let item = self.item;
        let effect = match &self.factors {
            Some(Ok(factors)) => {
                let holds = " requires holds(outerProduct(rise { {V} })(rise { {H} }), w)";
                let separation = Separation {
                    strategy: self.rule(result, holds),
                    factors: factors.clone(),
                    scalar: self.scalar,
                    name: self.name.clone(),
                };
                AssistEffect::edit(move |db| separation.edits(db, item))
            }
            Some(Err(())) => {
                let why = "the weights are not the product of a column and a row";
                AssistEffect::Disabled(why.to_owned())
            }
            None if cx.request.prompts => {
                let rule = self.rule(result, "");
                let strategy = rule.replace("{V}", "{column}").replace("{H}", "{row}");
                let expr = |name: &str| (name.to_owned(), "Expr".to_owned());
                let parameters = vec![expr("column"), expr("row")];
                note = "… (unsafe)";
                AssistEffect::Prompt(Prompt::new(cx.db, item, None, strategy, parameters))
            }
            None => return None,
        };
        let title = format!("Separate convolution, {order}{note}");
        Some(Assist::new(order, AssistKind::Image, title, effect).of_item(item))
    }

    /// Renders the strategy that applies the rule of an order at the place of the convolution. The
    /// rule states the type of the weights, whose sizes are constants.
    fn rule(&self, result: &str, condition: &str) -> String {
        let ty = &self.ty;
        let rule =
            format!("rule {{ dot(join((w : {ty})))(join((x : {ty}))) |-> {result}{condition} }}");
        record::at(&self.path, &rule)
    }
}

/// Returns true if a term is `dot(join(w))(join(x))`.
fn is_convolution(db: &Database, term: &Core) -> bool {
    let is_join = |term: &Core| matches!(&term.form, Form::Primitive(Primitive::Join, _, _));
    let found = strip(term).and_then(|(partial, x)| {
        let (dot, w) = strip(&partial)?;
        let Form::Global(id, _) = &dot.form else {
            return None;
        };
        let dot = db.item_of(*id);
        Some(is_join(&w) && is_join(&x) && def_name(db, dot).as_deref() == Some("dot"))
    });
    found.unwrap_or_default()
}

/// Returns the matrix `w` of `dot(join(w))(join(x))`.
fn weights_of(store: &Store, term: Term) -> Option<Term> {
    let apply = |term| match store.node(term) {
        Node::Apply(f, x) => Some((f, x)),
        _ => None,
    };
    let joined = |term| {
        let (join, matrix) = apply(term)?;
        let is_join = matches!(store.node(join), Node::Primitive(Primitive::Join, _));
        is_join.then_some(matrix)
    };
    let (partial, window) = apply(term)?;
    let (dot, weights) = apply(partial)?;
    let Node::Global(id, _) = store.node(dot) else {
        return None;
    };
    (Programs::standard().named("dot") == Some(id)).then_some(())?;
    joined(window)?;
    joined(weights)
}

/// Renders the type of a matrix of scalars with constant sizes, and returns it with the type of the
/// scalars; `None` for another type.
fn type_of(ty: &Type) -> Option<(String, ScalarType)> {
    let Type::Array(lines, line) = ty else {
        return None;
    };
    let Type::Array(size, element) = &**line else {
        return None;
    };
    let (lines, size) = (lines.as_const()?, size.as_const()?);
    match **element {
        Type::Scalar(scalar) => Some((format!("{lines}.{size}.{scalar}"), scalar)),
        _ => None,
    }
}

impl Separation {
    /// Returns the edits that add the definitions of the weights and separate the convolution.
    fn edits(&self, db: &Database, item: ItemId) -> Result<SourceEdits, String> {
        let file = db.file_of(item);
        let base = self.name.as_deref().unwrap_or("weights");
        let base = base.trim_end_matches("2d").trim_end_matches("2D");
        let column = free_name(db, file, &format!("{base}V"), &[]);
        let row = free_name(db, file, &format!("{base}H"), &[&column]);
        let mut text = String::new();
        for (name, weights) in [(&column, &self.factors.column), (&row, &self.factors.row)] {
            let numbers: Option<Vec<String>> = weights
                .iter()
                .map(|one| number(*one, self.scalar))
                .collect();
            let numbers = numbers.ok_or("the weights of the two passes are not whole numbers")?;
            let (size, scalar) = (weights.len(), self.scalar);
            let all = numbers.join(", ");
            text.push_str(&format!(
                "def {name} : {size}.{scalar} = makeArray({size})({all})\n"
            ));
        }
        text.push('\n');
        let whole = db.text(file).to_string();
        if whole.contains("\r\n") {
            text = text.replace('\n', "\r\n");
        }
        // The strategy is applied to a text in which the weights are defined.
        let start = db.item_span(item).start as usize;
        let later = with_text(
            db,
            file,
            &format!("{}{text}{}", &whole[..start], &whole[start..]),
        );
        let moved = start + text.len();
        let found = later.file(&db.path(file)).and_then(|file| {
            let items = later.items(file);
            let is_it = |item: &&ItemId| later.item_span(**item).start as usize >= moved;
            items.iter().find(is_it).copied()
        });
        let again = found.ok_or("the definition is not found any more")?;
        let strategy = self.strategy.replace("{V}", &column).replace("{H}", &row);
        let made = by_strategy(&later, again, later.file_of(again), &strategy)?;
        let back = |edit: TextEdit| {
            let by = text.len() as u32;
            let (start, end) = (
                edit.span.start.checked_sub(by),
                edit.span.end.checked_sub(by),
            );
            Some(TextEdit {
                span: Span::new(start?, end?),
                text: edit.text,
            })
        };
        let edits = made.files.into_iter().flat_map(|(_, edits)| edits);
        let mut edits: Vec<TextEdit> = edits.filter_map(back).collect();
        edits.push(TextEdit {
            span: Span::empty(start as u32),
            text: text.clone(),
        });
        Ok(SourceEdits::single(file, edits))
    }
}

/// Renders a number as a literal; `None` for a fraction if `scalar` is no type of floating-point
/// numbers.
fn number(value: f64, scalar: ScalarType) -> Option<String> {
    match scalar {
        // Debug formatting gives the shortest text that parses as the same float.
        ScalarType::F32 => Some(format!("{:?}f", value as f32)),
        ScalarType::F64 => Some(format!("{value:?}f64")),
        ScalarType::F16 => Some(format!("{:?}f16", value as f32)),
        _ => (value.fract() == 0.0).then(|| format!("{value:.0}")),
    }
}
