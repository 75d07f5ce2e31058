//! Precedence levels of the syntax, as the parser defines them, and the right sides of definitions.

use syntax::ast::{BinaryOp, Item, ItemKind, Literal, TermId, TermKind};

/// A precedence level, the loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The level of `let x = a in b`.
    Open,
    /// The level of `f <| x`.
    ApplyLeft,
    /// The level of `x |> f`.
    Pipe,
    /// The level of `f >> g`.
    Compose,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Power,
    /// The level of `-a`.
    Unary,
    /// The level of names, applications and brackets.
    Atom,
}

impl Level {
    const ALL: [Level; 12] = [
        Level::Open,
        Level::ApplyLeft,
        Level::Pipe,
        Level::Compose,
        Level::Or,
        Level::And,
        Level::Compare,
        Level::Sum,
        Level::Product,
        Level::Power,
        Level::Unary,
        Level::Atom,
    ];

    pub(crate) fn tighter(self) -> Level {
        Level::ALL
            .into_iter()
            .find(|level| *level > self)
            .unwrap_or(Level::Atom)
    }

    pub(crate) fn of_op(op: BinaryOp) -> Level {
        use BinaryOp::*;
        match op {
            Divides => Level::Open,
            ApplyLeft => Level::ApplyLeft,
            Pipe => Level::Pipe,
            Then | After => Level::Compose,
            Or => Level::Or,
            And => Level::And,
            Eq | Ne | Lt | Le | Gt | Ge => Level::Compare,
            Add | Sub => Level::Sum,
            Mul | Div | Mod => Level::Product,
            Pow => Level::Power,
        }
    }

    /// Returns the levels that the operands of an operator need.
    pub(crate) fn operands(op: BinaryOp) -> [Level; 2] {
        let own = Level::of_op(op);
        match own {
            Level::ApplyLeft | Level::Power => [own.tighter(), own],
            Level::Compare => [own.tighter(); 2],
            _ => [own, own.tighter()],
        }
    }

    /// Returns the level of a term in the source text.
    pub(crate) fn of(item: &Item, term: TermId) -> Level {
        match &item.term(term).kind {
            TermKind::Let { .. } | TermKind::Local { .. } | TermKind::LetSize { .. } => Level::Open,
            TermKind::Binary { op, .. } => Level::of_op(*op),
            TermKind::Unary { .. } => Level::Unary,
            TermKind::Literal(literal) => Level::of_literal(literal),
            _ => Level::Atom,
        }
    }

    /// Returns the level of a literal: that of a negative number is looser.
    pub(crate) fn of_literal(literal: &Literal) -> Level {
        match literal {
            Literal::Int { value, .. } if *value < 0 => Level::Unary,
            Literal::Float { text, .. } if text.starts_with('-') => Level::Unary,
            _ => Level::Atom,
        }
    }

    /// Returns the loosest level that a replacement of a term may have without parentheses.
    pub(crate) fn needed(item: &Item, parent: Option<TermId>, term: TermId) -> Level {
        let Some(parent) = parent else {
            return Level::Open;
        };
        match &item.term(parent).kind {
            TermKind::Apply { callee, .. } if *callee == term => Level::Atom,
            TermKind::Binary { op, lhs, .. } => {
                let [left, right] = Level::operands(*op);
                if *lhs == term { left } else { right }
            }
            TermKind::Unary { .. } => Level::Unary,
            TermKind::Project { .. } => Level::Atom,
            _ => Level::Open,
        }
    }
}

/// Returns the right side of a definition; `None` for other items, such as a foreign function.
pub(crate) fn body(item: &Item) -> Option<TermId> {
    match item.kind {
        ItemKind::Def { body, .. } => Some(body),
        _ => None,
    }
}

/// Returns true if a function is one of the outermost abstractions of the definition.
pub(crate) fn is_of_definition(item: &Item, parents: &[Option<TermId>], id: TermId) -> bool {
    let mut parent = parents[id.0 as usize];
    while let Some(above) = parent {
        let kind = &item.term(above).kind;
        if !matches!(
            kind,
            TermKind::Paren(_) | TermKind::Fun { .. } | TermKind::DepFun { .. }
        ) {
            return false;
        }
        parent = parents[above.0 as usize];
    }
    true
}
