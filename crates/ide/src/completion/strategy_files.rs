//! Code completion in strategy files.

use db::{Database, ItemId, Origin};
use elevate::lang::{Param, Signature, TYPES, Type, type_text};
use syntax::elevate::ast::{Item, Order, PatternKind};
use syntax::{GlobalId, Span};

use super::{COMPLETION_LIMIT, Completion, CompletionKind, CompletionSource, brief};
use crate::builtin::Builtin;
use crate::context::strategy_files::{After, Context, Place};
use crate::item_view::{self, Symbol, View};
use crate::rewrites::AssistKind;
use crate::strategies::offered::quoted_name;
use crate::{FilePosition, fuzzy};

/// The attributes: their names, snippets and meanings.
const ATTRIBUTES: [(&str, &str, &str); 7] = [
    (
        "title",
        "title(\"$0\")",
        "how the rewrite is called in menus",
    ),
    (
        "kind",
        "kind(${1|fuse,split,tile,move,simplify,lower,parallel,vectorize|})",
        "in which menu it is listed",
    ),
    (
        "looping",
        "looping",
        "applied again and again, it never ends",
    ),
    ("hidden", "hidden", "not offered in menus"),
    (
        "menu",
        "menu($0)",
        "where a menu lists it, and with which arguments",
    ),
    (
        "action",
        "action(\"refactor.rewrite\")",
        "the kind of its code action",
    ),
    (
        "order",
        "order(${1|default,functionFirst,argumentFirst|})",
        "in which order it visits children",
    ),
];

/// The keywords that begin an item, with their snippets.
const ITEMS: [(&str, &str); 10] = [
    ("rule", "rule ${1:name} = ${2:pattern} |-> $0"),
    ("strategy", "strategy ${1:name}(${2:s: Strategy}) = $0"),
    ("val", "val ${1:name} = $0"),
    ("pred", "pred ${1:name} = { $0 }"),
    ("normalform", "normalform ${1:name} = normalize($0)"),
    ("tune", "tune ${1:name} : Nat$0"),
    (
        "example",
        "example \"${1:title}\" {\n  input ${2:program}\n  apply ${3:strategy}\n  expect $0\n}",
    ),
    ("import", "import \"$0\""),
    ("unsafe", "unsafe rule ${1:name} = ${2:pattern} |-> $0"),
    ("traversal", "traversal $0"),
];

/// The built-in conditions: their names, snippets and meanings.
const CONDITIONS: [(&str, &str, &str); 11] = [
    (
        "within",
        "within(${1:mapWorkGroup(_)})",
        "inside of the function given to this",
    ),
    (
        "assoc",
        "assoc(${1:op})",
        "`op(op(x, y), z)` is `op(x, op(y, z))`",
    ),
    (
        "commutative",
        "commutative(${1:op})",
        "`op(x, y)` is `op(y, x)`",
    ),
    (
        "selective",
        "selective(${1:op})",
        "`op(x, y)` is `y` if a component is less, or greater, and `x` otherwise",
    ),
    ("neutral", "neutral(${1:op}, ${2:z})", "`op(z, x)` is `x`"),
    ("scalar", "scalar(${1:t})", "the type is a scalar"),
    (
        "holds",
        "holds(${1:strategy}, ${2:x})",
        "the strategy succeeds on `x`",
    ),
    (
        "divides",
        "divides",
        "`n divides m`: `m` is a multiple of `n`",
    ),
    ("notIn", "notIn", "`x notIn f`: `x` is not free in `f`"),
    ("and", "and", "both conditions"),
    ("or", "or", "one of the conditions"),
];

/// Returns the completions at a position, best first, at most [`COMPLETION_LIMIT`]. Before the
/// first item these are the words that can begin one.
pub(crate) fn completions(db: &Database, at: FilePosition) -> Vec<Completion> {
    let Some((view, offset)) = View::at_or_before(db, at) else {
        return match item_view::in_gap_comment(db, at) {
            true => Vec::new(),
            false => List::new(db, "", Span::empty(at.offset)).items().finish(),
        };
    };
    let mut text = db.item_text(view.id).to_string();
    if offset as usize > text.len() {
        text.push_str(&item_view::gap_before(db, at));
    }
    let place = Place::at(&text, offset);
    let typed = Span::new(place.word.start, offset.min(place.word.end));
    let prefix = text.get(std::ops::Range::from(typed)).unwrap_or_default();
    let mut list = List::new(db, prefix, view.absolute(place.word));
    let rest = text.get(place.word.end as usize..).unwrap_or_default();
    list.called = rest.starts_with('(');
    list.fill(
        &view,
        &place,
        text[..place.word.start as usize].ends_with('\n'),
    );
    list.finish()
}

/// Returns true if a position is between the parentheses of an attribute.
pub(crate) fn in_attribute(db: &Database, at: FilePosition) -> bool {
    View::at_or_before(db, at).is_some_and(|(view, offset)| {
        let place = Place::at(&db.item_text(view.id), offset);
        matches!(place.context, Context::AttributeArgument { .. })
    })
}

struct List<'a> {
    db: &'a Database,
    prefix: &'a str,
    replace: Span,
    /// True if an opening parenthesis follows the word.
    called: bool,
    /// The completions, each with its rank and its cost of matching the prefix. Smaller ones come
    /// first.
    found: Vec<(u8, u32, Completion)>,
}

impl<'a> List<'a> {
    fn new(db: &'a Database, prefix: &'a str, replace: Span) -> Self {
        List {
            db,
            prefix,
            replace,
            called: false,
            found: Vec::new(),
        }
    }

    fn fill(&mut self, view: &View<'_>, place: &Place, at_line_start: bool) {
        let parsed = self.db.strategy_parsed(view.id);
        match place.context {
            Context::Item => {
                self.items();
            }
            Context::AttributeArgument { name } => self.attribute_argument(view, name),
            Context::Attribute => self.words(&ATTRIBUTES, CompletionKind::Annotation, 0),
            Context::Type => {
                for (name, meaning) in TYPES {
                    let insert = if name == "List" {
                        "List[${1:Nat}]"
                    } else {
                        name
                    };
                    let kind = CompletionKind::Type;
                    self.word(name, kind, insert, Some(meaning.to_owned()), 0);
                }
            }
            Context::Order => {
                for order in Order::ALL {
                    self.word(
                        order.as_str(),
                        CompletionKind::Keyword,
                        order.as_str(),
                        None,
                        0,
                    );
                }
            }
            Context::Condition => {
                self.locals(&parsed.item, 1);
                self.words(&CONDITIONS, CompletionKind::Keyword, 0);
            }
            Context::Term if self.prefix.starts_with('?') => self.metavariables(view),
            Context::Term => {
                self.locals(&parsed.item, 0);
                self.programs(view);
            }
            Context::Example => {
                for word in ["input", "apply", "expect", "modulo"] {
                    self.word(word, CompletionKind::Keyword, &format!("{word} "), None, 0);
                }
            }
            Context::Strategy { after } => self.strategy(view, &parsed.item, after, at_line_start),
            Context::Nothing => {}
        }
    }

    fn strategy(&mut self, view: &View<'_>, item: &Item, after: After, at_line_start: bool) {
        if after == After::Operand {
            if at_line_start {
                self.items();
            }
            for word in ["match", "then", "else"] {
                self.word(word, CompletionKind::Keyword, word, None, 7);
            }
            return;
        }
        self.strategies(view, after);
        if after != After::Start {
            return;
        }
        self.locals(item, 0);
        for (word, insert) in [
            ("if", "if ${1:condition} then ${2:a} else $0"),
            ("with", "with ${1:DFNF} { $0 }"),
            ("rise", "rise { $0 }"),
            ("rule", "rule { ${1:pattern} |-> $0 }"),
            ("fun", "fun(${1:x} => $0)"),
        ] {
            self.word(word, CompletionKind::Keyword, insert, None, 7);
        }
    }

    /// Adds the kinds of rewrites in `@kind`, and a title derived from the name of the definition
    /// in `@title`.
    fn attribute_argument(&mut self, view: &View<'_>, attribute: Span) {
        let text = self.db.item_text(view.id);
        match text.get(std::ops::Range::from(attribute)) {
            Some("kind") => {
                for kind in AssistKind::WORDS {
                    self.word(kind, CompletionKind::Annotation, kind, None, 0);
                }
            }
            Some("title") => {
                let name = item_view::def_name(self.db, view.id).unwrap_or_default();
                let title = format!("\"{}\"", title_of(&name));
                let insert = match name.is_empty() {
                    true => "\"$0\"",
                    false => &title,
                };
                self.word(&title, CompletionKind::Annotation, insert, None, 0);
            }
            _ => {}
        }
    }

    fn items(&mut self) -> &mut Self {
        for (word, insert) in ITEMS {
            self.word(word, CompletionKind::Keyword, insert, None, 6);
        }
        self
    }

    fn words(&mut self, words: &[(&str, &str, &str)], kind: CompletionKind, tier: u8) {
        for (label, insert, said) in words {
            self.word(label, kind, insert, Some((*said).to_owned()), tier);
        }
    }

    fn word(
        &mut self,
        label: &str,
        kind: CompletionKind,
        insert: &str,
        detail: Option<String>,
        tier: u8,
    ) {
        let completion = Completion {
            label: label.to_owned(),
            kind,
            brief: detail.clone(),
            detail,
            replace: self.replace,
            insert: insert.to_owned(),
            snippet: insert.contains('$'),
            sort: String::new(),
            source: CompletionSource::None,
        };
        self.push(completion, tier);
    }

    fn push(&mut self, completion: Completion, tier: u8) {
        let typed = self.prefix.trim_start_matches(['?', '`']);
        if let Some(score) = fuzzy::score(typed, completion.label.trim_start_matches('?')) {
            self.found.push((tier, score, completion));
        }
    }

    fn locals(&mut self, item: &Item, tier: u8) {
        let params = item.params.iter().map(|param| &param.name);
        let patterns = item
            .patterns
            .iter()
            .filter_map(|pattern| match &pattern.kind {
                PatternKind::Name(name) => Some(name),
                _ => None,
            });
        let mut names: Vec<_> = params
            .chain(patterns)
            .filter(|name| !name.is_empty() && *name != "_" && *name != self.prefix)
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.word(name, CompletionKind::Value, name, None, tier);
        }
    }

    /// Adds the names that are bound in the item, each with the question mark of a metavariable.
    fn metavariables(&mut self, view: &View<'_>) {
        let is_place = |symbol: &Symbol| matches!(symbol, Symbol::Place(..));
        let symbols = view.occurrences().into_iter().map(|found| found.symbol);
        let names = symbols.filter(is_place).map(|symbol| view.name_of(symbol));
        let mut labels: Vec<String> = names
            .map(|name| format!("?{}", name.trim_start_matches('?')))
            .filter(|label| label != "?" && *label != self.prefix)
            .collect();
        labels.sort_unstable();
        labels.dedup();
        for label in labels {
            self.word(&label, CompletionKind::Value, &label, None, 0);
        }
    }

    /// Adds the definitions and primitives that can occur in a term of RISE.
    fn programs(&mut self, view: &View<'_>) {
        let scope = self.db.program_scope(view.file);
        let names: Vec<(String, ItemId, Origin)> = scope
            .names()
            .map(|(name, item, origin)| (name.to_string(), item, origin))
            .collect();
        let schemes = self.db.schemes(names.iter().map(|(_, item, _)| *item));
        for ((name, item, origin), scheme) in names.into_iter().zip(schemes) {
            let completion = Completion {
                kind: CompletionKind::Function,
                brief: scheme.as_deref().map(brief),
                detail: scheme.map(|scheme| rise::print::scheme_text(&scheme)),
                replace: self.replace,
                insert: name.clone(),
                snippet: false,
                sort: String::new(),
                source: CompletionSource::Global(item.global()),
                label: name,
            };
            self.push(completion, if origin == Origin::Library { 3 } else { 1 });
        }
        for primitive in Builtin::all(syntax::Dialect::Rise) {
            let completion = Completion {
                label: primitive.name().to_owned(),
                kind: CompletionKind::Function,
                detail: Some(primitive.signature_text()),
                brief: Some(brief(primitive.scheme())),
                replace: self.replace,
                insert: primitive.name().to_owned(),
                snippet: false,
                sort: String::new(),
                source: CompletionSource::Primitive(primitive),
            };
            self.push(completion, 2);
        }
    }

    /// Adds the definitions in scope and those of the strategy library; those whose type is
    /// suitable after the preceding token come first.
    fn strategies(&mut self, view: &View<'_>, after: After) {
        let scope = self.db.scope(view.file);
        let names: Vec<(String, ItemId, Origin)> = scope
            .names()
            .filter(|(name, ..)| fuzzy::score(self.prefix, name).is_some())
            .map(|(name, item, origin)| (name.to_string(), item, origin))
            .collect();
        let own = names
            .iter()
            .map(|(name, item, _)| (name.clone(), item.global(), 0));
        let library = elevate::lang::library();
        let shipped = library
            .names()
            .filter(|name| fuzzy::score(self.prefix, name).is_some())
            .filter(|name| names.iter().all(|(own, ..)| own != name.as_str()))
            .filter_map(|name| Some((name.to_string(), library.named(name)?, 1)));
        let all: Vec<(String, GlobalId, u8)> = own.chain(shipped).collect();
        for (name, id, own) in all {
            let signature = self.db.strategy_signature(id);
            let tier = own + 2 * misfit(&signature, after);
            let insert = match self.called {
                true => quoted_name(&name),
                false => call(&name, &signature, after),
            };
            let kind = match &*signature.scheme.ty {
                Type::Fun(..) | Type::Strategy(_) => CompletionKind::Function,
                _ => CompletionKind::Value,
            };
            let completion = Completion {
                kind,
                detail: Some(signature.scheme.text()),
                brief: Some(signature.scheme.text()),
                replace: self.replace,
                snippet: insert.contains('$'),
                insert,
                sort: String::new(),
                source: CompletionSource::Global(id),
                label: name,
            };
            self.push(completion, tier);
        }
    }

    fn finish(&mut self) -> Vec<Completion> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by(|a, b| (a.0, a.1, &a.2.label).cmp(&(b.0, b.1, &b.2.label)));
        found.dedup_by(|a, b| a.2.label == b.2.label && a.2.kind == b.2.kind);
        found.truncate(COMPLETION_LIMIT);
        found
            .into_iter()
            .map(|(tier, score, completion)| Completion {
                sort: format!("{tier:02}{score:02}{}", completion.label),
                ..completion
            })
            .collect()
    }
}

/// Converts a camel-case name to a title: `fuseMaps` to `Fuse maps`.
fn title_of(name: &str) -> String {
    let mut title = String::new();
    for (at, letter) in name.char_indices() {
        match (at, letter) {
            (0, _) => title.extend(letter.to_uppercase()),
            (_, '_') => title.push(' '),
            (_, _) if letter.is_uppercase() => {
                title.push(' ');
                title.extend(letter.to_lowercase());
            }
            _ => title.push(letter),
        }
    }
    title
}

/// Returns the penalty of a definition after the preceding token: 0 if its type is suitable, and
/// otherwise 1.
fn misfit(signature: &Signature, after: After) -> u8 {
    let (lists, result) = signature.scheme.lists();
    let is_strategy = matches!(*result, Type::Strategy(_));
    let takes_strategy = lists
        .last()
        .is_some_and(|list| matches!(&**list, [param] if matches!(*param.ty, Type::Strategy(_))));
    match after {
        After::At => u8::from(!(is_strategy && takes_strategy)),
        After::Dot => u8::from(lists.is_empty()),
        After::Start | After::Operand => u8::from(!is_strategy),
    }
}

/// Renders a call as a snippet with the required arguments, such as `tile(${1:x}, ${2:y})`: after
/// `@` without the last argument list, which the operator adds, and after `.` without the first
/// one, which is the receiver. It ends before the first list of optional parameters only.
fn call(name: &str, signature: &Signature, after: After) -> String {
    let (mut lists, _) = signature.scheme.lists();
    match after {
        After::At => drop(lists.pop()),
        After::Dot if !lists.is_empty() => drop(lists.remove(0)),
        _ => {}
    }
    let mut number = 0;
    let mut out = quoted_name(name);
    for list in lists {
        let required: Vec<&Param> = list.iter().filter(|param| !param.optional).collect();
        if required.is_empty() && !list.is_empty() {
            // All parameters have defaults: the name alone is sufficient.
            break;
        }
        let placeholders = required.iter().map(|param| {
            number += 1;
            match param.name.is_empty() {
                true => format!(
                    "${{{number}:{}}}",
                    type_text(&param.ty, &signature.scheme.params)
                ),
                false => format!("${{{number}:{}}}", param.name),
            }
        });
        let inside: Vec<String> = placeholders.collect();
        out.push_str(&format!("({})", inside.join(", ")));
    }
    out
}
