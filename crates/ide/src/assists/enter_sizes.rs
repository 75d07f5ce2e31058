//! Asks for the sizes of a rewrite that is offered with a choice of sizes.
//!
//! ```rise
//! def f = fun(xs: 8.f32 => xs |> ma$0p(fun(x => x + 1.0f)))
//! ```
//! *Split map into chunks of …*
//! ```elevate
//! at([0, 0])(splitJoin({n}))
//! ```

use super::{Assist, AssistContext, AssistEffect, AssistHandler, Prompt};
use crate::RewriteAction;
use crate::rewrites::{AssistKind, menu, record};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "enter_sizes",
    kinds: AssistKind::OF_LIBRARY,
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let Some(item) = cx.definition().filter(|_| cx.request.prompts) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in menu::entries() {
        if !entry.takes_sizes() || !cx.wants(entry.kind) {
            continue;
        }
        let is_it = |action: &&RewriteAction| {
            let name = action.strategy.split('(').next();
            action.disabled.is_none() && name == Some(&*entry.name)
        };
        let Some(action) = cx.rewrites().iter().find(is_it) else {
            continue;
        };
        let params = || entry.params.iter().map(|(name, _)| name);
        let holes: Vec<String> = params().map(|name| format!("{{{name}}}")).collect();
        let dots = vec!["…".to_owned(); holes.len()];
        let parameters = params().map(|name| (name.to_string(), "Nat".to_owned()));
        let strategy = record::at(&action.path, &entry.strategy(&holes));
        let prompt = Prompt::new(cx.db, item, None, strategy, parameters.collect());
        let effect = AssistEffect::Prompt(prompt);
        let id = entry.name.as_str();
        found.push(Assist::new(id, entry.kind, entry.line(&dots), effect).of_item(item));
    }
    found
}
