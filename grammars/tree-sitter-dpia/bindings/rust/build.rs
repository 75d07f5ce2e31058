//! Compiles the generated parser.

fn main() {
    let source = std::path::Path::new("src");
    cc::Build::new()
        .std("c11")
        .include(source)
        .warnings(false)
        .file(source.join("parser.c"))
        .file(source.join("scanner.c"))
        .compile("tree-sitter-dpia");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=../common");
    println!("cargo:rerun-if-changed=queries");
}
