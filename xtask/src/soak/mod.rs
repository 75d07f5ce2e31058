//! Tests random rewrites of the examples, chosen among those that the editor offers: each one can
//! be applied, its result is well-typed, and computes the same as the program before.
//!
//! A chain consists of some rewrites of one definition, each at a random position in the result of
//! the previous one. Each chain has a number by which it can be repeated:
//! `cargo xtask soak --seed NUMBER --count 1`.
//!
//! With `--every` each action is applied at every position where it is offered, in the examples and
//! in random programs.

mod every;
mod workspace;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use db::ItemId;
use ide::RewriteAction;
use runtime::generate::Random;
use syntax::{Span, TokenKind};

use workspace::{Place, Verdict, Workspace};

/// The maximal number of rewrites in a chain.
const CHAIN: u64 = 4;
/// The number of positions that are tried to find one with an action.
const PLACES: u32 = 12;
/// The stack of the thread that rewrites, in bytes.
const STACK: usize = 256 << 20;

/// The options of the test.
#[derive(Clone, clap::Args)]
pub struct Options {
    /// The number of rewrites.
    #[arg(long, default_value_t = 2_000)]
    count: u64,
    /// The number of the first chain.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Take every action at every place instead, each on the program as it is.
    #[arg(long)]
    every: bool,
    /// With --every: the number of random programs, after the examples.
    #[arg(long, default_value_t = 0, requires = "every")]
    programs: u64,
    /// With --every: take one action of so many.
    #[arg(long, default_value_t = 1, requires = "every")]
    one_in: u32,
    /// Only examples whose path contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// The folder to which failures are written, a file for each kind.
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// The results so far.
#[derive(Default)]
struct Found {
    chains: u64,
    made: u64,
    compared: u64,
    /// The reasons why results were not compared, with their numbers.
    skipped: BTreeMap<String, u64>,
    /// The number of applications of each strategy.
    strategies: BTreeMap<String, u64>,
    wrong: Vec<String>,
}

/// Runs the test, and returns an error if a rewrite fails.
pub fn run(root: &Path, options: &Options) -> Result<(), String> {
    let (examples, options) = (root.join("examples"), options.clone());
    let work = move || {
        let found = all(&examples, &options)?;
        report(&found);
        match found.wrong.is_empty() {
            true => Ok(()),
            false => Err(format!("{} rewrites went wrong", found.wrong.len())),
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    let thread = thread.map_err(|error| error.to_string())?;
    thread.join().unwrap_or_else(|_| Err("it broke".to_owned()))
}

fn all(examples: &Path, options: &Options) -> Result<Found, String> {
    let mut workspace = Workspace::read(examples, &options.only)?;
    if workspace.files.is_empty() && options.programs == 0 {
        return Err(format!("no example is called `{}`", options.only));
    }
    let mut found = Found::default();
    if options.every {
        every::run(&mut workspace, options, &mut found);
    }
    let mut seed = options.seed;
    while !options.every && found.made < options.count {
        chain(&mut workspace, seed, &mut found);
        seed += 1;
        if found.chains % 100 == 0 {
            eprintln!("{} rewrites, {} wrong", found.made, found.wrong.len());
        }
    }
    if let Some(folder) = &options.keep {
        keep(folder, &found.wrong).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(found)
}

fn keep(folder: &Path, wrong: &[String]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (at, text) in wrong.iter().enumerate() {
        std::fs::write(folder.join(format!("{at}.txt")), text)?;
    }
    Ok(())
}

fn report(found: &Found) {
    println!(
        "{} rewrites by {} strategies in {} chains: {} compared, {} wrong",
        found.made,
        found.strategies.len(),
        found.chains,
        found.compared,
        found.wrong.len()
    );
    for (reason, count) in &found.skipped {
        println!("{count:>6}  not compared: {reason}");
    }
}

/// Applies some rewrites to one definition.
fn chain(workspace: &mut Workspace, seed: u64, found: &mut Found) {
    let mut random = Random::new(seed);
    let Some(mut place) = workspace.definition(&mut random) else {
        return;
    };
    found.chains += 1;
    let rounds = 1 + random.draw() % CHAIN;
    let mut titles = Vec::new();
    for _ in 0..rounds {
        let Some((span, action)) = choose(workspace, &place, &mut random) else {
            break;
        };
        found.made += 1;
        let name = action.strategy.split('(').next().unwrap_or_default();
        *found.strategies.entry(name.to_owned()).or_default() += 1;
        titles.push(action.title.clone());
        let before = workspace.text(&place);
        let head = workspace.head(&place, span);
        let wrong = match workspace.make(&mut place, &action, Some(random.draw())) {
            Verdict::Agrees => {
                found.compared += 1;
                continue;
            }
            Verdict::Skipped(reason) => {
                *found.skipped.entry(general(&reason)).or_default() += 1;
                continue;
            }
            Verdict::Wrong(wrong) => wrong,
        };
        let wrong = format!(
            "chain {seed}, {head}: {}\n  {}: {wrong}\nbefore:\n{before}",
            titles.join("; "),
            action.strategy,
        );
        eprintln!("{wrong}\n");
        found.wrong.push(wrong);
        break;
    }
    workspace.restore(&place);
}

/// Chooses a rewrite that is offered at a position in the definition.
fn choose(
    workspace: &Workspace,
    place: &Place,
    random: &mut Random,
) -> Option<(Span, RewriteAction)> {
    let words = words(workspace, workspace.item(place)?);
    for _ in 0..PLACES {
        let span = *words.get(random.draw() as usize % words.len().max(1))?;
        let offered = workspace.offered(place, span);
        // An unsafe rewrite may change the meaning.
        let safe = |action: &&RewriteAction| {
            action.disabled.is_none() && !action.title.contains("(unsafe)")
        };
        let mut safe: Vec<RewriteAction> = offered.iter().filter(safe).cloned().collect();
        if !safe.is_empty() {
            let at = random.draw() as usize % safe.len();
            return Some((span, safe.swap_remove(at)));
        }
    }
    None
}

/// Returns the positions in the middle of the tokens of a definition.
fn words(workspace: &Workspace, item: ItemId) -> Vec<Span> {
    let start = workspace.db.item_span(item).start;
    let text = workspace.db.item_text(item);
    syntax::lex(&text)
        .filter(|token| !is_trivia(token.kind))
        .map(|token| Span::empty(start + token.span.start + token.span.len() / 2))
        .collect()
}

fn is_trivia(kind: TokenKind) -> bool {
    use TokenKind::{BlockComment, DocComment, LineComment, Whitespace};
    matches!(kind, Whitespace | LineComment | DocComment | BlockComment)
}

/// Returns the first line of a reason, with everything in backquotes replaced by an ellipsis.
fn general(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let outside = |(at, part): (usize, &str)| match at % 2 {
        0 => part.to_owned(),
        _ => "…".to_owned(),
    };
    line.split('`').enumerate().map(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short run of `cargo xtask soak`.
    #[test]
    fn rewrites_that_are_offered_keep_type_and_meaning() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let options = Options {
            count: 60,
            seed: 1_000_000,
            every: false,
            programs: 0,
            one_in: 1,
            only: String::new(),
            keep: None,
        };
        if let Err(wrong) = run(&root, &options) {
            panic!("{wrong}");
        }
    }

    /// A run on a few programs; `cargo xtask soak --every --programs 2000` tests more.
    #[test]
    fn every_offered_action_can_be_taken() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let options = Options {
            count: 0,
            seed: 0,
            every: true,
            programs: 12,
            one_in: 4,
            only: "language/g".to_owned(),
            keep: None,
        };
        if let Err(wrong) = run(&root, &options) {
            panic!("{wrong}");
        }
    }
}
