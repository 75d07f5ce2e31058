//! Inlay hints: inferred types, implicit arguments, accesses, values and barriers.

mod strategy_files;

use std::cell::OnceCell;
use std::sync::Arc;

use db::{Database, FileId, Language, Values};
use rise::{BinderInfo, NameUse, Scheme, TermInfo, Ty, Type};
use syntax::Span;
use syntax::ast::{BinaryOp, BinderAnnotation, BinderId, Head, ItemKind, TermId, TermKind};
use syntax::lexer::lex_in;

use crate::barriers::Barriers;
use crate::flow::{AccessFlow, Flow};
use crate::item_view::View;
use crate::tree::{self, Stage};
use crate::{TextEdit, elision, free_vars};

/// The separator between the type and the access of a stage.
const SEPARATOR: &str = " · ";
/// The smallest number of characters to which a type is shortened to make room for the access.
const LEAST_TYPE: usize = 6;

/// The kinds of hints to compute, and their length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlayConfig {
    /// True for the types of `fun` parameters, `let` names, and parameters in strategy files
    /// without an annotation.
    pub parameters: bool,
    /// True for the types of definitions without an annotation.
    pub definitions: bool,
    /// True for the result types of the stages of pipelines of several lines.
    pub pipelines: bool,
    /// The detail of the accesses of the stages of such pipelines.
    pub access_flow: AccessFlow,
    /// True for the values of pipeline stages for small sizes and simple arguments.
    pub values: bool,
    /// True for the implicit arguments of names.
    pub implicits: bool,
    /// True for the accesses that the barriers of kernels order.
    pub barriers: bool,
    /// The largest length of a label in characters; longer ones are shortened.
    pub max_length: usize,
}

impl Default for InlayConfig {
    fn default() -> Self {
        InlayConfig {
            parameters: true,
            definitions: true,
            pipelines: true,
            access_flow: AccessFlow::default(),
            values: false,
            implicits: false,
            barriers: true,
            max_length: 40,
        }
    }
}

/// The kind of an inlay hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InlayKind {
    /// The type of a parameter or `let` name.
    Parameter,
    /// The type of a definition.
    Definition,
    /// The result type of a pipeline stage, and its access.
    Pipeline,
    /// The value of a pipeline stage for small sizes and simple arguments.
    Value,
    /// The accesses that a barrier of the kernel orders.
    Barrier,
    /// The implicit arguments of a name.
    Implicit,
}

/// An inlay hint: text that is shown at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// The place, as a byte offset in the file.
    pub offset: u32,
    /// The kind of the hint.
    pub kind: InlayKind,
    /// The text, of at most [`InlayConfig::max_length`] characters.
    pub label: String,
    /// The unshortened type, value or list of arguments; for a barrier, its code.
    pub tooltip: String,
    /// Further details, in Markdown.
    pub details: String,
    /// Edits that insert the hint into the program, if that is possible.
    pub insert: Option<Vec<TextEdit>>,
    /// True if a space is shown before the hint.
    pub pad_left: bool,
}

/// Returns the hints whose places are in `range` or at its ends, in the order of the text.
pub fn inlay_hints(
    db: &Database,
    file: FileId,
    range: Span,
    config: &InlayConfig,
) -> Vec<InlayHint> {
    if db.language(file) == Language::Elevate {
        return match config.parameters {
            true => strategy_files::inlay_hints(db, file, range, config.max_length),
            false => Vec::new(),
        };
    }
    let mut hints = Vec::new();
    for id in db.items_in(file, range) {
        let view = View::new(db, id);
        if !matches!(view.item().kind, ItemKind::Def { .. }) {
            continue;
        }
        let collector = Collector {
            view: &view,
            config,
            text: db.item_text(id),
            flow: OnceCell::new(),
            values: OnceCell::new(),
        };
        collector.collect(&mut hints);
    }
    hints.retain(|hint| range.touches(hint.offset));
    hints.sort_by_key(|hint| hint.offset);
    hints
}

struct Collector<'v> {
    view: &'v View<'v>,
    config: &'v InlayConfig,
    text: Arc<str>,
    flow: OnceCell<Option<Flow>>,
    values: OnceCell<Option<Arc<Values>>>,
}

impl Collector<'_> {
    fn collect(&self, out: &mut Vec<InlayHint>) {
        if self.config.definitions {
            out.extend(self.definition());
            out.extend(self.implicit_parameters());
            out.extend(self.absent_result());
            let locals = self.view.item().locals.iter();
            out.extend(locals.flat_map(|&term| self.local_definition(term)));
        }
        if self.config.parameters {
            let binders = (0..self.view.item().binders.len() as u32).map(BinderId);
            out.extend(binders.filter_map(|id| self.parameter(id)));
        }
        if self.config.pipelines || self.config.values || self.config.access_flow != AccessFlow::Off
        {
            self.pipelines(out);
        }
        if self.config.barriers {
            self.barriers(out);
        }
        if self.config.implicits {
            out.extend(
                self.view
                    .inference()
                    .uses
                    .iter()
                    .filter_map(|name| self.implicits(name)),
            );
        }
    }

    fn hint(&self, offset: u32, kind: InlayKind, label: String, tooltip: String) -> InlayHint {
        InlayHint {
            offset: self.view.base + offset,
            kind,
            label,
            tooltip,
            details: String::new(),
            insert: None,
            pad_left: false,
        }
    }

    /// Renders `: type`, with the type shortened to the limit of a label.
    fn colon(&self, ty: &str) -> String {
        format!(
            ": {}",
            elision::elide(ty, self.config.max_length.saturating_sub(2))
        )
    }

    fn edit(&self, at: u32, text: String) -> Option<Vec<TextEdit>> {
        Some(vec![TextEdit {
            span: self.view.absolute(Span::empty(at)),
            text,
        }])
    }

    fn definition(&self) -> Option<InlayHint> {
        let item = self.view.item();
        let ItemKind::Def {
            name: Some(name),
            ty: None,
            ..
        } = &item.kind
        else {
            return None;
        };
        let scheme = self.view.db.scheme(self.view.id)?;
        if free_vars::has_error(&scheme.ty) {
            return None;
        }
        let ty = rise::print::type_text(&scheme.ty, &scheme.names);
        let whole = rise::print::scheme_text(&scheme);
        let at = name.span.end;
        let mut hint = self.hint(at, InlayKind::Definition, self.colon(&ty), whole);
        if self.can_state(&scheme) {
            hint.insert = self.edit(at, format!(": {ty}"));
        }
        Some(hint)
    }

    /// Returns the hint with the implicit parameters of a definition with parameters left of `=`
    /// that it does not write.
    fn implicit_parameters(&self) -> Option<InlayHint> {
        let item = self.view.item();
        let head = item.head()?;
        let scheme = self.view.db.scheme(self.view.id)?;
        let written = head.groups.iter().take_while(|group| group.implicit);
        let written: usize = written.map(|group| group.params.len()).sum();
        let mut implicit = Vec::new();
        let mut ty = &scheme.ty;
        while let Type::Pi(pi) = &**ty
            && pi.implicit
        {
            implicit.push(format!("{}: {}", scheme.names.get(pi.var), pi.kind));
            ty = &pi.body;
        }
        implicit.truncate(implicit.len().checked_sub(written)?);
        if implicit.is_empty() || free_vars::has_error(&scheme.ty) {
            return None;
        }
        let label = format!("{{{}}}", implicit.join(", "));
        let at = head.groups.first()?.span.start;
        let mut hint = self.hint(
            at,
            InlayKind::Definition,
            elision::elide(&label, self.config.max_length),
            rise::print::scheme_text(&scheme),
        );
        if self.names_all(&implicit) {
            hint.insert = self.edit(at, label);
        }
        Some(hint)
    }

    /// Returns the hints with the implicit parameters and the result of a local definition that it
    /// does not write.
    fn local_definition(&self, term: TermId) -> Vec<InlayHint> {
        let item = self.view.item();
        let TermKind::Local { binder, head, .. } = &item.term(term).kind else {
            return Vec::new();
        };
        let BinderInfo::Value(whole) = self.view.binder_info(*binder) else {
            return Vec::new();
        };
        if free_vars::has_error(whole) {
            return Vec::new();
        }
        let names = &self.view.inference().names;
        let in_braces = head.groups.iter().filter(|group| group.implicit);
        let in_braces = in_braces.flat_map(|group| &group.params);
        let written: Vec<&str> = in_braces
            .map(|param| item.binder(param.binder).name.as_str())
            .collect();
        let mut implicit = Vec::new();
        let mut ty = whole;
        while let Type::Pi(pi) = &**ty
            && pi.implicit
        {
            let name = names.get(pi.var);
            if !written.contains(&name.as_str()) {
                implicit.push(format!("{name}: {}", pi.kind));
            }
            ty = &pi.body;
        }
        let place = head.groups.first().map(|group| group.span.start);
        let hint = place.filter(|_| !implicit.is_empty()).map(|at| {
            let label = format!("{{{}}}", implicit.join(", "));
            let label = elision::elide(&label, self.config.max_length);
            let whole = rise::print::type_text(whole, names);
            self.hint(at, InlayKind::Definition, label, whole)
        });
        hint.into_iter().chain(self.result_of(head)).collect()
    }

    /// Returns true if all implicit parameters are names that the types of the parameters write, so
    /// that they keep their meaning when they are bound explicitly.
    fn names_all(&self, implicit: &[String]) -> bool {
        let item = self.view.item();
        let names = item
            .head()
            .into_iter()
            .flat_map(|head| head.implicit.iter());
        names.filter(|&&binder| self.view.binds(binder)).count() == implicit.len()
    }

    /// Returns the hint with the type of the result that a definition with parameters left of `=`
    /// does not write.
    fn absent_result(&self) -> Option<InlayHint> {
        self.result_of(self.view.item().head()?)
    }

    fn result_of(&self, head: &Head) -> Option<InlayHint> {
        let TermInfo::Expr(ty) = self.view.info(head.value) else {
            return None;
        };
        if head.result.is_some() {
            return None;
        }
        if free_vars::has_error(ty) {
            return None;
        }
        let whole = self.known_text(ty)?;
        let at = head.groups.last()?.span.end;
        let mut hint = self.hint(at, InlayKind::Definition, self.colon(&whole), whole.clone());
        if self.view.binders_of(head.value, ty).is_some() {
            hint.insert = self.edit(at, format!(": {whole}"));
        }
        Some(hint)
    }

    /// Returns true if the type of the definition can be written down. Its names must be distinct,
    /// and different from every free name of the body, which they would shadow.
    fn can_state(&self, scheme: &Scheme) -> bool {
        let names = &scheme.names.0;
        let free = &self.view.db.header(self.view.id).free_names;
        names.iter().enumerate().all(|(index, name)| {
            !names[..index].contains(name) && free.binary_search(name).is_err()
        })
    }

    fn parameter(&self, id: BinderId) -> Option<InlayHint> {
        let item = self.view.item();
        let binder = item.binder(id);
        let BinderInfo::Value(ty) = self.view.binder_info(id) else {
            return None;
        };
        if binder.annotation != BinderAnnotation::None
            || binder.name.is_empty()
            || free_vars::has_error(ty)
        {
            return None;
        }
        let owner = self.view.parents().owner(id)?;
        if matches!(item.term(owner).kind, TermKind::Local { .. }) {
            return None;
        }
        let of_head = item.heads().flat_map(|(head, ..)| head.params());
        let has = |binder| binder == id || item.with_parts(binder).contains(&id);
        match of_head.into_iter().find(|param| has(param.binder)) {
            Some(param) if param.ty.is_some() => return None,
            Some(_) => {}
            None if self.is_stated(owner, binder.span) => return None,
            None => {}
        }
        let whole = self.known_text(ty)?;
        let mut hint = self.hint(
            binder.span.end,
            InlayKind::Parameter,
            self.colon(&whole),
            whole.clone(),
        );
        let takes_type = matches!(item.term(owner).kind, TermKind::Fun { .. });
        if takes_type && self.view.binders_of(owner, ty).is_some() {
            hint.insert = self.edit(binder.span.end, format!(": {whole}"));
        }
        Some(hint)
    }

    /// Returns true if a function is one of the outermost abstractions of a definition whose type
    /// annotation ends on the line of the parameter. The annotation then already states the types
    /// of the parameters.
    fn is_stated(&self, function: TermId, parameter: Span) -> bool {
        let item = self.view.item();
        let ItemKind::Def {
            ty: Some(ty), body, ..
        } = item.kind
        else {
            return false;
        };
        let mut at = body;
        while at != function {
            match item.term(at).kind {
                TermKind::Paren(inner) => at = inner,
                TermKind::Fun { body, .. } | TermKind::DepFun { body, .. } => at = body,
                _ => return false,
            }
        }
        let between = Span::new(self.view.span(ty).end, parameter.start);
        !self.text_of(between).contains('\n')
    }

    fn type_text(&self, ty: &Ty) -> String {
        rise::print::type_text(ty, &self.view.inference().names)
    }

    /// Returns the text of a type, or `None` if nothing in it is known, as in `_ -> _`.
    fn known_text(&self, ty: &Ty) -> Option<String> {
        let text = self.type_text(ty);
        text.chars().any(char::is_alphanumeric).then_some(text)
    }

    /// Adds the hints of the stages of pipelines; types and accesses only for a pipeline of several
    /// lines.
    fn pipelines(&self, out: &mut Vec<InlayHint>) {
        let item = self.view.item();
        for (index, term) in item.terms.iter().enumerate() {
            let id = TermId(index as u32);
            let is_pipe = matches!(
                term.kind,
                TermKind::Binary {
                    op: BinaryOp::Pipe,
                    ..
                }
            );
            let ends_here = is_pipe && tree::pipeline_of(item, self.view.parents(), id) == Some(id);
            if !ends_here {
                continue;
            }
            let stages = tree::stages(item, id);
            let several = self.several_lines(&stages);
            for stage in stages {
                let Some(at) = self.line_end(stage) else {
                    continue;
                };
                if several {
                    out.extend(self.stage(stage, at));
                }
                if self.config.values {
                    out.extend(self.value(stage, at));
                }
            }
        }
    }

    /// Returns true if the pipeline extends over several lines.
    fn several_lines(&self, stages: &[Stage]) -> bool {
        let (Some(first), Some(last)) = (stages.first(), stages.last()) else {
            return false;
        };
        let start = self.view.span(first.written).end as usize;
        let end = self.view.span(last.written).start as usize;
        self.text
            .get(start..end)
            .is_some_and(|between| between.contains('\n'))
            || stages
                .iter()
                .any(|stage| self.text_of(self.view.span(stage.written)).contains('\n'))
    }

    fn text_of(&self, span: Span) -> &str {
        self.text.get(std::ops::Range::from(span)).unwrap_or("")
    }

    /// Returns the place of the hints of a stage after which only closing parentheses, commas, the
    /// next `|>` and a comment follow on its line, and `None` for another stage. The place is after
    /// these, but before the comment, so that no hint comes between brackets. The hints of inner
    /// pipelines come first.
    fn line_end(&self, stage: Stage) -> Option<u32> {
        let end = self.view.span(stage.written).end;
        let line = self.text.get(end as usize..)?.lines().next().unwrap_or("");
        let mut rest = line.trim_start();
        let mut at = end;
        if let Some(after) = rest.strip_prefix("|>") {
            at = end + (line.len() - after.len()) as u32;
            rest = after.trim_start();
        }
        let behind = rest.trim_start_matches([')', ',', ' ', '\t', '\r']);
        let closing = rest[..rest.len() - behind.len()].trim_end();
        if !closing.is_empty() {
            at = end + (line.len() - rest.len() + closing.len()) as u32;
        }
        let ends = behind.is_empty() || behind.starts_with("//") || behind.starts_with("/*");
        ends.then_some(at)
    }

    /// Returns the hint with the result type of a stage and its access, as far as they are enabled;
    /// `None` if the type is not known, if there is nothing to show, and for a first stage that is
    /// a name.
    fn stage(&self, stage: Stage, at: u32) -> Option<InlayHint> {
        if matches!(self.view.item().term(stage.written).kind, TermKind::Name(_))
            && stage.written == stage.result
        {
            return None;
        }
        let ty = self
            .view
            .type_of(stage.result)
            .filter(|ty| !free_vars::has_error(ty))?;
        let whole = self.known_text(ty)?;
        let (accesses, details) = self.access(stage).unwrap_or_default();
        let label = self.stage_label(&whole, &accesses)?;
        Some(InlayHint {
            pad_left: true,
            details,
            ..self.hint(at, InlayKind::Pipeline, label, whole)
        })
    }

    /// Combines the type and the access of a stage, as far as they are enabled and fit. `accesses`
    /// are the forms of the access, the longest first; the first one is used that fits together
    /// with a shortened type, and none if not even the last one does. Returns `None` if types are
    /// not enabled and there is no access.
    fn stage_label(&self, ty: &str, accesses: &[String]) -> Option<String> {
        let max = self.config.max_length;
        let length = |text: &str| text.chars().count();
        if !self.config.pipelines {
            let fitting = accesses.iter().find(|access| length(access) <= max);
            let shown = fitting.or(accesses.last())?;
            return Some(elision::cut(shown, max));
        }
        let least = length(ty).min(LEAST_TYPE);
        let room = |access: &str| max.checked_sub(length(access) + length(SEPARATOR));
        let fitting = accesses.iter().find_map(|access| {
            let room = room(access).filter(|room| *room >= least)?;
            Some(format!("{}{SEPARATOR}{access}", elision::elide(ty, room)))
        });
        Some(fitting.unwrap_or_else(|| elision::elide(ty, max)))
    }

    /// Describes the access of a stage, as labels from long to short and as a sentence; `None` if
    /// accesses are not enabled or nothing is known of it.
    fn access(&self, stage: Stage) -> Option<(Vec<String>, String)> {
        if self.config.access_flow == AccessFlow::Off {
            return None;
        }
        let flow = self
            .flow
            .get_or_init(|| Flow::of(self.view.db, self.view.id));
        let flow = flow.as_ref()?;
        let fact = flow
            .at(self.result_span(stage), self.name_span(stage))
            .or_else(|| {
                let body = self.body(stage)?;
                flow.at(self.result_span(body), self.name_span(body))
            })?;
        let mut labels = Vec::new();
        for length in [self.config.access_flow, AccessFlow::Compact] {
            labels.extend(flow.label(fact, length));
        }
        Some((labels, flow.sentence(fact)))
    }

    /// Returns the range of the expression that a stage computes.
    fn result_span(&self, stage: Stage) -> Span {
        let item = self.view.item();
        self.view.span(tree::unparen(item, stage.result))
    }

    /// Returns the last stage in the body of a stage that is an abstraction: the translation
    /// replaces the stage by that body.
    fn body(&self, stage: Stage) -> Option<Stage> {
        let item = self.view.item();
        let mut term = tree::unparen(item, stage.written);
        let TermKind::Fun { body, .. } = &item.term(term).kind else {
            return None;
        };
        term = tree::unparen(item, *body);
        while let TermKind::Let { body, .. }
        | TermKind::Local { body, .. }
        | TermKind::LetSize { body, .. } = &item.term(term).kind
        {
            term = tree::unparen(item, *body);
        }
        tree::stages(item, term).pop()
    }

    /// Returns the range of the name of the stage's function.
    fn name_span(&self, stage: Stage) -> Span {
        let item = self.view.item();
        self.view.span(tree::callee(item, stage.written))
    }

    /// Returns the hint with the value of a stage for small sizes and simple arguments.
    fn value(&self, stage: Stage, at: u32) -> Option<InlayHint> {
        let values = self
            .values
            .get_or_init(|| self.view.db.values(self.view.id));
        let values = values.as_ref()?;
        let value = values.at(self.result_span(stage))?;
        let room = self.config.max_length.saturating_sub(2);
        let label = format!("= {}", elision::value(value, room));
        let sizes = values
            .sizes
            .iter()
            .map(|(name, size)| format!("{name} = {size}"));
        let args = values
            .args
            .iter()
            .map(|(name, value)| format!("{name} = {value}"));
        let given: Vec<String> = sizes.chain(args).collect();
        let details = match given.is_empty() {
            true => String::new(),
            false => format!(
                "The first value here, with\n\n```text\n{}\n```",
                given.join("\n")
            ),
        };
        Some(InlayHint {
            pad_left: true,
            details,
            ..self.hint(at, InlayKind::Value, label, value.to_owned())
        })
    }

    /// Adds a hint for each barrier of the kernels, with all accesses that the barrier orders. It
    /// is at the end of the line of the first access in the definition that waits at the barrier.
    fn barriers(&self, out: &mut Vec<InlayHint>) {
        let (db, item) = (self.view.db, self.view.id);
        let Some(target) = db.targets(item).with_work_items() else {
            return;
        };
        let (Ok(program), Ok(module)) = (db.imperative(item, target), db.module(item, target))
        else {
            return;
        };
        let known = Barriers::new(db, item, &program.origins);
        let start = out.len();
        for barrier in &module.barriers {
            let code = module.text.get(barrier.range.clone()).unwrap_or("");
            let waits = known.waits(barrier);
            // An access in another definition has its hint there.
            let Some(first) = waits.iter().find(|wait| wait.item == item) else {
                continue;
            };
            let Some(at) = self.code_end(first.head) else {
                continue;
            };
            let fits = |label: &&String| label.chars().count() <= self.config.max_length;
            let label = first.labels.iter().find(fits).unwrap_or(&first.labels[2]);
            let label = elision::cut(label, self.config.max_length);
            let sentences = waits.iter().map(|wait| format!("- {}", wait.sentence));
            let details: Vec<String> = sentences.collect();
            let hint = InlayHint {
                pad_left: true,
                details: format!("This barrier\n{}", details.join("\n")),
                ..self.hint(at, InlayKind::Barrier, label, code.trim().to_owned())
            };
            // An unrolled loop contains the same barrier several times.
            if !out[start..].contains(&hint) {
                out.push(hint);
            }
        }
    }

    /// Returns the end of the code on the line of a word, before a comment.
    fn code_end(&self, word: Span) -> Option<u32> {
        let rest = self.text.get(word.end as usize..)?;
        let line = rest.split(['\n', '\r']).next().unwrap_or("");
        let tokens = lex_in(line, self.view.dialect()).filter(|token| !token.kind.is_comment());
        let end = tokens.map(|token| token.span.end).last().unwrap_or(0);
        let code = line.get(..end as usize)?.trim_end();
        Some(word.end + code.len() as u32)
    }

    fn implicits(&self, name: &NameUse) -> Option<InlayHint> {
        if name.implicits.is_empty() {
            return None;
        }
        let names = &self.view.inference().names;
        let args: Vec<String> = name
            .implicits
            .iter()
            .map(|(param, arg)| format!("{param} = {}", rise::print::arg_text(arg, names)))
            .collect();
        let whole = format!("{{{}}}", args.join(", "));
        let label = elision::elide_list(&args, self.config.max_length);
        Some(self.hint(
            self.view.span(name.term).end,
            InlayKind::Implicit,
            label,
            whole,
        ))
    }
}

#[cfg(test)]
mod tests;
