//! Recognises the loop of a translated `iterate`, decides whether double buffering unrolls it, and
//! computes the sizes of its buffers.

use dpia::{Phrase, Prim};
use nat::{Nat, Prop, Var};
use rise::Type;
use rise::core::{Form, Local, for_each_local, subterms};

use super::Lower;

/// The maximal number of iterations that are unrolled, unless the buffers are in private memory of
/// an OpenCL device.
const MAX_UNROLLED: i64 = 8;
/// The maximal number of iterations that are unrolled for buffers in private memory of an OpenCL
/// device, which becomes registers once all indices are known.
const MAX_UNROLLED_PRIVATE: i64 = 32;
/// The maximal number of elements that the first of several iterations may write for these to be
/// unrolled, unless the buffers are in private memory of an OpenCL device.
const MAX_UNROLLED_ELEMENTS: i64 = 4096;
/// The maximal number of iterations for which the number of elements that each writes is compared
/// with the size of its buffer individually.
const MAX_CHECKED: i64 = 64;
/// The maximal number of commands that the body may have for several iterations to be unrolled,
/// unless the buffers are in private memory of an OpenCL device.
const MAX_COMMANDS: usize = 6;

/// Parameters of the body of `newDoubleBuffer`.
#[derive(Clone, Copy)]
pub(super) struct BufferNames<'p> {
    /// The acceptor that an iteration writes to.
    pub acc: &'p Local,
    /// The command that exchanges the buffers.
    pub swap: &'p Local,
    /// The command that redirects writes to the output.
    pub done: &'p Local,
}

/// The loop `forNat(count, counter => if (counter == count - 1) { done } else { skip }; body;
/// swap)`, where each iteration writes a prefix of its acceptor.
pub(super) struct IterateLoop {
    pub counter: Var,
    pub count: Nat,
    /// The commands between the condition with `done` and `swap`.
    pub body: Vec<Phrase>,
    /// The length of the prefix that an iteration writes, which may depend on `counter`.
    pub written: Nat,
}

impl IterateLoop {
    /// Returns the parts of a command of this form; `None` for other commands.
    pub fn of(program: &Phrase, names: BufferNames<'_>) -> Option<IterateLoop> {
        let Form::Primitive(Prim::ForNat, types, args) = &program.form else {
            return None;
        };
        let (count, Form::DepLambda(counter, _, body)) =
            (super::read::nat_arg(types, 0), &args.first()?.form)
        else {
            return None;
        };
        let mut body = commands(body);
        let is_swap = |last: &Phrase| matches!(&last.form, Form::Var(v) if v == names.swap);
        if body.len() < 3 || !is_swap(&body.pop()?) {
            return None;
        }
        let last = Nat::sub(&count, &Nat::constant(1));
        if !is_redirection(&body.remove(0), &Nat::var(*counter), &last, names.done) {
            return None;
        }
        let mut written = None;
        let is_exchange = |local: &Local| local == names.swap || local == names.done;
        let fits = body.iter().all(|command| {
            let mut found = false;
            for_each_local(command, &mut |local| found |= is_exchange(local));
            !found && writes_prefix(command, names.acc, &mut written)
        });
        Some(IterateLoop {
            counter: *counter,
            count,
            body,
            written: written.filter(|_| fits)?,
        })
    }

    /// Returns the number of elements that the iteration with this number writes.
    pub fn written_in(&self, number: &Nat) -> Nat {
        self.written
            .subst(&|var| (var == self.counter).then(|| number.clone()))
    }

    /// Returns the number of iterations if it is a constant and they should be unrolled, otherwise
    /// `None`: a single iteration needs no buffers, and a few small ones have loops with constant
    /// trip counts.
    ///
    /// `private` is true for buffers in private memory of an OpenCL device. For these, up to
    /// [`MAX_UNROLLED_PRIVATE`] iterations of any size are unrolled.
    pub fn unroll_count(&self, private: bool) -> Option<i64> {
        let count = self.count.as_const().filter(|count| *count >= 1)?;
        if private && count <= MAX_UNROLLED_PRIVATE {
            return Some(count);
        }
        if count == 1 {
            return Some(count);
        }
        let first = self.written_in(&Nat::constant(0)).as_const()?;
        let commands: usize = self.body.iter().map(command_count).sum();
        let is_small =
            count <= MAX_UNROLLED && first <= MAX_UNROLLED_ELEMENTS && commands <= MAX_COMMANDS;
        is_small.then_some(count)
    }
}

impl Lower<'_> {
    /// Returns the sizes of the two buffers in elements, given that of the input: the first buffer
    /// is that of the iterations 0, 2, …, the second that of the iterations 1, 3, …. Where it is
    /// not proved that a smaller size is sufficient, the size is that of the other buffer or of the
    /// input.
    pub(super) fn buffer_sizes(
        &mut self,
        iterations: Option<&IterateLoop>,
        all: &Nat,
    ) -> (Nat, Nat) {
        let whole = (all.clone(), all.clone());
        let Some(iterations) = iterations else {
            return whole;
        };
        let [first, second] =
            [0, 1].map(|number| self.simplify(&iterations.written_in(&Nat::constant(number))));
        let covers = |lower: &mut Self, from: i64, size: &Nat| match iterations.count.as_const() {
            Some(count) if count <= MAX_CHECKED => (from..count).all(|number| {
                let written = iterations.written_in(&Nat::constant(number));
                lower.facts.proves(&Prop::AtLeast(size.clone(), written))
            }),
            _ => lower.within(
                iterations.counter,
                &Nat::constant(from),
                &iterations.count,
                |lower| {
                    let least = Prop::AtLeast(size.clone(), iterations.written.clone());
                    lower.facts.proves(&least)
                },
            ),
        };
        if !covers(self, 0, &first) {
            return whole;
        }
        if !covers(self, 1, &second) {
            return (first.clone(), first);
        }
        let two = Prop::AtLeast(iterations.count.clone(), Nat::constant(2));
        if self.facts.proves(&two) {
            return (first, second);
        }
        // The size for a second iteration that may not exist may be undefined.
        let second = match first.ratio(&second) {
            Some(ratio) => self.simplify(&Nat::div(&first, &ratio)),
            None => first.clone(),
        };
        (first, second)
    }
}

/// Returns the commands of a sequence, including those of nested sequences, in order.
fn commands(phrase: &Phrase) -> Vec<Phrase> {
    let mut out = Vec::new();
    let mut rest = vec![phrase.clone()];
    while let Some(phrase) = rest.pop() {
        match &phrase.form {
            Form::Primitive(Prim::Seq, _, args) => rest.extend(args.iter().rev().cloned()),
            _ => out.push(phrase),
        }
    }
    out
}

/// Returns true for `if (counter == last) { done } else { skip }`, with the operands of `==` in any
/// order.
fn is_redirection(command: &Phrase, counter: &Nat, last: &Nat, done: &Local) -> bool {
    let Form::Primitive(Prim::If, _, args) = &command.form else {
        return false;
    };
    let [condition, then, otherwise] = &args[..] else {
        return false;
    };
    let is_last = match &condition.form {
        Form::Primitive(Prim::Equal, _, sides) => match &sides[..] {
            [a, b] => {
                let is = |side: &Phrase, nat| matches!(&side.form, Form::Nat(n) if n == nat);
                is(a, counter) && is(b, last) || is(a, last) && is(b, counter)
            }
            _ => false,
        },
        _ => false,
    };
    is_last
        && matches!(&then.form, Form::Var(local) if local == done)
        && matches!(&otherwise.form, Form::Primitive(Prim::Skip, ..))
}

/// Returns true if each use of the acceptor is `takeAcc(n, acc)` with the same size `n`: the one in
/// `written`, which is set at the first use.
fn writes_prefix(phrase: &Phrase, acc: &Local, written: &mut Option<Nat>) -> bool {
    match &phrase.form {
        Form::Var(local) => local != acc,
        Form::Primitive(Prim::TakeAcc, _, args) if matches!(&args[..], [place] if matches!(&place.form, Form::Var(v) if v == acc)) =>
        {
            let Some(Type::Array(n, _)) = dpia::phrase::data(&phrase.ty).map(|ty| &**ty) else {
                return false;
            };
            *written.get_or_insert_with(|| n.clone()) == *n
        }
        form => form
            .children()
            .all(|child| writes_prefix(child, acc, written)),
    }
}

fn command_count(phrase: &Phrase) -> usize {
    let is_command = |term: &&Phrase| {
        !matches!(term.form, Form::Primitive(Prim::Skip | Prim::Seq, ..))
            && matches!(term.form, Form::Primitive(..))
            && matches!(&*term.ty, Type::Comm)
    };
    subterms(phrase).filter(is_command).count()
}
