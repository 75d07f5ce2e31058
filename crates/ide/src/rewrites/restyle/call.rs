//! The head and the arguments of a call in the source text.

use rise::core::Notation;

use super::*;

/// A call in the source text.
pub(super) struct Call {
    /// The name with the size and type arguments directly after it.
    pub(super) head: Span,
    /// The size and type arguments.
    pub(super) sizes: Vec<TermId>,
    pub(super) values: Vec<TermId>,
    /// True if all size and type arguments are in separate lists before the values.
    pub(super) is_plain: bool,
}

impl Call {
    pub(super) fn of(item: &Item, inference: &Inference, id: TermId) -> Option<Call> {
        let mut lists: Vec<(&[TermId], u32)> = Vec::new();
        let mut at = id;
        while let TermKind::Apply { callee, args } = &item.term(at).kind {
            lists.push((args, item.term(at).span.end));
            at = *callee;
        }
        lists.reverse();
        let is_name = matches!(
            item.term(at).kind,
            TermKind::Name(_) | TermKind::Operator(_)
        );
        if !is_name {
            return None;
        }
        let mut call = Call {
            head: item.term(at).span,
            sizes: Vec::new(),
            values: Vec::new(),
            is_plain: true,
        };
        for (args, end) in lists {
            let is_value = |arg: &&TermId| {
                matches!(
                    inference.terms.get(arg.0 as usize),
                    Some(rise::TermInfo::Expr(_))
                )
            };
            let values = args.iter().filter(is_value).count();
            if values == 0 && call.values.is_empty() {
                call.head.end = end;
            } else if values != args.len() {
                call.is_plain = false;
            }
            for arg in args {
                match is_value(&arg) {
                    true => call.values.push(*arg),
                    false => call.sizes.push(*arg),
                }
            }
        }
        Some(call)
    }
}

/// Returns true if a head is that of a primitive that is written as a call.
pub(super) fn is_called(head: &Core) -> bool {
    match &head.form {
        Form::Primitive(p, ..) => matches!(p.notation(), Notation::Pipe(_) | Notation::List(_)),
        _ => false,
    }
}
