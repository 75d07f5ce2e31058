//! How tightly texts hold together, as the parser reads them.

use syntax::ast::{BinaryOp, Item, ItemKind, Literal, TermId, TermKind};

/// How tightly a text holds together, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// `let x = a in b`
    Open,
    /// `f <| x`
    ApplyLeft,
    /// `x |> f`
    Pipe,
    /// `f >> g`
    Compose,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Power,
    /// `-a`
    Unary,
    /// Names, applications, brackets.
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

    /// The next tighter one.
    pub(crate) fn tighter(self) -> Level {
        Level::ALL
            .into_iter()
            .find(|level| *level > self)
            .unwrap_or(Level::Atom)
    }

    /// That of an operator between its operands.
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

    /// What the operands of an operator need.
    pub(crate) fn operands(op: BinaryOp) -> [Level; 2] {
        let own = Level::of_op(op);
        match own {
            Level::ApplyLeft | Level::Power => [own.tighter(), own],
            Level::Compare => [own.tighter(); 2],
            _ => [own, own.tighter()],
        }
    }

    /// That of a term as it is written.
    pub(crate) fn of(item: &Item, term: TermId) -> Level {
        match &item.term(term).kind {
            TermKind::Let { .. } => Level::Open,
            TermKind::Binary { op, .. } => Level::of_op(*op),
            TermKind::Unary { .. } => Level::Unary,
            TermKind::Literal(literal) => Level::of_literal(literal),
            _ => Level::Atom,
        }
    }

    /// That of a number: a sign holds less.
    pub(crate) fn of_literal(literal: &Literal) -> Level {
        match literal {
            Literal::Int { value, .. } if *value < 0 => Level::Unary,
            Literal::Float { text, .. } if text.starts_with('-') => Level::Unary,
            _ => Level::Atom,
        }
    }

    /// How tightly what stands in the place of a term has to hold together.
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

/// The right side of a definition.
pub(crate) fn body(item: &Item) -> Option<TermId> {
    match item.kind {
        ItemKind::Def { body, .. } => Some(body),
        _ => None,
    }
}

/// Whether a function's parameters are those of the definition.
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
