//! The abbreviation of terms for messages, as in `map(fun(…))`, `n - 5` or `xs |> …`.

use syntax::ast::{Half, Item, Literal, Name, TermId, TermKind, UnaryOp};

/// The text that takes the place of a name.
type NameText<'a> = &'a dyn Fn(&Name) -> String;

/// The greatest number of characters of a snippet.
const SHORT: usize = 32;

/// Prints a term to the greatest depth, at most 3, at which the text has no more than [`SHORT`]
/// characters; deeper parts are `…`. A term that fits at no depth is printed as `…`.
pub(crate) fn snippet(item: &Item, term: TermId) -> String {
    snippet_with_names(item, term, &Name::to_string)
}

/// Prints a term as [`snippet`] does, with the text that `name` returns for it in the place of each
/// name.
pub(crate) fn snippet_with_names(item: &Item, term: TermId, name: NameText) -> String {
    (0..=3)
        .rev()
        .map(|depth| render(item, term, depth, name))
        .find(|text| text.chars().count() <= SHORT)
        .unwrap_or_else(|| "…".to_owned())
}

fn render(item: &Item, term: TermId, depth: u32, name: NameText) -> String {
    let part = |t: TermId| {
        if depth == 0 {
            leaf(item, t, name)
        } else {
            render(item, t, depth - 1, name)
        }
    };
    match &item.term(term).kind {
        TermKind::Apply { callee, args } => {
            let args: Vec<String> = args.iter().map(|&a| part(a)).collect();
            format!(
                "{}({})",
                render(item, *callee, depth, name),
                args.join(", ")
            )
        }
        TermKind::Binary { op, lhs, rhs, .. } => {
            format!("{} {} {}", part(*lhs), op.as_str(), part(*rhs))
        }
        TermKind::Unary { op, operand } => {
            let op = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Not => "!",
            };
            format!("{op}{}", part(*operand))
        }
        TermKind::Project { pair, half } => {
            let half = match half {
                Half::First => "_1",
                Half::Second => "_2",
            };
            format!("{}.{half}", part(*pair))
        }
        TermKind::Paren(inner) => format!("({})", render(item, *inner, depth, name)),
        TermKind::Pair(a, b) => format!("({}, {})", part(*a), part(*b)),
        TermKind::Array { size, elem, .. } => format!("{}.{}", part(*size), part(*elem)),
        TermKind::Vector { size, elem } => format!("Vec[{}, {}]", part(*size), part(*elem)),
        TermKind::Tuple(a, b) => format!("Tuple[{}, {}]", part(*a), part(*b)),
        TermKind::Index(size) => format!("Idx[{}]", part(*size)),
        TermKind::Exp { data, access } => {
            format!("Exp[{}, {}]", part(*data), leaf(item, *access, name))
        }
        TermKind::Acc(data) => format!("Acc[{}]", part(*data)),
        TermKind::Assign { lhs, rhs, .. } => format!("{} = {}", part(*lhs), part(*rhs)),
        TermKind::If { .. } => "if (…)".to_owned(),
        TermKind::Arrow(a, b) => format!("{} -> {}", part(*a), part(*b)),
        TermKind::Where { ty, .. } => format!("{} where …", part(*ty)),
        TermKind::Fun { .. } => "fun(…)".to_owned(),
        TermKind::DepFun { .. } => "depFun(…)".to_owned(),
        TermKind::NatFun { .. } => "natFun(…)".to_owned(),
        TermKind::DataFun { .. } => "dataFun(…)".to_owned(),
        _ => leaf(item, term, name),
    }
}

fn leaf(item: &Item, term: TermId, text_of: NameText) -> String {
    match &item.term(term).kind {
        TermKind::Hole => "_".to_owned(),
        TermKind::Name(name) => text_of(name),
        TermKind::Operator(op) => format!("({})", op.as_str()),
        TermKind::Scalar(scalar) => scalar.to_string(),
        TermKind::Address(space) => space.to_string(),
        TermKind::Access(access) => access.to_string(),
        TermKind::Comm => "Comm".to_owned(),
        TermKind::Skip => "skip".to_owned(),
        TermKind::Literal(Literal::Bool(value)) => value.to_string(),
        TermKind::Literal(Literal::Int { value, suffix }) => match suffix {
            Some(suffix) => format!("{value}{suffix}"),
            None => value.to_string(),
        },
        TermKind::Literal(Literal::Float { text, suffix }) => match suffix {
            Some(syntax::ast::ScalarType::F32) => format!("{text}f"),
            Some(suffix) => format!("{text}{suffix}"),
            None => text.to_string(),
        },
        _ => "…".to_owned(),
    }
}
