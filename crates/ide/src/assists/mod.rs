//! Code actions.
//!
//! Each assist has a file of its own, whose documentation has an example that is also its test, and
//! a line in [`ALL`].

mod applications;
mod apply_fixes;
mod diagnostic_fix;
mod edits;
mod enter_sizes;
mod extract_definition;
mod hint_fix;
mod import_name;
mod library_rewrite;
mod lowered_copy;
mod make_size_tunable;
mod name_strategy;
mod remove_idle_stages;
mod reorder_loops;
mod run_strategy;
mod separate_convolution;
mod strategy_file_rule;
mod undo_rewrite;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::sync::Arc;

use db::{Database, FileId, ItemId};
use syntax::{Diagnostic, Dialect, Span};

use crate::diagnostics::item_diagnostics;
use crate::item_view::def_name;
use crate::rewrites::{self, AssistKind, RewriteAction};
use crate::strategies::stepping::{self, Stepping, stepped};
use crate::{FileDiagnostic, FileRange, SourceEdits};

pub use lowered_copy::{lowered_copy, lowers};
pub use reorder_loops::NestLoop;
pub use undo_rewrite::{RewriteExplanation, UndoableRewrite, explain_rewrite};

/// All assists, in the order of the menu.
const ALL: &[AssistHandler] = &[
    diagnostic_fix::HANDLER,
    hint_fix::HANDLER,
    import_name::HANDLER,
    name_strategy::HANDLER,
    undo_rewrite::HANDLER,
    strategy_file_rule::HANDLER,
    run_strategy::HANDLER,
    library_rewrite::HANDLER,
    extract_definition::HANDLER,
    remove_idle_stages::HANDLER,
    apply_fixes::HANDLER,
    separate_convolution::HANDLER,
    make_size_tunable::HANDLER,
    lowered_copy::HANDLER,
    reorder_loops::HANDLER,
    enter_sizes::HANDLER,
];

/// An entry of [`ALL`].
struct AssistHandler {
    /// The name of its file without the extension. It is the beginning of the ids of its code
    /// actions.
    name: &'static str,
    kinds: &'static [AssistKind],
    /// Returns the code actions at a place, with ids that are unique among them.
    offer: fn(&AssistContext<'_>) -> Vec<Assist>,
}

/// A code action.
pub struct Assist {
    /// The identifier among the code actions at a range of a version of a document.
    pub id: String,
    /// The title in the menu.
    pub title: String,
    /// The category.
    pub kind: AssistKind,
    /// True if it is the most plausible choice, which editors may apply without a menu.
    pub preferred: bool,
    /// The diagnostic that it fixes, if it is a fix of one.
    pub diagnostic: Option<FileDiagnostic>,
    /// The definition that it rewrites, if the rewrite can be undone afterwards.
    pub item: Option<ItemId>,
    /// The effect of choosing it.
    pub effect: AssistEffect,
}

/// The effect of a code action that is chosen.
pub enum AssistEffect {
    /// The change of files that this function computes.
    Edit(EditFn),
    /// A question of the client for the arguments of a strategy, which it then applies.
    Prompt(Prompt),
    /// None: the code action cannot be chosen, for this reason.
    Disabled(String),
}

/// A function that computes the changes of a code action, or fails with a message.
pub type EditFn = Box<dyn Fn(&Database) -> Result<AssistEdits, String>>;

/// The changes of a code action.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistEdits {
    /// The changes to files.
    pub edits: SourceEdits,
    /// The strategy that makes the same changes when it is applied to the whole definition; `None`
    /// if there is none, or if its text refers to definitions of another file than the program's.
    pub step: Option<String>,
}

impl From<SourceEdits> for AssistEdits {
    fn from(edits: SourceEdits) -> AssistEdits {
        AssistEdits { edits, step: None }
    }
}

/// The input that a strategy needs before it can be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The name of the definition that it is applied to.
    pub def: String,
    /// The file whose definitions the strategy uses; if `None`, the file of the program.
    pub from: Option<FileId>,
    /// The source text of the strategy with the parameters in braces: `splitJoin({n})`.
    pub strategy: String,
    /// The parameters with their types.
    pub parameters: Vec<(String, String)>,
    /// The loops of the nest, the outermost first, if a parameter is a loop order.
    pub loops: Vec<NestLoop>,
}

impl AssistEffect {
    fn edit<E: Into<AssistEdits>>(
        edit: impl Fn(&Database) -> Result<E, String> + 'static,
    ) -> AssistEffect {
        AssistEffect::Edit(Box::new(move |db| edit(db).map(E::into)))
    }

    /// Returns the effect that applies a strategy to a definition; `text` is the strategy, and
    /// refers to the definitions of the file `from`.
    fn strategy(item: ItemId, from: FileId, text: String) -> AssistEffect {
        AssistEffect::edit(move |db| {
            Ok(AssistEdits {
                edits: by_strategy(db, item, from, &text)?,
                step: (from == db.file_of(item)).then(|| text.clone()),
            })
        })
    }
}

impl Prompt {
    fn new(
        db: &Database,
        item: ItemId,
        from: Option<FileId>,
        strategy: String,
        parameters: Vec<(String, String)>,
    ) -> Prompt {
        Prompt {
            def: def_name(db, item).unwrap_or_default(),
            from,
            strategy,
            parameters,
            loops: Vec::new(),
        }
    }
}

impl Assist {
    fn new(id: impl Into<String>, kind: AssistKind, title: String, effect: AssistEffect) -> Assist {
        Assist {
            id: id.into(),
            title,
            kind,
            preferred: false,
            diagnostic: None,
            item: None,
            effect,
        }
    }

    fn of_item(self, item: ItemId) -> Assist {
        Assist {
            item: Some(item),
            ..self
        }
    }

    /// Returns the reason why it cannot be chosen; `None` if it can.
    pub fn disabled(&self) -> Option<&str> {
        match &self.effect {
            AssistEffect::Disabled(reason) => Some(reason),
            AssistEffect::Edit(_) | AssistEffect::Prompt(_) => None,
        }
    }

    /// Computes its changes.
    ///
    /// # Errors
    /// Fails with a message if the changes cannot be made, if the code action needs arguments, or
    /// if it cannot be chosen.
    pub fn edits(&self, db: &Database) -> Result<AssistEdits, String> {
        match &self.effect {
            AssistEffect::Edit(edit) => edit(db),
            AssistEffect::Prompt(_) => Err("the action needs arguments".to_owned()),
            AssistEffect::Disabled(reason) => Err(reason.clone()),
        }
    }

    /// Returns true if this rewrite is not needed beside a quick fix: both have the same title up
    /// to the first colon, as in `Store in Local memory: 4 kB of 48 kB`, and the fix can be chosen,
    /// or this rewrite cannot.
    fn repeats(&self, fix: &Assist) -> bool {
        let stem = |assist: &Assist| assist.title.split(':').next().map(str::to_owned);
        stem(self) == stem(fix) && (fix.disabled().is_none() || self.disabled().is_some())
    }
}

/// A request for code actions.
#[derive(Clone, Copy)]
pub struct AssistRequest<'r> {
    /// The range in the editor.
    pub range: FileRange,
    /// The range without whitespace at its ends, which editors include when they select words.
    pub selection: Span,
    /// The requested kinds; all if it is `None`.
    pub only: Option<&'r [AssistKind]>,
    /// True if the client can ask the user for arguments.
    pub prompts: bool,
    /// The rewrites that were made, the latest last.
    pub undoable: &'r [UndoableRewrite],
    /// The performance hints that are known, by definition.
    pub hints: &'r [(ItemId, Arc<[Diagnostic]>)],
}

/// A request with what several assists compute.
struct AssistContext<'r> {
    db: &'r Database,
    request: AssistRequest<'r>,
    /// The id of the only code action that is needed, without the name of its handler.
    resolved: Option<&'r str>,
    definition: OnceCell<Option<ItemId>>,
    rewrites: OnceCell<Vec<RewriteAction>>,
    diagnostics: OnceCell<Vec<(ItemId, FileDiagnostic)>>,
    applications: OnceCell<Option<applications::Applications>>,
}

impl<'r> AssistContext<'r> {
    fn new(db: &'r Database, request: AssistRequest<'r>, resolved: Option<&'r str>) -> Self {
        AssistContext {
            db,
            request,
            resolved,
            definition: OnceCell::new(),
            rewrites: OnceCell::new(),
            diagnostics: OnceCell::new(),
            applications: OnceCell::new(),
        }
    }

    fn wants(&self, kind: AssistKind) -> bool {
        self.request.only.is_none_or(|only| only.contains(&kind))
    }

    /// Returns the selection, for rewrites.
    fn place(&self) -> FileRange {
        FileRange {
            file: self.request.range.file,
            span: self.request.selection,
        }
    }

    /// Returns the only item that the selection touches, if it is a definition of RISE without
    /// errors; `None` for a foreign definition.
    fn definition(&self) -> Option<ItemId> {
        *self.definition.get_or_init(|| {
            let FileRange { file, span } = self.place();
            let items = self.db.items_in(file, span);
            let [item] = items[..] else { return None };
            let is_program = self.db.dialect(file) == Dialect::Rise;
            (is_program && rewrites::right_side(self.db, item).is_some()).then_some(item)
        })
    }

    /// Returns the rewrites of the library for the selection, of the requested kinds, including
    /// those that cannot be chosen. For a client that can ask for arguments, a rewrite is included
    /// with only one size.
    fn rewrites(&self) -> &[RewriteAction] {
        self.rewrites.get_or_init(|| {
            let mut found = rewrites::rewrites(self.db, self.place(), &|kind| self.wants(kind));
            // A client that asks for a size needs only one action for all sizes.
            found.retain(|action| !(self.request.prompts && action.is_other_size));
            found
        })
    }

    /// Returns the diagnostics that overlap the range or touch its ends, with their items.
    fn diagnostics(&self) -> &[(ItemId, FileDiagnostic)] {
        self.diagnostics.get_or_init(|| {
            let FileRange { file, span } = self.request.range;
            let meets = |found: &FileDiagnostic| {
                found.span.start <= span.end && span.start <= found.span.end
            };
            let items = self.db.items_in(file, span);
            let found = items.into_iter().flat_map(|item| {
                let found = item_diagnostics(self.db, item, &self.db.item_diagnostics(item));
                found.into_iter().map(move |found| (item, found))
            });
            found.filter(|(_, found)| meets(found)).collect()
        })
    }

    /// Returns the terms around the selection; `None` if there is no definition of RISE without
    /// errors.
    fn applications(&self) -> Option<&applications::Applications> {
        let found = self.applications.get_or_init(|| {
            applications::Applications::of(self.db, self.definition()?, self.place())
        });
        found.as_ref()
    }
}

/// Returns the code actions at a range, first those that fix diagnostics, and then the others in
/// the order of the menu. Rewrites that repeat a fix are left out.
pub fn assists(db: &Database, request: AssistRequest<'_>) -> Vec<Assist> {
    let cx = AssistContext::new(db, request, None);
    let wanted = ALL
        .iter()
        .filter(|handler| handler.kinds.iter().any(|kind| cx.wants(*kind)));
    let (mut found, rewrites): (Vec<Assist>, Vec<Assist>) = wanted
        .flat_map(|handler| offered(handler, &cx))
        .partition(|assist| assist.diagnostic.is_some());
    for rewrite in rewrites {
        let is_fix = |fix: &Assist| fix.diagnostic.is_some() && rewrite.repeats(fix);
        if !found.iter().any(is_fix) {
            found.push(rewrite);
        }
    }
    found
}

/// Returns the code action with this id at a range of the same text. Only the assist that offered
/// it is asked, for the kinds that it has.
pub fn resolve_assist(db: &Database, request: AssistRequest<'_>, id: &str) -> Option<Assist> {
    let (name, resolved) = id.split_once(':')?;
    let handler = ALL.iter().find(|handler| handler.name == name)?;
    let request = AssistRequest {
        only: Some(handler.kinds),
        prompts: false,
        ..request
    };
    let cx = AssistContext::new(db, request, Some(resolved));
    offered(handler, &cx).find(|assist| assist.id == id)
}

fn offered(handler: &AssistHandler, cx: &AssistContext<'_>) -> impl Iterator<Item = Assist> {
    let found = (handler.offer)(cx).into_iter();
    found.map(move |assist| Assist {
        id: format!("{}:{}", handler.name, assist.id),
        ..assist
    })
}

/// Returns the edits that a strategy makes in a definition; `text` is the strategy, and refers to
/// the definitions of the file `from`.
///
/// # Errors
/// Fails with a message if the strategy fails, has errors or changes nothing, or if its result
/// cannot be written as text.
fn by_strategy(
    db: &Database,
    item: ItemId,
    from: FileId,
    text: &str,
) -> Result<SourceEdits, String> {
    let made = stepped(db, item, from, text, Stepping::default())?;
    if let Some((message, _)) = made.failure {
        return Err(message);
    }
    let edits = made.edits?;
    match stepping::is_empty(&edits) {
        true => Err(stepping::UNCHANGED.to_owned()),
        false => Ok(edits),
    }
}
