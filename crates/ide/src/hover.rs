//! Hovers: the type or kind, documentation, obligations, memory and errors of the name, expression
//! or keyword under the cursor.

mod kernel;
mod keywords;
mod memory;
pub(crate) mod strategy_files;

use db::{Database, ItemId, Language};
use rise::{Arg, BinderInfo, TermInfo, Ty, Type};
use syntax::ast::{BinaryOp, BinderId, ItemKind, Kind, ScalarType, Term, TermId, TermKind};
use syntax::lexer::{Token, TokenKind};
use syntax::{Dialect, Severity, Span};

use crate::builtin::Builtin;
use crate::item_view::{self, Occurrence, Symbol, View};
use crate::{FilePosition, free_vars, glossary, markdown, token, tree};

/// The content of a hover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The range of the word under the cursor.
    pub range: Span,
    /// The content in Markdown. Each code block is marked with its own language: that of the file,
    /// that of the definition it shows, C for generated code, or text.
    pub markdown: String,
}

/// The diagnostics that a hover repeats. In editors that show diagnostics beside the hover, they
/// would be duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// True if errors are repeated.
    pub errors: bool,
    /// True if the conditions that are checked before a run are repeated.
    pub conditions: bool,
}

impl Repeated {
    /// All diagnostics, for editors that show none.
    pub const ALL: Repeated = Repeated {
        errors: true,
        conditions: true,
    };
}

/// Describes the name, expression or keyword at `at`: its type, documentation and memory, after the
/// errors there that are to be repeated. Returns `None` if there is nothing to say.
pub fn hover(db: &Database, at: FilePosition, repeated: Repeated) -> Option<Hover> {
    let (view, offset) = View::at(db, at)?;
    let (place, word) = match view.is_strategy() {
        true => strategy_files::word(&view, offset)?,
        false => word(&view, offset)?,
    };
    let known = if view.import_path().is_some_and(|path| path.touches(offset)) {
        import(&view)
    } else if let Some(found) = view.occurrence_at(offset) {
        Some(name(&view, found, repeated))
    } else {
        word
    };
    let problems = problems(&view, place, repeated);
    if known.is_none() && problems.is_empty() {
        return None;
    }
    let markdown = markdown::paragraphs(problems.into_iter().chain(known));
    Some(Hover {
        range: view.absolute(place),
        markdown,
    })
}

/// Renders the errors whose range contains that of the word under the cursor or is contained in it,
/// if errors are to be repeated.
fn problems(view: &View<'_>, span: Span, repeated: Repeated) -> Vec<String> {
    if !repeated.errors {
        return Vec::new();
    }
    let all = view.db.item_diagnostics(view.id);
    let here = all.iter().filter(|found| {
        found.severity == Severity::Error
            && (found.span.contains(span) || span.contains(found.span))
    });
    here.map(|found| match found.message.split_once('\n') {
        None => format!("**Error:** {}", found.message),
        Some((first, rest)) => format!("**Error:** {first}\n\n```text\n{rest}\n```"),
    })
    .collect()
}

/// Returns the range of the token at an offset, and its description as a token that is no resolved
/// name; `None` in a comment.
fn word(view: &View<'_>, offset: u32) -> Option<(Span, Option<String>)> {
    let text = view.db.item_text(view.id);
    let token = token::at(&text, offset, view.dialect())?;
    (!token.kind.is_comment()).then(|| (token.span, describe(view, token)))
}

fn describe(view: &View<'_>, token: Token) -> Option<String> {
    if let Some(meaning) = annotation(view, token) {
        return Some(meaning.to_owned());
    }
    match token.kind {
        TokenKind::Kind => {
            Some(kind_docs(Kind::from_text(text_of(view, token).as_str())?).to_owned())
        }
        TokenKind::Scalar => {
            let scalar = ScalarType::from_text(text_of(view, token).as_str())?;
            let kind = view.code(&format!("{scalar} : {}", scalar_kind(scalar)));
            Some(with_meaning(Some(kind), scalar.as_str()))
        }
        TokenKind::Constructor => glossary::meaning(&text_of(view, token)).map(str::to_owned),
        TokenKind::Address => Some(address(view, token, "AddrSp")),
        TokenKind::Phrase
        | TokenKind::Access
        | TokenKind::If
        | TokenKind::Else
        | TokenKind::Skip
        | TokenKind::Semicolon => {
            keywords::docs(token.kind, &text_of(view, token)).map(str::to_owned)
        }
        TokenKind::Equals if keywords::is_assignment(view.item(), token.span) => {
            Some(keywords::ASSIGNMENT.to_owned())
        }
        kind if kind.is_reserved() && view.dialect() == Dialect::Rise => {
            let word = text_of(view, token);
            let known = term(view, token);
            match glossary::meaning(&word) {
                Some(_) => Some(with_meaning(known, &word)),
                None => known,
            }
        }
        TokenKind::Ident if begins_conditions(view, token) => {
            glossary::meaning("where").map(str::to_owned)
        }
        _ => term(view, token),
    }
}

/// Appends the glossary's meaning of a word to its description.
fn with_meaning(known: Option<String>, word: &str) -> String {
    let meaning = glossary::meaning(word).map(str::to_owned);
    markdown::paragraphs(known.into_iter().chain(meaning))
}

/// Returns the meaning of the annotation of whose name, or of an identifier in whose arguments, the
/// token is.
fn annotation(view: &View<'_>, token: Token) -> Option<&'static str> {
    let annotations = view.item().annotations.iter();
    let mut around = annotations.filter(|annotation| annotation.span.contains(token.span));
    let annotation = around.next()?;
    let name = annotation.name.as_ref()?;
    let is_meant = token.span.end <= name.span.end || token.kind == TokenKind::Ident;
    is_meant.then(|| glossary::annotation(&name.name)).flatten()
}

/// Returns true if a word is the `where` that begins the conditions after a type.
fn begins_conditions(view: &View<'_>, token: Token) -> bool {
    let item = view.item();
    let begins = |term: &Term| {
        matches!(term.kind, TermKind::Where { ty, .. }
            if view.span(ty).end <= token.span.start && term.span.contains(token.span))
    };
    text_of(view, token) == "where" && item.terms.iter().any(begins)
}

fn text_of(view: &View<'_>, token: Token) -> String {
    let text = view.db.item_text(view.id);
    text.get(std::ops::Range::from(token.span))
        .unwrap_or("")
        .to_owned()
}

fn import(view: &View<'_>) -> Option<String> {
    let imports = view.db.imports(view.file);
    let target = imports
        .iter()
        .find(|import| import.item == view.id)?
        .target?;
    let names: Vec<String> = view
        .db
        .items(target)
        .iter()
        .filter_map(|item| item_view::def_name(view.db, *item))
        .map(|name| format!("`{name}`"))
        .collect();
    match names.is_empty() {
        true => None,
        false => Some(format!("defines {}", names.join(", "))),
    }
}

fn name(view: &View<'_>, found: Occurrence, repeated: Repeated) -> String {
    let written = view.name_of(found.symbol);
    let general = match found.symbol {
        Symbol::Binder(_, id) => return binder(view, id, found),
        Symbol::SumIndex(..) => return view.code(&format!("{written} : Nat")),
        Symbol::Place(..) => return strategy_files::local(view, found, &written),
        Symbol::Def(item) => definition(view.db, item, &written),
        Symbol::Library(id) => strategy_files::library_definition(id, &written),
        Symbol::Primitive(primitive) => primitive_text(primitive),
    };
    let Some(term) = found.term else {
        let launched = match found.symbol {
            Symbol::Def(item) if item == view.id => kernel::launched(view),
            _ => String::new(),
        };
        return markdown::paragraphs([general, launched]);
    };
    let conditions = match repeated.conditions {
        true => needs(view, term),
        false => String::new(),
    };
    markdown::paragraphs([
        instance(view, term, &written),
        stage(view, term),
        memory::pointed_at(view, view.span(term)),
        conditions,
        general,
    ])
}

fn binder(view: &View<'_>, id: BinderId, found: Occurrence) -> String {
    let name = &view.item().binder(id).name;
    let own = match view.binder_info(id) {
        BinderInfo::Value(ty) => format!("{name} : {}", type_text(view, ty)),
        BinderInfo::TypeLevel(_, kind) => format!("{name} : {kind}"),
        BinderInfo::Unknown => name.to_string(),
    };
    let used = |term| [stage(view, term), memory::pointed_at(view, view.span(term))];
    let used = found.term.map(used).unwrap_or_default();
    markdown::paragraphs([view.code(&own)].into_iter().chain(used))
}

pub(crate) fn definition(db: &Database, item: ItemId, name: &str) -> String {
    if db.language(db.file_of(item)) == Language::Elevate {
        return strategy_files::definition(db, item, name);
    }
    let keyword = match db.parsed(item).item.kind {
        ItemKind::Foreign { .. } => "foreign def",
        _ => "def",
    };
    let head = match db.scheme(item) {
        Some(scheme) if !free_vars::has_error(&scheme.ty) => {
            markdown::definition(&db.parsed(item).item, name, &scheme)
        }
        _ => name.to_owned(),
    };
    let library = match db.is_library(db.file_of(item)) {
        true => "Standard library.".to_owned(),
        false => String::new(),
    };
    markdown::paragraphs([
        markdown::code_in(&format!("{keyword} {head}"), db.dialect(db.file_of(item))),
        markdown::def_docs(db, item),
        library,
    ])
}

fn primitive_text(primitive: Builtin) -> String {
    markdown::paragraphs([markdown::primitive(primitive), "Primitive.".to_owned()])
}

/// Renders the instantiated type of a name at this place; for a name that takes sizes, the type
/// after they are applied.
fn instance(view: &View<'_>, term: TermId, name: &str) -> String {
    match view.info(term) {
        TermInfo::Arg(arg) => view.code(&argument(view, name, arg)),
        TermInfo::Expr(_) | TermInfo::Type(_) => {
            let calls = view
                .parents()
                .path(term)
                .take_while(|id| tree::callee(view.item(), *id) == term);
            let mut typed = calls.filter_map(|id| Some((id, view.type_of(id)?)));
            let settled = typed.find(|(_, ty)| !matches!(***ty, Type::Pi(_)));
            let Some((call, ty)) = settled else {
                return as_stage(view, term, name).unwrap_or_default();
            };
            let subject = subject(view, call, name);
            view.code(&format!("{subject} : {}", type_text(view, ty)))
        }
        TermInfo::Unknown => String::new(),
    }
}

/// Renders the type of a stage whose own type is only determined by the piped value: `split(4)`.
fn as_stage(view: &View<'_>, term: TermId, name: &str) -> Option<String> {
    let stage = tree::stage_of(view.item(), view.parents(), term)?;
    let TermKind::Binary { lhs, .. } = view.item().term(stage.result).kind else {
        return None;
    };
    let (from, to) = (view.type_of(lhs)?, view.type_of(stage.result)?);
    Some(view.code(&format!(
        "{} : {} -> {}",
        subject(view, stage.written, name),
        type_text(view, from),
        type_text(view, to)
    )))
}

/// Returns the source text of a call if it is on one line and has at most 40 bytes, and otherwise
/// `name(…)`.
fn subject(view: &View<'_>, call: TermId, name: &str) -> String {
    let text = view.db.item_text(view.id);
    let written = text
        .get(std::ops::Range::from(view.span(call)))
        .unwrap_or(name);
    match written.len() <= 40 && !written.contains('\n') {
        true => written.to_owned(),
        false => format!("{name}(…)"),
    }
}

/// Describes the result of the stage of a pipeline whose function is under the cursor.
fn stage(view: &View<'_>, term: TermId) -> String {
    let Some(stage) = tree::stage_of(view.item(), view.parents(), term) else {
        return String::new();
    };
    if stage.written == term && stage.result == term {
        return String::new();
    }
    match view.type_of(stage.result) {
        Some(ty) => format!("This stage yields `{}`.", type_text(view, ty)),
        None => String::new(),
    }
}

/// Lists the obligations on sizes that the call of the name at `term` adds, which are checked
/// before a run; empty if there are none.
fn needs(view: &View<'_>, term: TermId) -> String {
    let item = view.item();
    let call = view
        .parents()
        .path(term)
        .take_while(|id| tree::callee(item, *id) == term)
        .map(|id| view.span(id))
        .last()
        .unwrap_or_else(|| view.span(term));
    let own = view.span(term);
    let mut texts: Vec<String> = Vec::new();
    for obligation in &view.inference().obligations {
        if obligation.span == own
            || (call.contains(obligation.span) && obligation.span.contains(own))
        {
            let text = format!("`{}`", prop_text(view, &obligation.prop));
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    match texts.is_empty() {
        true => String::new(),
        false => format!("Assumes {}, checked before a run.", texts.join(", ")),
    }
}

fn term(view: &View<'_>, token: Token) -> Option<String> {
    let item = view.item();
    let holder = (0..item.terms.len() as u32)
        .map(TermId)
        .filter(|id| view.span(*id).contains(token.span))
        .min_by_key(|id| view.span(*id).len())?;
    let written = text_of(view, token);
    let (subject, of) = match &item.term(holder).kind {
        TermKind::Binary {
            op,
            op_span,
            lhs,
            rhs,
        } if op_span.contains(token.span) => {
            let known = operator(view, holder, *op, *lhs, *rhs)?;
            let lives = match op {
                BinaryOp::Pipe => memory::at(view, view.span(holder)),
                _ => memory::pointed_at(view, token.span),
            };
            return Some(markdown::paragraphs([known, lives]));
        }
        TermKind::Literal(_) | TermKind::Hole | TermKind::Operator(_) => (written, holder),
        TermKind::Project { .. } if token.kind == TokenKind::Ident => {
            (format!("_.{written}"), holder)
        }
        TermKind::Unary { .. }
            if token.kind == TokenKind::Bang || token.kind == TokenKind::Minus =>
        {
            ("_".to_owned(), holder)
        }
        TermKind::Fun { .. } | TermKind::DepFun { .. } | TermKind::NatFun { .. }
            if token.kind.is_reserved() =>
        {
            ("_".to_owned(), holder)
        }
        _ => return None,
    };
    of_term(view, &subject, of)
}

fn of_term(view: &View<'_>, subject: &str, id: TermId) -> Option<String> {
    match view.info(id) {
        TermInfo::Expr(ty) | TermInfo::Type(ty) if !item_view::is_error(ty) => {
            Some(view.code(&format!("{subject} : {}", type_text(view, ty))))
        }
        TermInfo::Arg(arg) => Some(view.code(&argument(view, subject, arg))),
        _ => None,
    }
}

fn operator(
    view: &View<'_>,
    whole: TermId,
    op: BinaryOp,
    lhs: TermId,
    rhs: TermId,
) -> Option<String> {
    if let TermInfo::Arg(arg) = view.info(whole) {
        return Some(view.code(&argument(view, "_", arg)));
    }
    let result = type_text(view, view.type_of(whole)?);
    match op {
        BinaryOp::Pipe | BinaryOp::ApplyLeft => {
            let arg = if op == BinaryOp::Pipe { lhs } else { rhs };
            let arg = view
                .type_of(arg)
                .map_or_else(|| "_".to_owned(), |ty| type_text(view, ty));
            Some(format!(
                "{}\n\nThis stage takes `{arg}` and yields `{result}`.",
                view.code(&result)
            ))
        }
        _ => {
            let operand = |id| {
                view.type_of(id)
                    .map_or_else(|| "_".to_owned(), |ty| type_text(view, ty))
            };
            let text = format!(
                "({}) : {} -> {} -> {result}",
                op.as_str(),
                operand(lhs),
                operand(rhs)
            );
            Some(view.code(&text))
        }
    }
}

fn argument(view: &View<'_>, subject: &str, arg: &Arg) -> String {
    let kind = match arg {
        Arg::Nat(_) => Kind::Nat,
        Arg::Type(_) => Kind::DataType,
        Arg::Address(_) => Kind::AddrSp,
        Arg::SizeFun(_) => Kind::Nat2Nat,
        Arg::DataFun(_) => Kind::Nat2Data,
        Arg::Access(_) => Kind::ReadWrite,
    };
    let value = rise::print::arg_text(arg, &view.inference().names);
    match value == subject || subject == "_" {
        true => format!("{value} : {kind}"),
        false => format!("{subject} = {value} : {kind}"),
    }
}

fn type_text(view: &View<'_>, ty: &Ty) -> String {
    rise::print::type_text(ty, &view.inference().names)
}

fn prop_text(view: &View<'_>, prop: &nat::Prop) -> String {
    rise::print::prop_text(prop, &view.inference().names)
}

fn kind_docs(kind: Kind) -> &'static str {
    match kind {
        Kind::Nat => "`Nat`: sizes, the non-negative integers.",
        Kind::DataType => {
            "`DataType`: every type whose values can be stored, so all but functions."
        }
        Kind::Scalar => "`Scalar`: `bool`, numbers and indices.",
        Kind::Num => "`Num`: integers, floating-point numbers, and vectors of them.",
        Kind::Int => "`Int`: `i8` to `i64`, `u8` to `u64`, and `natType`.",
        Kind::Float => "`Float`: `f16`, `f32`, `f64`.",
        Kind::AddrSp => "`AddrSp`: `Global`, `Local`, `Private`, `Constant`.",
        Kind::Nat2Nat => "`Nat2Nat`: functions from sizes to sizes, `natFun(i => …)`.",
        Kind::Nat2Data => "`Nat2Data`: functions from sizes to data types, `dataFun(i => …)`.",
        Kind::ReadWrite => "`ReadWrite`: what an expression is for, `Rd`, `Wr` or `St`.",
    }
}

/// Returns the smallest kind that contains a scalar type.
fn scalar_kind(scalar: ScalarType) -> Kind {
    match scalar {
        ScalarType::Bool => Kind::Scalar,
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => Kind::Float,
        _ => Kind::Int,
    }
}

fn address(view: &View<'_>, token: Token, kind: &str) -> String {
    let name = text_of(view, token);
    let meaning = match name.as_str() {
        "Global" => "memory of the device, seen by every work-item.",
        "Local" => "memory of a work-group, shared by its work-items.",
        "Private" => "memory of one work-item.",
        _ => "memory of the device that kernels only read.",
    };
    markdown::paragraphs([
        view.code(&format!("{name} : {kind}")),
        format!("`{name}`: {meaning}"),
    ])
}

#[cfg(test)]
mod tests;
