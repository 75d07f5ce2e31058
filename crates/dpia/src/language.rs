//! DPIA as a language of core terms, for printing and normalisation.

use nat::Nat;
use rise::core::{Expr, Language, Notation, Origin, Param, lambda};
use rise::{Arg, Pattern, Type};
use syntax::Dialect;

use crate::phrase::{self, Phrase};
use crate::prim::Prim;

impl Language for Prim {
    const WHOLE: bool = true;
    const DIALECT: Dialect = Dialect::Dpia;

    fn ty(&self, types: &[Arg]) -> Option<rise::Ty> {
        let ty = phrase::instantiate(*self, types);
        if self.pattern() == Some(Pattern::Literal)
            && let [Arg::Type(elem), Arg::Nat(count)] = types
        {
            let value = phrase::exp(elem, rise::Access::Rd);
            let fun = |out, _| std::sync::Arc::new(Type::Fun(value.clone(), out));
            return Some((0..count.as_const()?).fold(ty, fun));
        }
        (!matches!(*ty, Type::Pi(_))).then_some(ty)
    }

    fn signature(&self) -> &Type {
        &self.scheme().ty
    }

    /// Returns false: a phrase may be a command or an acceptor, so normalisation substitutes it.
    fn binds(_ty: &Type) -> bool {
        false
    }

    fn let_in(param: Param, value: Expr<Self>, body: Expr<Self>, origin: Origin) -> Expr<Self> {
        let data = |ty: &Type| phrase::data(ty).cloned();
        let access = match &*body.ty {
            Type::Exp(_, access) => *access,
            _ => rise::Access::Rd,
        };
        let types = [data(&param.ty), data(&body.ty)]
            .into_iter()
            .flatten()
            .map(Arg::Type)
            .chain([Arg::Access(access)])
            .collect();
        phrase::prim(Prim::Let, types, vec![value, lambda(param, body)], origin)
    }

    fn is_let(&self) -> bool {
        false
    }

    fn is_free(&self) -> bool {
        true
    }

    fn is_closed(&self, _position: usize) -> bool {
        false
    }

    fn is_written(&self, _position: usize) -> bool {
        false
    }

    fn is_segment(&self) -> bool {
        *self == Prim::Segment
    }

    fn counted(&self, types: &[Arg], args: &[Phrase]) -> Option<Nat> {
        if *self == Prim::Dmatch {
            return rise::core::segment_bound(args.first()?);
        }
        let counts = matches!(
            self,
            Prim::ForNat | Prim::ParForNat | Prim::WithNat | Prim::LetNat
        ) || matches!(self.pattern(), Some(Pattern::DepMap(_)));
        match types.first() {
            Some(Arg::Nat(n)) if counts => Some(n.clone()),
            _ => None,
        }
    }

    fn is_name(name: &str) -> bool {
        let reserved = ["else", "Exp", "Acc", "Comm", "Rd", "Wr", "St", "ReadWrite"];
        Prim::from_name(name).is_some() || reserved.contains(&name)
    }

    fn notation(&self) -> Notation {
        let name = self.name();
        match self {
            Prim::Assign => Notation::Assign,
            Prim::Seq => Notation::Sequence,
            Prim::If => Notation::If,
            Prim::Skip => Notation::Skip,
            _ => match self
                .in_rise()
                .map(|primitive| Language::notation(&primitive))
            {
                None
                | Some(Notation::Call(_) | Notation::Pipe(_) | Notation::List(_))
                | Some(Notation::Whole(_) | Notation::LetSize(_)) => Notation::Whole(name),
                Some(operator) => operator,
            },
        }
    }

    fn written(&self, types: &[Arg]) -> Vec<Vec<Arg>> {
        self.lists(types, false)
    }

    fn written_whole(&self, types: &[Arg]) -> Option<Vec<Vec<Arg>>> {
        Some(self.lists(types, true))
    }
}

impl Prim {
    /// Returns the written type-level arguments: the optional one, the implicit ones if they are
    /// written, and the explicit ones.
    fn lists(self, types: &[Arg], implicit: bool) -> Vec<Vec<Arg>> {
        let mut written = Vec::new();
        let (mut ty, mut rest) = (&*self.scheme().ty, types.iter());
        while let Type::Pi(pi) = ty {
            let arg = rest.next();
            if implicit || !pi.implicit {
                written.extend(arg.cloned());
            }
            ty = &pi.body;
        }
        match rest.next() {
            // The dimension 0 means that none is given.
            Some(Arg::Nat(dimension)) if dimension.is_zero() => {}
            Some(optional) => written.insert(0, optional.clone()),
            None => {}
        }
        vec![written]
    }
}
