mod common;
#[test]
fn scratch() {
    for f in std::env::var("RISE_FILES").unwrap_or_default().split(' ').filter(|f| !f.is_empty()) {
        println!("=== {f}");
        println!("{}", common::report(&std::fs::read_to_string(f).unwrap()));
    }
}
