//! The view of one item that the features share, with name resolution.

pub(crate) mod strategy_files;

use std::cell::OnceCell;
use std::sync::Arc;

use db::{Binding, Database, Declaration, FileId, ItemId, Language};
use nat::Var;
use rise::{BinderInfo, Inference, TermInfo, Ty};
use syntax::ast::{Annotation, BinderId, Item, ItemKind, Term, TermId, TermKind};
use syntax::lexer::{TokenKind, lex_in};
use syntax::{Dialect, GlobalId, Parsed, Span};

use crate::builtin::Builtin;
use crate::tree::{self, Parents, Scope};
use crate::{FilePosition, FileRange, free_vars, markdown, token};

/// The names of the functions that size expressions can call.
pub(crate) const SIZE_FUNCTIONS: [&str; 5] = ["ceilDiv", "log2", "max", "min", "sum"];

/// The referent of a name in any language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    /// A name that is bound inside an item of a program.
    Binder(ItemId, BinderId),
    /// The index of the `sum(i, …)` at this term.
    SumIndex(ItemId, TermId),
    /// The name that is bound at this place of an item of a strategy file.
    Place(ItemId, Span),
    Def(ItemId),
    /// A definition of the strategy library.
    Library(GlobalId),
    Primitive(Builtin),
}

/// An occurrence of a resolved name in an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// The symbol that the name refers to.
    pub(crate) symbol: Symbol,
    /// The range, in the item.
    pub(crate) span: Span,
    /// The term that consists of the name. `None` for the name of a definition, a binder, and the
    /// key of an annotation's argument, which are no terms, and for all names in strategy files.
    pub(crate) term: Option<TermId>,
    /// True if the symbol is defined or bound here.
    pub(crate) declaration: bool,
}

/// An item with its memoised properties.
pub(crate) struct View<'d> {
    pub(crate) db: &'d Database,
    pub(crate) id: ItemId,
    pub(crate) file: FileId,
    /// The offset of the item in its file.
    pub(crate) base: u32,
    parsed: Arc<Parsed>,
    inference: OnceCell<Arc<Inference>>,
    parents: OnceCell<Parents>,
    /// True if the name `sum` occurs in the item, which is rare.
    has_sums: OnceCell<bool>,
}

impl<'d> View<'d> {
    pub(crate) fn new(db: &'d Database, id: ItemId) -> View<'d> {
        View {
            db,
            id,
            file: db.file_of(id),
            base: db.item_span(id).start,
            parsed: db.parsed(id),
            inference: OnceCell::new(),
            parents: OnceCell::new(),
            has_sums: OnceCell::new(),
        }
    }

    /// Returns the view of the item at a position, and the position within it.
    pub(crate) fn at(db: &'d Database, at: FilePosition) -> Option<(View<'d>, u32)> {
        let (item, offset) = db.item_at(at.file, at.offset)?;
        Some((View::new(db, item), offset))
    }

    /// Returns the resolved name that touches a position, with the view of its item.
    pub(crate) fn name_at(db: &'d Database, at: FilePosition) -> Option<(View<'d>, Occurrence)> {
        let (view, offset) = View::at(db, at)?;
        let found = view.occurrence_at(offset)?;
        Some((view, found))
    }

    /// Returns the item at a position, or, between items, the one before it with an offset after
    /// its end. Returns `None` in a comment between items, and before the first item.
    pub(crate) fn at_or_before(db: &'d Database, at: FilePosition) -> Option<(View<'d>, u32)> {
        if let Some(found) = View::at(db, at) {
            return Some(found);
        }
        let view = View::new(db, item_before(db, at)?);
        let offset = at.offset - view.base;
        (!in_gap_comment(db, at)).then_some((view, offset))
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.db.dialect(self.file)
    }

    /// Returns true if the item is in a strategy file.
    pub(crate) fn is_strategy(&self) -> bool {
        self.db.language(self.file) == Language::Elevate
    }

    /// Renders code in the item's language as a Markdown code block.
    pub(crate) fn code(&self, text: &str) -> String {
        match self.is_strategy() {
            true => markdown::strategy_code(text),
            false => markdown::code_in(text, self.dialect()),
        }
    }

    pub(crate) fn item(&self) -> &Item {
        &self.parsed.item
    }

    /// Returns the range, in the item, of the name that the item defines.
    pub(crate) fn name_span(&self) -> Option<Span> {
        match self.is_strategy() {
            true => strategy_files::name_span(self),
            false => self.item().name().map(|name| name.span),
        }
    }

    /// Returns true for a definition whose name is missing, and for an example or a main expression
    /// of a strategy file.
    pub(crate) fn is_unnamed(&self) -> bool {
        match self.is_strategy() {
            true => strategy_files::is_unnamed(self),
            false => match &self.item().kind {
                ItemKind::Def { name, .. } | ItemKind::Foreign { name, .. } => name.is_none(),
                ItemKind::Import { .. } | ItemKind::Stray => false,
            },
        }
    }

    /// Returns the range, in the item, of the path of an import, with its quotes; `None` for other
    /// items.
    pub(crate) fn import_path(&self) -> Option<Span> {
        if self.is_strategy() {
            return strategy_files::import_path(self);
        }
        match &self.item().kind {
            ItemKind::Import { path } => path.as_ref().map(|(_, span)| *span),
            _ => None,
        }
    }

    /// Returns the ranges, in the item, of the brackets of each matching pair.
    pub(crate) fn brackets(&self) -> Vec<(Span, Span)> {
        let text = self.db.item_text(self.id);
        match self.is_strategy() {
            true => token::strategy_pairs(&text),
            false => token::pairs(lex_in(&text, self.dialect())),
        }
    }

    pub(crate) fn inference(&self) -> &Inference {
        self.inference.get_or_init(|| self.db.inference(self.id))
    }

    pub(crate) fn parents(&self) -> &Parents {
        self.parents.get_or_init(|| Parents::of(self.item()))
    }

    pub(crate) fn span(&self, term: TermId) -> Span {
        self.item().term(term).span
    }

    /// Converts a range of the item to one of its file.
    pub(crate) fn absolute(&self, span: Span) -> Span {
        span.shifted(self.base)
    }

    pub(crate) fn range(&self, span: Span) -> FileRange {
        FileRange {
            file: self.file,
            span: self.absolute(span),
        }
    }

    pub(crate) fn info(&self, term: TermId) -> &TermInfo {
        self.inference()
            .terms
            .get(term.0 as usize)
            .unwrap_or(&TermInfo::Unknown)
    }

    pub(crate) fn binder_info(&self, binder: BinderId) -> &BinderInfo {
        self.inference()
            .binders
            .get(binder.0 as usize)
            .unwrap_or(&BinderInfo::Unknown)
    }

    /// Returns the type of an expression, or the type that a term of a type stands for; `None` for
    /// the error type and for other terms.
    pub(crate) fn type_of(&self, term: TermId) -> Option<&Ty> {
        match self.info(term) {
            TermInfo::Expr(ty) | TermInfo::Type(ty) if !is_error(ty) => Some(ty),
            _ => None,
        }
    }

    /// Returns true if a binder binds its name. A name in the types of the parameters left of `=`
    /// does so only if it is not in the scope of the item.
    pub(crate) fn binds(&self, binder: BinderId) -> bool {
        !self.item().may_be_implicit(binder)
            || matches!(self.binder_info(binder), BinderInfo::TypeLevel(..))
    }

    /// Returns the parameters of the definition, see [`params`], that bind their names.
    pub(crate) fn params(&self) -> Vec<BinderId> {
        let mut found = params(self.item());
        found.retain(|&binder| self.binds(binder));
        found
    }

    /// Resolves a name in an expression, type or annotation of a program; `None` for other terms,
    /// and for a name that refers to nothing or is ambiguous. Scopes depend only on the syntax, so
    /// this needs no types and also works in incomplete code. In an annotation, names refer to the
    /// parameters of the definition, and in `@strategy` to strategies.
    pub(crate) fn resolve(&self, term: TermId) -> Option<Symbol> {
        let TermKind::Name(name) = &self.item().term(term).kind else {
            return None;
        };
        let annotation = self
            .annotation_of(term)
            .and_then(|found| found.name.as_ref());
        if annotation.is_some_and(|name| name.name == "strategy") {
            let found = self.db.strategy_of(self.id)?;
            return Some(strategy_files::defined(self.db, found));
        }
        if annotation.is_some_and(|name| !rise::USING_PARAMETERS.contains(&&*name.name)) {
            return None;
        }
        if let Some(sum) = self.sum_index(term, name) {
            return Some(Symbol::SumIndex(self.id, sum));
        }
        if let Some(binder) = self.scope_at(term).get(self.item(), name) {
            return Some(Symbol::Binder(self.id, binder));
        }
        if annotation.is_some() {
            return None;
        }
        global_symbol(self.db, self.file, name)
    }

    pub(crate) fn scope_at(&self, term: TermId) -> Scope {
        if self.annotation_of(term).is_some() {
            return Scope {
                binders: self.params(),
            };
        }
        let mut scope = Scope::at_term(self.item(), self.parents(), term);
        if self.item().heads().next().is_some() {
            scope.binders.retain(|&binder| self.binds(binder));
        }
        scope
    }

    /// Returns the binders of the free variables of a type, if all of them are in scope at a term.
    pub(crate) fn binders_of(&self, place: TermId, ty: &Ty) -> Option<Vec<BinderId>> {
        let scope = self.scope_at(place);
        let names = &self.inference().names;
        let mut free = Vec::new();
        free_vars::of_type(ty, &mut free);
        let binder_of = |var: &Var| {
            let binder = scope.get(self.item(), &names.get(*var))?;
            let info = self.binder_info(binder);
            matches!(info, BinderInfo::TypeLevel(known, _) if known == var).then_some(binder)
        };
        free.iter().map(binder_of).collect()
    }

    fn annotation_of(&self, term: TermId) -> Option<&Annotation> {
        let span = self.span(term);
        self.item()
            .annotations
            .iter()
            .find(|annotation| annotation.span.contains(span))
    }

    /// Returns the `sum(name, a, b, e)` around `term` that binds `name` as its index there.
    pub(crate) fn sum_index(&self, term: TermId, name: &str) -> Option<TermId> {
        let item = self.item();
        let is_sum = |term: &Term| matches!(&term.kind, TermKind::Name(name) if name == "sum");
        if !*self.has_sums.get_or_init(|| item.terms.iter().any(is_sum)) {
            return None;
        }
        let path: Vec<TermId> = self.parents().path(term).collect();
        path.windows(2).find_map(|pair| {
            let index = sum_index_of(item, pair[1])?;
            let TermKind::Apply { args, .. } = &item.term(pair[1]).kind else {
                return None;
            };
            let sees = pair[0] == args[0] || args.get(3) == Some(&pair[0]);
            let same = matches!(&item.term(index).kind, TermKind::Name(bound) if bound == name);
            (sees && same).then_some(pair[1])
        })
    }

    /// Returns the resolved name that touches `offset`.
    pub(crate) fn occurrence_at(&self, offset: u32) -> Option<Occurrence> {
        if self.is_strategy() {
            let mut names = self.occurrences().into_iter();
            return names.rfind(|name| name.span.touches(offset));
        }
        let item = self.item();
        if let Some(name) = self.own_name()
            && name.span.touches(offset)
        {
            return Some(name);
        }
        if let Some(binder) = tree::binder_at(item, offset).filter(|&binder| self.binds(binder)) {
            return Some(self.declaration(binder));
        }
        if let Some(key) = self.annotation_keys().find(|key| key.span.touches(offset)) {
            return Some(key);
        }
        let term = tree::innermost(item, offset)?;
        matches!(item.term(term).kind, TermKind::Name(_)).then_some(())?;
        self.occurrence(term)
    }

    pub(crate) fn declaration(&self, binder: BinderId) -> Occurrence {
        Occurrence {
            symbol: Symbol::Binder(self.id, binder),
            span: self.item().binder(binder).span,
            term: None,
            declaration: true,
        }
    }

    fn occurrence(&self, term: TermId) -> Option<Occurrence> {
        let symbol = self.resolve(term)?;
        let declaration = matches!(symbol, Symbol::SumIndex(_, sum)
            if sum_index_of(self.item(), sum) == Some(term));
        Some(Occurrence {
            symbol,
            span: self.span(term),
            term: Some(term),
            declaration,
        })
    }

    /// Returns the keys of the arguments of `@run` annotations, such as `n` in `@run(n = 1024)`,
    /// that name parameters of the definition.
    fn annotation_keys(&self) -> impl Iterator<Item = Occurrence> + '_ {
        let item = self.item();
        let params = self.params();
        item.annotations
            .iter()
            .filter(|annotation| {
                annotation
                    .name
                    .as_ref()
                    .is_some_and(|name| name.name == "run")
            })
            .flat_map(|annotation| &annotation.args)
            .filter_map(|arg| arg.key.as_ref())
            .filter_map(move |key| {
                let binder = params
                    .iter()
                    .find(|id| item.binder(**id).name == key.name)?;
                Some(Occurrence {
                    symbol: Symbol::Binder(self.id, *binder),
                    span: key.span,
                    term: None,
                    declaration: false,
                })
            })
    }

    /// Returns the occurrences of all resolved names in the item, in the order of the text, one for
    /// each range.
    pub(crate) fn occurrences(&self) -> Vec<Occurrence> {
        if self.is_strategy() {
            let mut found = strategy_files::occurrences(self);
            sort(&mut found);
            return found;
        }
        let item = self.item();
        let mut found: Vec<Occurrence> = self.annotation_keys().collect();
        found.extend(self.own_name());
        let binders = (0..item.binders.len() as u32).map(BinderId);
        found.extend(
            binders
                .filter(|id| !item.binder(*id).name.is_empty() && self.binds(*id))
                .map(|binder| self.declaration(binder)),
        );
        let terms = (0..item.terms.len() as u32).map(TermId);
        found.extend(terms.filter_map(|id| self.occurrence(id)));
        sort(&mut found);
        found
    }

    /// Returns the occurrences of `symbol` in the item, in the order of the text.
    pub(crate) fn occurrences_of(&self, symbol: Symbol) -> Vec<Occurrence> {
        let name = self.name_of(symbol);
        let mut found = self.occurrences_named(&name);
        found.retain(|occurrence| occurrence.symbol == symbol);
        found
    }

    /// Returns the resolved occurrences of `name` in the item, in the order of the text.
    pub(crate) fn occurrences_named(&self, name: &str) -> Vec<Occurrence> {
        if self.is_strategy() {
            let mut found = self.occurrences();
            found.retain(|found| self.name_of(found.symbol) == name);
            return found;
        }
        let item = self.item();
        let mut found: Vec<Occurrence> = Vec::new();
        if item.name().is_some_and(|own| own.name == name) {
            found.extend(self.own_name());
        }
        found.extend(self.annotation_keys().filter(|key| match key.symbol {
            Symbol::Binder(_, binder) => item.binder(binder).name == name,
            _ => false,
        }));
        let binders = (0..item.binders.len() as u32).map(BinderId);
        found.extend(
            binders
                .filter(|id| item.binder(*id).name == name && self.binds(*id))
                .map(|id| self.declaration(id)),
        );
        let terms = (0..item.terms.len() as u32).map(TermId);
        let named = |id: &TermId| matches!(&item.term(*id).kind, TermKind::Name(n) if n == name);
        found.extend(terms.filter(named).filter_map(|id| self.occurrence(id)));
        sort(&mut found);
        found
    }

    fn own_name(&self) -> Option<Occurrence> {
        let name = self.item().name()?;
        Some(Occurrence {
            symbol: Symbol::Def(self.id),
            span: name.span,
            term: None,
            declaration: true,
        })
    }

    pub(crate) fn name_of(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::Binder(item, binder) if item == self.id => {
                self.item().binder(binder).name.to_string()
            }
            Symbol::SumIndex(item, sum) if item == self.id => {
                match sum_index_of(self.item(), sum).map(|index| &self.item().term(index).kind) {
                    Some(TermKind::Name(name)) => name.to_string(),
                    _ => String::new(),
                }
            }
            Symbol::Place(item, span) if item == self.id => strategy_files::text_at(self, span),
            Symbol::Binder(item, _) | Symbol::SumIndex(item, _) | Symbol::Place(item, _) => {
                View::new(self.db, item).name_of(symbol)
            }
            Symbol::Def(item) => def_name(self.db, item).unwrap_or_default(),
            Symbol::Library(id) => strategy_files::library_name(id),
            Symbol::Primitive(primitive) => primitive.name().to_string(),
        }
    }
}

/// Sorts names in the order of the text. Of several with one range it keeps one: the declaration,
/// if there is one.
fn sort(found: &mut Vec<Occurrence>) {
    found.sort_by_key(|name| (name.span, !name.declaration));
    found.dedup_by_key(|name| name.span);
}

fn item_before(db: &Database, at: FilePosition) -> Option<ItemId> {
    let items = db.items(at.file);
    let after = items.partition_point(|item| db.item_span(*item).start <= at.offset);
    items.get(after.checked_sub(1)?).copied()
}

/// Returns the text up to a position, from the end of the last item that begins before it, or from
/// the beginning of the file. It is empty if the position is inside of an item.
pub(crate) fn gap_before(db: &Database, at: FilePosition) -> String {
    let start = item_before(db, at).map_or(0, |item| db.item_span(item).end);
    let rope = db.text(at.file);
    let gap = rope.get_byte_slice(start.min(at.offset) as usize..at.offset as usize);
    gap.map(|gap| gap.to_string()).unwrap_or_default()
}

/// Returns true if a position between items is in a comment.
pub(crate) fn in_gap_comment(db: &Database, at: FilePosition) -> bool {
    use TokenKind::{DocComment, LineComment, OpenComment};
    let last = lex_in(&gap_before(db, at), db.dialect(at.file)).last();
    last.is_some_and(|token| matches!(token.kind, LineComment | DocComment | OpenComment))
}

/// Resolves a name that is free in an item of `file` to a definition or a primitive; `None` if it
/// is unknown or ambiguous.
pub(crate) fn global_symbol(db: &Database, file: FileId, name: &str) -> Option<Symbol> {
    match db.resolve(file, name) {
        Binding::Def(item) => Some(Symbol::Def(item)),
        Binding::Ambiguous(_) | Binding::Broken => None,
        Binding::Unknown => Builtin::from_name(name, db.dialect(file)).map(Symbol::Primitive),
    }
}

pub(crate) fn def_name(db: &Database, item: ItemId) -> Option<String> {
    match &db.header(item).declares {
        Declaration::Def(name) => Some(name.to_string()),
        Declaration::Import(_) | Declaration::BrokenImport | Declaration::Nothing => None,
    }
}

/// Returns true if a type is the error type itself; its components are not examined.
pub(crate) fn is_error(ty: &Ty) -> bool {
    matches!(**ty, rise::Type::Error)
}

/// Returns the index of `sum(i, a, b, e)`, which is its first argument; `None` for other terms.
pub(crate) fn sum_index_of(item: &Item, sum: TermId) -> Option<TermId> {
    let TermKind::Apply { callee, args } = &item.term(sum).kind else {
        return None;
    };
    let named = matches!(&item.term(*callee).kind, TermKind::Name(name) if name == "sum");
    let index = *args.first()?;
    (named && args.len() == 4 && matches!(item.term(index).kind, TermKind::Name(_)))
        .then_some(index)
}

/// Returns the parameters of a definition, innermost first: those of the leading abstractions of
/// its body, and then those that its type annotation binds. For a foreign definition these are its
/// parameters, the last first.
pub(crate) fn params(item: &Item) -> Vec<BinderId> {
    let mut found = Vec::new();
    match &item.kind {
        ItemKind::Def { ty, body, .. } => {
            if let Some(ty) = ty {
                tree::type_binders(item, *ty, &mut found);
                found.reverse();
            }
            let bound_by_type = found.clone();
            let mut term = tree::unparen(item, *body);
            while let TermKind::Fun { params, body, .. } | TermKind::DepFun { params, body } =
                &item.term(term).kind
            {
                // The type of a definition with parameters left of `=` has the same binders of sizes.
                found.extend(params.iter().filter(|param| !bound_by_type.contains(param)));
                term = tree::unparen(item, *body);
            }
        }
        ItemKind::Foreign { params, .. } => found.extend(params),
        ItemKind::Import { .. } | ItemKind::Stray => {}
    }
    found.reverse();
    found
}
