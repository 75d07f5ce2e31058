//! Descriptions of the launch and the device memory of a definition's kernels.

use codegen::{Kernel, KernelArg, Module};
use nat::Nat;
use rise::core::Launch;

use crate::flow::Flow;
use crate::item_view::View;

/// The largest number of conditions of a launch that are listed.
const MOST_CONDITIONS: usize = 3;

/// Describes the kernels of a definition whose first target has work-items; empty for other
/// definitions, and if the kernels cannot be generated.
pub(super) fn launched(view: &View<'_>) -> String {
    let flow = Flow::of(view.db, view.id).filter(|flow| flow.target.features().has_work_items());
    let Some(flow) = flow else {
        return String::new();
    };
    let Ok(module) = view.db.module(view.id, flow.target) else {
        return String::new();
    };
    let title = flow.target.title();
    let Some(device) = &module.device else {
        return String::new();
    };
    let mut lines: Vec<String> = Vec::new();
    for kernel in &device.kernels {
        lines.push(of_kernel(&flow, kernel));
    }
    if let Some(buffers) = buffers(&flow, &module) {
        lines.push(buffers);
    }
    match &lines[..] {
        [] => String::new(),
        [one] => format!("In {title}: {one}"),
        several => format!("In {title}:\n\n- {}", several.join("\n- ")),
    }
}

fn of_kernel(flow: &Flow, kernel: &Kernel) -> String {
    let mut text = format!(
        "the kernel `{}` {}.",
        kernel.name,
        sizes(flow, &kernel.launch)
    );
    if let Some(local) = local_memory(flow, kernel) {
        text.push(' ');
        text.push_str(&local);
    }
    let private = &kernel.private_bytes;
    if !private.is_zero() && !mentions_launch(kernel, |var| private.mentions(var)) {
        let amount = flow.amount(private);
        text.push_str(&format!(
            " Each work-item has {} of private memory.",
            amount.sentence()
        ));
    }
    let known = |prop: &&nat::Prop| !mentions_launch(kernel, |var| prop.mentions(var));
    let conditions = kernel.requires.iter().filter(known).take(MOST_CONDITIONS);
    let conditions: Vec<String> = conditions
        .map(|prop| format!("`{}`", rise::print::prop_text(prop, flow.names())))
        .collect();
    if !conditions.is_empty() {
        text.push_str(" It is launched only if ");
        text.push_str(&conditions.join(" and "));
        text.push('.');
    }
    text
}

/// Describes the launch sizes: `is launched with n/2 work-items in groups of 64`.
fn sizes(flow: &Flow, launch: &Launch) -> String {
    let (global, local) = (known(&launch.global), known(&launch.local));
    let text = match (&global, &local) {
        (Some(global), Some(local)) => format!(
            "is launched with {} work-items in groups of {}",
            grid(flow, global),
            grid(flow, local)
        ),
        (Some(global), None) => format!(
            "is launched with {} work-items; how many are a group is chosen when it runs",
            grid(flow, global)
        ),
        (None, Some(local)) => format!(
            "is launched in groups of {} work-items; how many groups is chosen when it runs",
            grid(flow, local)
        ),
        (None, None) => "is launched with sizes that are chosen when it runs".to_owned(),
    };
    match global.and_then(|global| with_run(flow, &global, local.as_deref())) {
        Some(with) => format!("{text} ({with})"),
        None => text,
    }
}

/// Returns the sizes of the dimensions, if all of them are known, without the last dimensions of
/// size 1.
fn known(sizes: &[Option<Nat>; 3]) -> Option<Vec<Nat>> {
    let mut all: Vec<Nat> = sizes.iter().cloned().collect::<Option<_>>()?;
    while all.len() > 1 && all.last().is_some_and(Nat::is_one) {
        all.pop();
    }
    Some(all)
}

/// Renders sizes as a product: `` `m` × `n` ``.
fn grid(flow: &Flow, sizes: &[Nat]) -> String {
    let all: Vec<String> = sizes.iter().map(|size| flow.size(size)).collect();
    all.join(" × ")
}

/// Renders the sizes with the values of `@run`, `1024 × 1024 in 4096 groups`, followed by that
/// annotation. Returns `None` if the sizes do not depend on `@run`, or it does not determine the
/// global sizes.
fn with_run(flow: &Flow, global: &[Nat], local: Option<&[Nat]>) -> Option<String> {
    let all: Vec<&Nat> = global.iter().chain(local.unwrap_or_default()).collect();
    let with = flow.sizes_in(&all)?;
    let values =
        |sizes: &[Nat]| -> Option<Vec<u64>> { sizes.iter().map(|size| flow.value(size)).collect() };
    let global = values(global)?;
    let shown: Vec<String> = global.iter().map(u64::to_string).collect();
    let product = |sizes: &[u64]| sizes.iter().try_fold(1_u64, |all, n| all.checked_mul(*n));
    let groups = local
        .and_then(values)
        .and_then(|local| product(&global)?.checked_div(product(&local)?));
    let shown = shown.join(" × ");
    Some(match groups {
        Some(groups) => format!("{shown} in {groups} groups with `@run({with})`"),
        None => format!("{shown} with `@run({with})`"),
    })
}

/// Describes the local memory of a group; `None` if it has none.
fn local_memory(flow: &Flow, kernel: &Kernel) -> Option<String> {
    let given = kernel.args.iter().filter_map(|arg| match arg {
        KernelArg::Local { bytes } => Some(bytes),
        _ => None,
    });
    let bytes = given.fold(kernel.local_bytes.clone(), |all, bytes| {
        Nat::add(&all, bytes)
    });
    if bytes.is_zero() {
        return None;
    }
    if mentions_launch(kernel, |var| bytes.mentions(var)) {
        return Some("How much local memory a group has depends on the launch.".to_owned());
    }
    let amount = flow.amount(&bytes);
    let share = amount.number.map(|bytes| flow.of_local(bytes));
    Some(format!(
        "A group has {} of local memory{}.",
        amount.sentence(),
        share.unwrap_or_default()
    ))
}

/// Returns true if `mentions` does for a variable of the kernel's launch sizes: these sizes are not
/// given in the program.
fn mentions_launch(kernel: &Kernel, mentions: impl Fn(nat::Var) -> bool) -> bool {
    let all = kernel.sizes.local.iter().chain(&kernel.sizes.global);
    all.copied().any(mentions)
}

/// Lists the buffers in global memory that hold data between kernels; `None` if there are none.
fn buffers(flow: &Flow, module: &Module) -> Option<String> {
    let device = module.device.as_ref()?;
    let all = device.kernels.iter();
    let is_open = |bytes: &Nat| {
        all.clone()
            .any(|kernel| mentions_launch(kernel, |var| bytes.mentions(var)))
    };
    let sizes = device
        .buffers
        .iter()
        .map(|buffer| match is_open(&buffer.bytes) {
            true => format!("`{}`", buffer.name),
            false => format!(
                "`{}`, {}",
                buffer.name,
                flow.amount(&buffer.bytes).sentence()
            ),
        });
    let sizes: Vec<String> = sizes.collect();
    (!sizes.is_empty()).then(|| format!("global memory between kernels: {}.", sizes.join("; ")))
}
