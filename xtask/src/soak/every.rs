//! Tests every action that the editor offers at every position of the examples and of random
//! programs.

use std::collections::HashSet;

use db::ItemId;
use ide::{FileRange, MoreAction, RewriteAction, RewriteKind, Wish};
use random_programs::Backend;
use runtime::generate::Random;
use syntax::Span;

use super::workspace::{Place, Verdict, Workspace};
use super::{Found, Options, general, words};

/// An enabled action.
enum Action {
    Rewrite(RewriteAction),
    More(Box<MoreAction>),
}

impl Action {
    fn title(&self) -> &str {
        match self {
            Action::Rewrite(action) => &action.title,
            Action::More(action) => &action.title,
        }
    }

    fn name(&self) -> &str {
        match self {
            Action::Rewrite(action) => action.strategy.split('(').next().unwrap_or_default(),
            Action::More(action) => action.kind.as_str(),
        }
    }
}

/// Tests the actions of the examples, and then those of random programs.
pub fn run(workspace: &mut Workspace, options: &Options, found: &mut Found) {
    let mut random = Random::new(options.seed);
    for place in workspace.definitions() {
        definition(workspace, &place, options, &mut random, found);
        eprint!("{}", progress(found));
    }
    for seed in options.seed..options.seed + options.programs {
        let backend = match seed % 4 {
            0 => Backend::OpenMp,
            1 => Backend::OpenCl,
            _ => Backend::C,
        };
        let program = random_programs::program(seed, backend);
        let (mut alone, place) = Workspace::of_text(&format!("random {seed}"), &program.text);
        if let Some(place) = place {
            definition(&mut alone, &place, options, &mut random, found);
        }
        if seed % 20 == 19 {
            eprint!("{}", progress(found));
        }
    }
}

fn progress(found: &Found) -> String {
    format!("{} actions, {} wrong\n", found.made, found.wrong.len())
}

/// Tests the actions of one definition, each on the original definition.
fn definition(
    workspace: &mut Workspace,
    place: &Place,
    options: &Options,
    random: &mut Random,
    found: &mut Found,
) {
    found.chains += 1;
    for (span, action) in actions(workspace, place) {
        if !random
            .draw()
            .is_multiple_of(u64::from(options.one_in.max(1)))
        {
            continue;
        }
        found.made += 1;
        let (title, name) = (action.title().to_owned(), action.name().to_owned());
        let seed = (!title.contains("(unsafe)")).then(|| random.draw());
        let head = workspace.head(place, span);
        let mut after = place.clone();
        let verdict = match &action {
            Action::Rewrite(action) => workspace.make(&mut after, action, seed),
            Action::More(action) => {
                let edits = ide::more_edits(&workspace.db, action);
                workspace.judge(&mut after, edits, seed)
            }
        };
        *found.strategies.entry(name.clone()).or_default() += 1;
        workspace.restore(place);
        match verdict {
            Verdict::Agrees => found.compared += 1,
            Verdict::Skipped(reason) => {
                *found.skipped.entry(general(&reason)).or_default() += 1;
            }
            Verdict::Wrong(wrong) => {
                let before = workspace.text(place);
                let wrong = format!("{head}: {title}\n  {name}: {wrong}\nbefore:\n{before}");
                eprintln!("{wrong}\n");
                found.wrong.push(wrong);
            }
        }
    }
}

/// Returns the enabled actions of a definition without duplicates, with their positions. Each kind
/// is also requested separately: the menu of all kinds is truncated.
fn actions(workspace: &Workspace, place: &Place) -> Vec<(Span, Action)> {
    let Some(item) = workspace.item(place) else {
        return Vec::new();
    };
    let file = workspace.db.file_of(item);
    let mut all = Vec::new();
    let (mut rewrites, mut titles) = (HashSet::new(), HashSet::new());
    for span in words(workspace, item) {
        let range = FileRange { file, span };
        for kinds in [None].into_iter().chain(RewriteKind::ALL.map(Some)) {
            let wanted = |kind: RewriteKind| kinds.is_none_or(|only| only == kind);
            let offered = ide::rewrites(&workspace.db, range, &wanted);
            let wish = Wish {
                kinds: &wanted,
                named: kinds.is_some(),
                asks: false,
                taken: &[],
            };
            let more = ide::more_actions(&workspace.db, range, &offered, &wish);
            let more = more.into_iter().filter(|action| can_be_taken(action, item));
            for action in more {
                if titles.insert(action.title.clone()) {
                    all.push((span, Action::More(Box::new(action))));
                }
            }
            for action in offered {
                let key = (action.strategy.clone(), format!("{:?}", action.path));
                if action.disabled.is_none() && rewrites.insert(key) {
                    all.push((span, Action::Rewrite(action)));
                }
            }
        }
    }
    all
}

/// Returns true if an action needs no input of the user, and changes only this definition.
fn can_be_taken(action: &MoreAction, item: ItemId) -> bool {
    action.disabled.is_none() && action.ask.is_none() && action.item == Some(item)
}
