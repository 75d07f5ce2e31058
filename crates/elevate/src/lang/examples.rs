//! Runs examples, and checks that their strategies have the expected results.

use std::sync::Arc;

use syntax::elevate::ast::{Expect, ItemKind, Order as Written};
use syntax::{Diagnostic, Span};

use super::check::ExamplePrograms;
use super::definition::{Definition, Definitions};
use super::eval::GlobalEnv;
use super::library::library;
use super::run::{NotRewritten, Report, Request, Rewritten, run, strategy_of, under};
use crate::codes;
use crate::engine::{Options, Outcome, StrategyKind};
use crate::normal::NormalForm;
use crate::term::{self, Node, Store, Term, print};

/// Runs an example, and returns a diagnostic if its result differs from the expected one, with
/// spans in the item. Returns nothing for other items, and for examples with errors.
///
/// The caller must provide a stack for deeply nested terms, as for the inference of RISE.
pub fn run_example(
    example: &Arc<Definition>,
    definitions: Definitions,
    order: Written,
    cancelled: Option<&dyn Fn() -> bool>,
) -> Vec<Diagnostic> {
    let ItemKind::Example {
        apply,
        expect,
        modulo,
        ..
    } = &example.item.kind
    else {
        return Vec::new();
    };
    let Some(programs) = &example.checked.compiled.example else {
        return Vec::new();
    };
    let mut definitions = definitions;
    let known = definitions.strategies.entry(example.id);
    known.or_insert_with(|| example.clone());
    let span = example.item.expr(*apply).span;
    let done = match apply_to(example, &definitions, programs, order, cancelled) {
        Ok(done) => done,
        Err(diagnostic) => return vec![diagnostic(span)],
    };
    let wrong = match (expect, done) {
        (Expect::Failure(_), Err(_)) => None,
        (Expect::Failure(_), Ok(done)) => Some(
            Diagnostic::error(
                codes::EXAMPLE_FAILS,
                span,
                "the example expects that the strategy fails, and the strategy succeeds",
            )
            .help(format!(
                "the strategy returns {}",
                print(&done.run.store, done.run.root)
            )),
        ),
        (_, Err(report)) => Some(failed(span, &report)),
        (Expect::Trace(wanted, at), Ok(done)) => {
            let wanted: Vec<&str> = wanted.iter().map(|ident| ident.name.as_str()).collect();
            other_trace(*at, &wanted, &done)
        }
        (Expect::Program(program), Ok(done)) => {
            let at = example.item.term(*program).span;
            let modulo = modulo.as_ref().map(|name| name.name.as_str());
            other_program(example, &definitions, programs, done, modulo, at)
        }
    };
    wrong.into_iter().collect()
}

type Done = Result<Rewritten, Box<Report>>;

/// Applies the strategy of the example to its input, and returns the rewritten program or the
/// report of the strategy's failure. Any other failure is an error, as a function from its span to
/// the diagnostic.
fn apply_to(
    example: &Arc<Definition>,
    definitions: &Definitions,
    programs: &ExamplePrograms,
    order: Written,
    cancelled: Option<&dyn Fn() -> bool>,
) -> Result<Done, impl FnOnce(Span) -> Diagnostic + use<>> {
    let say = |message: String| move |span| Diagnostic::error(codes::EXAMPLE_FAILS, span, message);
    let mut store = Store::new();
    let Ok(imported) = term::import(&mut store, &programs.input) else {
        return Err(say("the program after `input` is too large".into()));
    };
    let globals = GlobalEnv::new(definitions.clone(), &mut store);
    let strategy = match strategy_of(&globals, example) {
        Ok(strategy) => under(programs.names.len(), strategy),
        Err(trouble) => return Err(say(globals.explain(&trouble))),
    };
    let expects_trace = |kind: &ItemKind| match kind {
        ItemKind::Example { expect, .. } => matches!(expect, Expect::Trace(..)),
        _ => false,
    };
    let request = Request {
        options: Options {
            trace: expects_trace(&example.item.kind),
            cancelled,
            ..Options::default()
        },
        may_extend: true,
        tunes: &[],
    };
    match run(&globals, &strategy, store, imported, order, &request) {
        Ok(rewritten) => Ok(Ok(rewritten)),
        Err(NotRewritten::Failed(report)) => Ok(Err(report)),
        Err(NotRewritten::Strategy(trouble)) => Err(say(globals.explain(&trouble))),
        // The other errors concern the definition and the values of sizes, which an example does
        // not have.
        Err(_) => Err(say(
            "the program becomes too large, or nests too deeply".into()
        )),
    }
}

fn failed(span: Span, report: &Report) -> Diagnostic {
    let message = format!("the strategy fails: {}", report.message);
    Diagnostic::error(codes::EXAMPLE_FAILS, span, message).help(report.notes.join("; "))
}

fn other_trace(at: Span, wanted: &[&str], done: &Rewritten) -> Option<Diagnostic> {
    let steps = done.trace.iter().filter(|step| step.housekeeping == 0);
    let found: Vec<String> = steps
        .map(|step| step.rule.split('(').next().unwrap_or_default().to_owned())
        .collect();
    if found == wanted {
        return None;
    }
    let message = format!("the strategy applies the rules [{}]", found.join(", "));
    let first = found.iter().zip(wanted).position(|(a, b)| a != b);
    let first = first.unwrap_or(found.len().min(wanted.len()));
    let help = match (found.get(first), wanted.get(first)) {
        (Some(found), Some(wanted)) => {
            format!(
                "step {} applies `{found}`, and the example expects `{wanted}`",
                first + 1
            )
        }
        (Some(found), None) => {
            format!("the example does not expect the last steps, from `{found}` on")
        }
        (None, Some(wanted)) => format!("the example expects more steps, from `{wanted}` on"),
        (None, None) => return None,
    };
    Some(Diagnostic::error(codes::EXAMPLE_FAILS, at, message).help(help))
}

/// Compares the result with the expected program, each in the normal form `modulo` if there is one,
/// and returns an error if they differ.
fn other_program(
    example: &Arc<Definition>,
    definitions: &Definitions,
    programs: &ExamplePrograms,
    done: Rewritten,
    modulo: Option<&str>,
    at: Span,
) -> Option<Diagnostic> {
    let expected = programs.expect.as_ref()?;
    let mut store = done.run.store;
    let Ok(expected) = term::import(&mut store, expected) else {
        return Some(Diagnostic::error(
            codes::EXAMPLE_FAILS,
            at,
            "the program after `expect` is too large",
        ));
    };
    let (mut found, mut wanted) = (done.run.root, expected.root);
    if let Some(modulo) = modulo {
        let normal = |term, store: &mut Store| {
            normal_form(
                example,
                definitions,
                modulo,
                programs.names.len(),
                term,
                store,
            )
        };
        match (normal(found, &mut store), normal(wanted, &mut store)) {
            (Ok(a), Ok(b)) => (found, wanted) = (a, b),
            (Err(message), _) | (_, Err(message)) => {
                return Some(Diagnostic::error(codes::EXAMPLE_FAILS, at, message));
            }
        }
    }
    if same(&mut store, found, wanted, programs) {
        return None;
    }
    Some(different(&mut store, found, wanted, at))
}

/// Returns true if two programs are equal. The types of free names are the most general ones, which
/// a rewrite may specialise; so types are compared only if there are neither free names nor
/// implicit parameters. Programs with the same text are also equal if their βη-normal forms are.
fn same(store: &mut Store, a: Term, b: Term, programs: &ExamplePrograms) -> bool {
    let closed = programs.names.is_empty() && programs.input.implicit.is_empty();
    let equal = |store: &mut Store, a, b| match closed {
        true => store.alpha_eq(a, b),
        false => store.alpha_eq_untyped(a, b),
    };
    if equal(store, a, b) {
        return true;
    }
    // Programs with the same text are equal if their normal forms are: `xs |> map(f)` under `fun(xs
    // => …)` has the same text as `map(f)`.
    if print(store, a) != print(store, b) {
        return false;
    }
    let benf = |store: &mut Store, term| {
        let form = StrategyKind::NormalForm(NormalForm::Benf);
        let outcome = crate::engine::run(store, term, &Arc::new(form), &Options::default());
        outcome.result.ok()
    };
    match (benf(store, a), benf(store, b)) {
        (Some(a), Some(b)) => equal(store, a, b),
        _ => false,
    }
}

fn normal_form(
    example: &Arc<Definition>,
    definitions: &Definitions,
    name: &str,
    functions: usize,
    term: Term,
    store: &mut Store,
) -> Result<Term, String> {
    let missing = || format!("there is no normal form `{name}`");
    let at = modulo_span(&example.item.kind);
    let used = example.checked.uses.iter();
    let mut used = used.filter(|used| Some(used.span) == at);
    let id = used.find_map(|used| match used.target {
        super::check::Target::Item(id) => Some(id),
        _ => None,
    });
    let id = id.or_else(|| library().named(name)).ok_or_else(missing)?;
    let globals = GlobalEnv::new(definitions.clone(), store);
    let definition = globals.definitions().strategy(id).ok_or_else(missing)?;
    let strategy =
        strategy_of(&globals, &definition).map_err(|trouble| globals.explain(&trouble))?;
    let strategy = under(functions, strategy);
    let Outcome { result, .. } = crate::engine::run(store, term, &strategy, &Options::default());
    result.map_err(|_| format!("the normal form `{name}` fails"))
}

fn modulo_span(kind: &ItemKind) -> Option<Span> {
    match kind {
        ItemKind::Example { modulo, .. } => modulo.as_ref().map(|name| name.span),
        _ => None,
    }
}

/// Returns the error with the result, the expected program, and their first difference.
fn different(store: &mut Store, found: Term, wanted: Term, at: Span) -> Diagnostic {
    let message = format!(
        "the strategy returns another program:\n  expected {}\n  found    {}",
        print(store, wanted),
        print(store, found)
    );
    let (here, there) = first_difference(store, found, wanted);
    let mut diagnostic = Diagnostic::error(codes::EXAMPLE_FAILS, at, message);
    if (here, there) != (found, wanted) {
        let (here, there) = (print(store, here), print(store, there));
        diagnostic = diagnostic.help(match here == there {
            true => format!("the two programs differ in the types of `{here}`"),
            false => format!("expected `{there}`, found `{here}`"),
        });
    }
    diagnostic
}

/// Returns the innermost pair of corresponding subterms such that all differences between the terms
/// are inside them.
fn first_difference(store: &mut Store, a: Term, b: Term) -> (Term, Term) {
    let (mut a, mut b) = (a, b);
    loop {
        let next = match (store.node(a), store.node(b)) {
            (Node::Apply(f, x), Node::Apply(g, y)) => {
                match (store.alpha_eq_untyped(f, g), store.alpha_eq_untyped(x, y)) {
                    (true, false) => Some((x, y)),
                    (false, true) => Some((f, g)),
                    _ => None,
                }
            }
            (Node::Lambda(x, body), Node::Lambda(y, other)) => {
                let variable = store.var(x);
                Some((body, store.substitute(other, y, variable)))
            }
            (Node::DepLambda(x, kind, _, body), Node::DepLambda(y, _, _, other)) => {
                let arg = rise::types::var_arg(x, kind);
                Some((body, store.substitute_vars(other, &[(y, arg)])))
            }
            (Node::DepApply(f, n), Node::DepApply(g, m)) if n == m => Some((f, g)),
            _ => None,
        };
        match next {
            Some((next_a, next_b)) => (a, b) = (next_a, next_b),
            None => return (a, b),
        }
    }
}
