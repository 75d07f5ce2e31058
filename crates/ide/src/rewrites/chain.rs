//! Updates of pipelines and compositions: the stages that are kept, and the text of new ones.

use rise::core::{Form, Language, Notation};
use rise::{Primitive, Type};
use syntax::Span;
use syntax::ast::{BinaryOp, TermId, TermKind};

use super::precedence::Level;
use super::restyle::{Annotations, Restyle};
use super::terms::{Core, is_function, strip, uses};

/// A stage of a pipeline or composition in the source text.
#[derive(Clone, Copy)]
struct Stage {
    term: TermId,
    /// The operator before it, with its range; `None` for the first stage of a composition.
    op: Option<(BinaryOp, Span)>,
}

/// A pipeline or composition in the source text.
struct Chain {
    /// The input of the pipeline; `None` for a composition.
    base: Option<TermId>,
    stages: Vec<Stage>,
}

/// The whitespace around an operator.
#[derive(Clone)]
struct Layout<'a> {
    op: BinaryOp,
    before: String,
    after: String,
    /// The indentation of the line on which the stage begins.
    indent: &'a str,
}

/// A run of stages that is replaced, as `[a, b, c, d]`: the new stages `c..d` replace the old
/// stages `a..b`.
type Run = [usize; 4];

impl<'a> Restyle<'a> {
    fn chain(&self, id: TermId) -> Chain {
        let mut stages = Vec::new();
        let mut at = id;
        while let TermKind::Binary {
            op: BinaryOp::Pipe,
            op_span,
            lhs,
            rhs,
        } = self.item.term(at).kind
        {
            let mut composed = self.composed(rhs);
            if let Some(first) = composed.first_mut() {
                first.op = Some((BinaryOp::Pipe, op_span));
            }
            stages.extend(composed.into_iter().rev());
            at = lhs;
        }
        if at == id {
            return Chain {
                base: None,
                stages: self.composed(id),
            };
        }
        stages.reverse();
        Chain {
            base: Some(at),
            stages,
        }
    }

    /// Returns the operands of `a >> b >> c`, or the term itself.
    fn composed(&self, id: TermId) -> Vec<Stage> {
        let mut stages = Vec::new();
        let mut at = id;
        while let TermKind::Binary {
            op: BinaryOp::Then,
            op_span,
            lhs,
            rhs,
        } = self.item.term(at).kind
        {
            stages.push(Stage {
                term: rhs,
                op: Some((BinaryOp::Then, op_span)),
            });
            at = lhs;
        }
        stages.push(Stage { term: at, op: None });
        stages.reverse();
        stages
    }

    /// Updates the stages of `x |> f |> g` or `f >> g` that differ; returns false if the new term
    /// cannot be written in this form.
    pub(super) fn update_chain(&mut self, id: TermId, new: &Core) -> bool {
        let old = self.chain(id);
        let new_chain = match old.base {
            Some(base) => self.pipeline(base, &old, new),
            None => match self.composition(new) {
                Some(stages) => (None, stages),
                None => return false,
            },
        };
        let (base, stages) = new_chain;
        let is_let = |base: &Core| matches!(base.form, Form::Primitive(Primitive::Let, ..));
        if stages.is_empty() && base.as_ref().is_some_and(is_let) {
            // A `let` in front of further stages would need parentheses.
            return false;
        }
        if let (Some(term), Some(base)) = (old.base, &base) {
            self.update(term, base);
        }
        let runs = self.runs(&old, &stages);
        for run in runs {
            self.update_run(&old, &stages, run);
        }
        true
    }

    /// Returns the input of a new pipeline, and its stages in order.
    fn pipeline(&mut self, base: TermId, old: &Chain, new: &Core) -> (Option<Core>, Vec<Core>) {
        let (all, bases) = self.unwound(new, old);
        // Ends at the input of the old pipeline, if it still occurs.
        let kept = bases.iter().rposition(|candidate| {
            candidate
                .as_ref()
                .is_some_and(|candidate| self.is_unchanged(base, candidate))
        });
        let mut count = kept.unwrap_or_else(|| {
            let is_old = |core: &Core, restyle: &mut Self| {
                old.stages
                    .iter()
                    .any(|stage| restyle.is_unchanged(stage.term, core))
            };
            // An application that is written as a call of several values, `zip(a)(b)`, ends the
            // chain.
            let reads =
                |stage: &&Core, restyle: &mut Self| is_stage(stage) || is_old(stage, restyle);
            let chained = all.iter().take_while(|stage| reads(stage, self)).count();
            let last = all[..chained]
                .iter()
                .rposition(|stage| is_old(stage, self))
                .map_or(0, |at| at + 1);
            let natural = all.iter().take_while(|stage| is_pattern(stage)).count();
            last.max(natural)
        });
        // The stages of a composition are not separated.
        while bases.get(count).is_some_and(Option::is_none) {
            count += 1;
        }
        let mut stages = all[..count].to_vec();
        stages.reverse();
        (bases.get(count).cloned().flatten(), stages)
    }

    /// Returns the functions that a term applies, from the outside in, and for each number of them
    /// the term that remains without them, which is `None` between the stages of a composition.
    fn unwound(&mut self, new: &Core, old: &Chain) -> (Vec<Core>, Vec<Option<Core>>) {
        let (mut stages, mut bases) = (Vec::new(), vec![Some(new.clone())]);
        let mut at = new.clone();
        while let Some((f, x)) = strip(&at) {
            let is_old = old
                .stages
                .iter()
                .any(|stage| self.is_unchanged(stage.term, &f));
            match self.linear(&f).filter(|_| !is_old) {
                Some(inner) => {
                    // Between the stages of a composition there is no argument.
                    bases.extend(std::iter::repeat_n(None, inner.len() - 1));
                    bases.push(Some(x.clone()));
                    stages.extend(inner);
                }
                None => {
                    stages.push(f);
                    bases.push(Some(x.clone()));
                }
            }
            at = x;
        }
        (stages, bases)
    }

    /// Returns the functions that an abstraction applies one after the other to its parameter, the
    /// last one first. Returns `None` if it does anything else, or uses the parameter several
    /// times.
    fn linear(&self, function: &Core) -> Option<Vec<Core>> {
        let Form::Lambda(param, body) = &function.form else {
            return None;
        };
        if uses(body, &param.local) != 1 {
            return None;
        }
        let mut stages = Vec::new();
        let mut at = body.clone();
        loop {
            if matches!(&at.form, Form::Var(local) if *local == param.local) {
                return (!stages.is_empty()).then_some(stages);
            }
            let (f, x) = strip(&at)?;
            match self.linear(&f) {
                Some(inner) => stages.extend(inner),
                None => stages.push(f),
            }
            at = x;
        }
    }

    /// Returns the stages of a new composition in order; for a function that is no abstraction,
    /// this one only. Returns `None` if an abstraction is no composition, or a stage cannot be
    /// written.
    fn composition(&mut self, new: &Core) -> Option<Vec<Core>> {
        let Some(mut stages) = self.linear(new) else {
            return (!matches!(new.form, Form::Lambda(..))).then(|| vec![new.clone()]);
        };
        stages.reverse();
        let fits = stages
            .iter()
            .all(|stage| is_stage(stage) || self.is_known(stage));
        fits.then_some(stages)
    }

    /// Returns the stages, in order, of a function that is a composition of two or more others.
    pub(super) fn as_composition(&mut self, function: &Core) -> Option<Vec<Core>> {
        let mut stages = self.linear(function)?;
        stages.reverse();
        let mut fits = |stage: &Core| is_stage(stage) || self.is_known(stage);
        (stages.len() > 1 && stages.iter().all(&mut fits)).then_some(stages)
    }

    /// Returns `f` for the function `fun(x => f(x))`, if `f` can be written as a stage and the
    /// options neither compare terms exactly nor require type annotations.
    pub(super) fn as_other(&self, function: &Core) -> Option<Core> {
        if self.options.exact || self.options.annotations > Annotations::None {
            return None;
        }
        match &self.linear(function)?[..] {
            [only] if is_stage(only) => Some(only.clone()),
            _ => None,
        }
    }

    // ----- differences -----

    fn runs(&mut self, old: &Chain, new: &[Core]) -> Vec<Run> {
        let (m, k) = (old.stages.len(), new.len());
        let mut same = vec![false; m * k];
        for (i, stage) in old.stages.iter().enumerate() {
            for (j, core) in new.iter().enumerate() {
                same[i * k + j] = self.is_unchanged(stage.term, core);
            }
        }
        let at = |i: usize, j: usize| i * (k + 1) + j;
        let mut longest = vec![0u32; (m + 1) * (k + 1)];
        for i in (0..m).rev() {
            for j in (0..k).rev() {
                longest[at(i, j)] = match same[i * k + j] {
                    true => longest[at(i + 1, j + 1)] + 1,
                    false => longest[at(i + 1, j)].max(longest[at(i, j + 1)]),
                };
            }
        }
        let mut runs: Vec<Run> = Vec::new();
        let (mut i, mut j) = (0, 0);
        let mut open: Option<[usize; 2]> = None;
        while i < m || j < k {
            if i < m && j < k && same[i * k + j] {
                runs.extend(open.take().map(|[a, c]| [a, i, c, j]));
                (i, j) = (i + 1, j + 1);
                continue;
            }
            open.get_or_insert([i, j]);
            let down = i < m && (j == k || longest[at(i + 1, j)] >= longest[at(i, j + 1)]);
            match down {
                true => i += 1,
                false => j += 1,
            }
        }
        runs.extend(open.map(|[a, c]| [a, m, c, k]));
        runs
    }

    fn update_run(&mut self, old: &Chain, new: &[Core], [a, b, c, d]: Run) {
        let (gone, come) = (&old.stages[a..b], &new[c..d]);
        let pairwise = gone.len() == come.len()
            && gone
                .iter()
                .zip(come)
                .all(|(stage, core)| self.is_similar(stage.term, core));
        if pairwise {
            for (stage, core) in gone.iter().zip(come) {
                self.update(stage.term, core);
            }
            return;
        }
        if come.is_empty() {
            return self.remove(old, a, b);
        }
        let first = self.layout(old, a);
        let next = match b > a && a + 1 < old.stages.len() {
            true => self.layout(old, a + 1),
            false => first.clone(),
        };
        let mut text = String::new();
        for (at, core) in come.iter().enumerate() {
            let layout = if at == 0 { &first } else { &next };
            if at > 0 || gone.is_empty() {
                text.push_str(&layout.before);
            }
            // The operator before the first stage is kept; the first stage of a composition has
            // none.
            let bare = at == 0 && (!gone.is_empty() || (a == 0 && old.base.is_none()));
            if !bare {
                text.push_str(layout.op.as_str());
                text.push_str(&layout.after);
            }
            let stage = self.text(core, Level::Or, layout.indent);
            text.push_str(&stage);
        }
        let span = match (gone.first(), gone.last()) {
            (Some(first), Some(last)) => Span::new(self.start(first.term), self.end(last.term)),
            _ => Span::empty(self.end_before(old, a)),
        };
        if gone.is_empty() && a == 0 && old.base.is_none() {
            // Before all others: the operator comes after the new stages.
            let text = format!("{} {} ", text.trim_start(), BinaryOp::Then.as_str());
            let start = old.stages.first().map_or(0, |stage| self.start(stage.term));
            return self.edit(Span::empty(start), text);
        }
        self.edit(span, text);
    }

    fn remove(&mut self, old: &Chain, a: usize, b: usize) {
        let Some(last) = old.stages[a..b].last() else {
            return;
        };
        let (from, to) = match (a, old.base, old.stages.get(b)) {
            (0, None, Some(next)) => (self.start(old.stages[0].term), self.start(next.term)),
            _ => (self.end_before(old, a), self.end(last.term)),
        };
        self.edit(Span::new(from, to), String::new());
    }

    fn start(&self, term: TermId) -> u32 {
        self.item.term(term).span.start
    }

    fn end(&self, term: TermId) -> u32 {
        self.item.term(term).span.end
    }

    /// Returns the end of the stage or input before a stage; for the first stage of a composition,
    /// the start of that stage.
    fn end_before(&self, chain: &Chain, stage: usize) -> u32 {
        match (stage.checked_sub(1).map(|at| chain.stages[at]), chain.base) {
            (Some(before), _) => self.end(before.term),
            (None, Some(base)) => self.end(base),
            (None, None) => chain
                .stages
                .first()
                .map_or(0, |first| self.start(first.term)),
        }
    }

    /// Returns the layout of a stage relative to the one before it; a stage after the last one is
    /// laid out like that one.
    fn layout(&self, chain: &Chain, stage: usize) -> Layout<'a> {
        let at = stage.min(chain.stages.len().saturating_sub(1));
        let plain = Layout {
            op: if chain.base.is_some() {
                BinaryOp::Pipe
            } else {
                BinaryOp::Then
            },
            before: " ".into(),
            after: " ".into(),
            indent: self.indent,
        };
        let Some(model) = chain.stages.get(at) else {
            return plain;
        };
        let indent = self.indent_at(self.start(model.term));
        let Some((op, place)) = model.op else {
            // Like the next one.
            return match chain.stages.len() > at + 1 && stage <= at {
                true => self.layout(chain, at + 1),
                false => Layout { indent, ..plain },
            };
        };
        let before = Span::new(self.end_before(chain, at), place.start);
        let after = Span::new(place.end, self.start(model.term));
        Layout {
            op,
            before: self.space(before, place.start),
            after: self.space(after, self.start(model.term)),
            indent,
        }
    }

    /// Returns a line break with the indentation of the following line if the gap contains one, and
    /// otherwise a blank.
    fn space(&self, gap: Span, next: u32) -> String {
        match self.slice(gap).contains('\n') {
            true => format!("\n{}", self.indent_at(next)),
            false => " ".to_owned(),
        }
    }
}

/// Returns true if a function can be written as a stage of a composition.
fn is_stage(function: &Core) -> bool {
    match &function.form {
        Form::Lambda(..) | Form::Var(_) | Form::Global(..) | Form::DepApply(..) => {
            is_function(&function.ty)
        }
        _ => is_pattern(function),
    }
}

/// Returns true if a function is a primitive that only lacks its last argument, and that programs
/// write as a stage of a pipeline.
pub(super) fn is_pattern(function: &Core) -> bool {
    let waits = matches!(&*function.ty, Type::Fun(_, result) if !is_function(result));
    waits
        && match &function.form {
            Form::Primitive(p, ..) => matches!(p.notation(), Notation::Pipe(_)),
            _ => false,
        }
}
