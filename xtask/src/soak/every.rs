//! Tests every action that the editor offers at every position of the examples and of random
//! programs.

use std::collections::HashSet;

use db::ItemId;
use ide::{Assist, AssistEffect, AssistKind, AssistRequest, FileRange};
use random_programs::Backend;
use runtime::generate::Random;
use syntax::Span;

use super::workspace::{Place, Verdict, Workspace};
use super::{Found, Options, general, words};

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
        let (title, name) = (action.title.clone(), name(&action).to_owned());
        let seed = (!title.contains("(unsafe)")).then(|| random.draw());
        let head = workspace.head(place, span);
        let mut after = place.clone();
        let edits = action.edits(&workspace.db).map(|made| made.edits);
        let verdict = workspace.judge(&mut after, edits, seed);
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

/// Returns the name of a rewrite of the library, or otherwise the kind of an action.
fn name(action: &Assist) -> &str {
    let rewrite = action.id.strip_prefix("library_rewrite:");
    let name = rewrite.and_then(|rewrite| rewrite.split(['(', '@']).next());
    name.unwrap_or(action.kind.as_str())
}

/// Returns the enabled actions of a definition without duplicates, with their positions. Each kind
/// is also requested separately: the menu of all kinds is truncated.
fn actions(workspace: &Workspace, place: &Place) -> Vec<(Span, Assist)> {
    let Some(item) = workspace.item(place) else {
        return Vec::new();
    };
    let file = workspace.db.file_of(item);
    let mut all = Vec::new();
    let mut known = HashSet::new();
    for span in words(workspace, item) {
        for kinds in [None]
            .into_iter()
            .chain(AssistKind::ALL.iter().copied().map(Some))
        {
            let request = AssistRequest {
                range: FileRange { file, span },
                selection: span,
                only: kinds.as_ref().map(std::slice::from_ref),
                prompts: false,
                undoable: &[],
                hints: &[],
            };
            let found = ide::assists(&workspace.db, request).into_iter();
            for action in found.filter(|action| can_be_taken(action, item)) {
                if known.insert((action.id.clone(), action.title.clone())) {
                    all.push((span, action));
                }
            }
        }
    }
    all
}

/// Returns true if an action needs no input of the user, and changes only this definition.
fn can_be_taken(action: &Assist, item: ItemId) -> bool {
    matches!(action.effect, AssistEffect::Edit(_)) && action.item == Some(item)
}
