//! Applications in DPIA: primitives come from the environment and are fully applied; their implicit
//! arguments are either all written, before the others, or all omitted.

use std::sync::Arc;

use nat::Nat;
use syntax::ast::{Kind, TermId};

use super::super::Infer;
use super::super::apply::Head;
use super::super::expr::Expectation;
use crate::classes::Classes;
use crate::codes;
use crate::primitive::{OptionalArgument, Primitive};
use crate::spine::Spine;
use crate::types::{Access, Address, Arg, DataFun, SizeFun, Ty, Type};
use crate::{NameUse, PhrasePrimitive, Target, TermInfo};

/// The numbers of arguments of a function.
struct ArgCounts {
    /// The number of arguments that may be omitted and are then inferred.
    implicit: usize,
    /// The number of all other arguments.
    explicit: usize,
}

/// An application after its optional and implicit arguments are consumed.
struct PartialApplication {
    /// The number of consumed arguments.
    given: usize,
    ty: Ty,
}

impl Infer<'_> {
    /// Resolves a primitive of DPIA as the head of an application; `None` if no primitive has the
    /// name.
    pub(in crate::infer) fn phrase_head(&mut self, name: &str, term: TermId) -> Option<Head> {
        let primitive = self.env.phrase_primitive(name)?;
        let (ty, obligations, implicits) = self.instantiate(&primitive.scheme, term);
        for (_, arg) in &implicits {
            self.restrict_access(arg, primitive.streams);
        }
        if Primitive::from_name(name).is_some_and(Primitive::is_on_floats) {
            self.restrict_to_floats(&implicits);
        }
        self.uses.push(NameUse {
            term,
            target: Target::Phrase(primitive.id),
            implicits,
        });
        Some(Head {
            ty,
            primitive: None,
            phrase: Some(primitive),
            obligations,
        })
    }

    /// Applies a head to its arguments, including the implicit ones if they are written.
    pub(in crate::infer) fn apply_phrase(
        &mut self,
        spine: &Spine,
        head: Head,
        wanted: Expectation,
    ) -> Ty {
        let Some(rest) = self.implicit_arguments(spine, &head) else {
            return self.abandon(spine, 0);
        };
        let mut obligations = head.obligations;
        let result = self.apply_to(spine, rest.given, rest.ty, &mut obligations, wanted);
        self.note_inherited(spine, obligations);
        if let Some(primitive) = &head.phrase {
            let args: Vec<TermId> = spine.args[rest.given..].iter().map(|a| a.term).collect();
            self.phrase_conditions(&primitive.name, spine.head, &args);
        }
        result
    }

    /// Consumes the optional and implicit arguments; returns `None` after an error in them or in
    /// the number of arguments.
    fn implicit_arguments(&mut self, spine: &Spine, head: &Head) -> Option<PartialApplication> {
        let implicits: Vec<Arg> = self
            .uses
            .iter()
            .rev()
            .find(|name_use| name_use.term == spine.head)
            .map(|name_use| {
                name_use
                    .implicits
                    .iter()
                    .map(|(_, arg)| arg.clone())
                    .collect()
            })
            .unwrap_or_default();
        let counts = ArgCounts {
            implicit: implicits.len(),
            explicit: explicit_arguments(&head.ty),
        };
        let Some(primitive) = &head.phrase else {
            let written = counts.implicit > 0 && spine.args.len() > counts.explicit;
            let given = match written {
                true => self.write_implicits(spine, 0, &implicits)?,
                false => 0,
            };
            let ty = head.ty.clone();
            return Some(PartialApplication { given, ty });
        };
        if primitive.variadic {
            return self.variadic(spine, head, &implicits);
        }
        let optional = usize::from(self.optional_phrase(spine, primitive, &counts)?);
        let rest = spine.args.len() - optional;
        let given = if rest == counts.explicit {
            optional
        } else if rest == counts.explicit + counts.implicit {
            self.write_implicits(spine, optional, &implicits)?
        } else {
            self.wrong_count(spine, primitive, &counts, rest);
            return None;
        };
        let ty = head.ty.clone();
        Some(PartialApplication { given, ty })
    }

    /// Returns true if the first written argument is the optional one, and elaborates it; `None`
    /// after an error.
    fn optional_phrase(
        &mut self,
        spine: &Spine,
        primitive: &PhrasePrimitive,
        counts: &ArgCounts,
    ) -> Option<bool> {
        let (Some(optional), Some(first)) = (
            primitive.optional,
            spine.args.first().filter(|first| !first.piped),
        ) else {
            return Some(false);
        };
        let all = spine.args.len();
        let one_more = |count: usize| all == count + 1;
        let fits = one_more(counts.explicit) || one_more(counts.explicit + counts.implicit);
        match optional {
            OptionalArgument::AddressSpace => {
                if fits && self.unknown_first(first.term) {
                    return None;
                }
                let is_space = self.is_address(first.term);
                if is_space {
                    self.elab_address(first.term);
                }
                Some(is_space)
            }
            OptionalArgument::Dimension => match self.literal_nat(first.term) {
                Some(dimension) if fits => {
                    self.dimension(&primitive.name, dimension, first.term);
                    Some(true)
                }
                _ => Some(false),
            },
        }
    }

    /// Elaborates the written implicit arguments, which start at number `from`. Returns the number
    /// of arguments that are consumed then, or `None` after an error.
    fn write_implicits(&mut self, spine: &Spine, from: usize, implicits: &[Arg]) -> Option<usize> {
        for (implicit, arg) in implicits.iter().zip(&spine.args[from..]) {
            let (var, kind) = self.unknown(implicit)?;
            let value = self.elab_arg(arg.term, kind, spine.head)?;
            if value != *implicit {
                self.solve_var(var, value);
            }
        }
        Some(from + implicits.len())
    }

    /// Returns the variable that an implicit argument is, with its kind; `None` if it is not a
    /// variable.
    fn unknown(&self, arg: &Arg) -> Option<(nat::Var, Kind)> {
        let var = match arg {
            Arg::Nat(n) => n.as_var()?,
            Arg::Type(ty) => match **ty {
                Type::Var(var) => var,
                _ => return None,
            },
            Arg::Address(Address::Var(var))
            | Arg::SizeFun(SizeFun::Var(var))
            | Arg::DataFun(DataFun::Var(var))
            | Arg::Access(Access::Var(var)) => *var,
            _ => return None,
        };
        Some((var, self.table.info(var).kind))
    }

    /// Consumes the arguments of `makeArray(k, …)` before its `k` values; returns `None` after an
    /// error.
    fn variadic(
        &mut self,
        spine: &Spine,
        head: &Head,
        implicits: &[Arg],
    ) -> Option<PartialApplication> {
        let args = &spine.args;
        let count_at = |this: &Self, at: usize| {
            let count = args.get(at).filter(|arg| !arg.piped)?;
            let values = usize::try_from(this.literal_nat(count.term)?).ok()?;
            (args.len() == at + 1 + values).then_some(at)
        };
        let at = count_at(self, 0).or_else(|| count_at(self, implicits.len()));
        let Some(at) = at else {
            let name = self.source(spine.head);
            let span = self.span(spine.head);
            let message =
                format!("`{name}` takes the number of elements first, and then that many values");
            self.error(codes::KIND_MISMATCH, span, message).help =
                Some(format!("write `{name}(2, x, y)`"));
            return None;
        };
        if at > 0 {
            self.write_implicits(spine, 0, implicits)?;
        }
        let size = self.elab_nat(args[at].term)?;
        let Type::Pi(pi) = &*head.ty else {
            return None;
        };
        if self.made_for(pi.var, spine.head) {
            self.solve_var(pi.var, Arg::Nat(size));
        }
        let elem = match implicits.first() {
            Some(Arg::Type(elem)) => elem.clone(),
            _ => self.open_type("t", Classes::DATA, spine.head),
        };
        let value = Arc::new(Type::Exp(elem, Access::Rd));
        let values = args.len() - at - 1;
        let ty = (0..values).fold(pi.body.clone(), |out, _| {
            Arc::new(Type::Fun(value.clone(), out))
        });
        Some(PartialApplication { given: at + 1, ty })
    }

    fn wrong_count(
        &mut self,
        spine: &Spine,
        primitive: &PhrasePrimitive,
        counts: &ArgCounts,
        found: usize,
    ) {
        let name = self.source(spine.head);
        let many = |count: usize| match count {
            1 => "1 argument".to_owned(),
            count => format!("{count} arguments"),
        };
        let with_implicit = match counts.implicit {
            0 => String::new(),
            implicit => {
                let all = counts.explicit + implicit;
                format!(", or {all} if the implicit ones are written")
            }
        };
        let code = match found > counts.explicit {
            true => codes::NOT_A_FUNCTION,
            false => codes::TYPE_MISMATCH,
        };
        let span = match found > counts.explicit {
            true => spine
                .args
                .last()
                .map_or(self.span(spine.head), |arg| self.span(arg.term)),
            false => self.span(spine.head),
        };
        let ty = crate::print::scheme_text(&primitive.scheme);
        let takes = many(counts.explicit);
        let found = many(found);
        let message = format!("`{name}` takes {takes}{with_implicit}, found {found}");
        self.error(code, span, message).help = Some(format!("its type is `{ty}`"));
    }

    /// Records the dimension of a parallel pattern, and reports it unless it is 0, 1 or 2.
    pub(in crate::infer) fn dimension(&mut self, name: &str, dimension: i64, term: TermId) {
        if !(0..=2).contains(&dimension) {
            let message = format!("the dimension of `{name}` is 0, 1 or 2, not {dimension}");
            self.error(codes::KIND_MISMATCH, self.span(term), message);
        }
        self.set(term, TermInfo::Arg(Arg::Nat(Nat::constant(dimension))));
    }
}

/// Returns the number of parameters of a function type, type-level ones included.
fn explicit_arguments(ty: &Type) -> usize {
    match ty {
        Type::Fun(_, result) => 1 + explicit_arguments(result),
        Type::Pi(pi) => 1 + explicit_arguments(&pi.body),
        _ => 0,
    }
}
