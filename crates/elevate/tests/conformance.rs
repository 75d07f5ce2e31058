//! The tables of conformance: every example in `tests/conformance`, run.

use std::fs;
use std::path::Path;

use elevate::lang::{File, Programs, run_example};
use syntax::elevate::ast::Order;

#[test]
fn every_example_does_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a text");
        let name = entry.file_name();
        let work = std::thread::Builder::new().stack_size(256 << 20);
        let run = move || {
            let file = File::new(&text, Programs::standard().clone());
            let mut said: Vec<String> = file.diagnostics().into_iter().map(|d| d.message).collect();
            let items: Vec<_> = file.items().collect();
            for item in &items {
                let found = run_example(item, file.definitions(), Order::Default, None);
                let title = item.text.lines().next().unwrap_or_default();
                said.extend(found.iter().map(|d| format!("{title}: {}", d.message)));
            }
            (items.len(), said)
        };
        let (items, said) = work.spawn(run).expect("a thread").join().expect("no panic");
        count += items;
        wrong.extend(said.into_iter().map(|s| format!("{}: {s}", name.display())));
    }
    assert!(count > 50, "{count} examples");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
