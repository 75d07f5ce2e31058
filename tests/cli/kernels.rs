//! Tests of strategies for a GPU: their kernels compute the result of the program, and some of them
//! equal the kernels written by hand.

use std::path::Path;

use crate::support::Folder;

/// A strategy of `examples/strategies`, a program, and the launch of its kernel.
struct Case {
    file: &'static str,
    program: &'static str,
    strategy: &'static str,
    local: &'static str,
    global: &'static str,
    sizes: &'static [&'static str],
    /// The file and definition of `examples/opencl` with the same kernel.
    by_hand: Option<(&'static str, &'static str)>,
}

const MM: Case = Case {
    file: "mm",
    program: "productOfColumns",
    strategy: "items",
    local: "16, 16",
    global: "m, n",
    sizes: &["n=64", "k=32", "m=128"],
    by_hand: None,
};

const BODIES: Case = Case {
    file: "nbody",
    program: "accelerations",
    strategy: "items",
    local: "64",
    global: "n",
    sizes: &["n=512"],
    by_hand: None,
};

const DOT: Case = Case {
    file: "dot",
    program: "partialDot",
    strategy: "items",
    local: "64",
    global: "n",
    sizes: &["n=64"],
    by_hand: None,
};

const CASES: &[Case] = &[
    MM,
    Case {
        program: "product",
        strategy: "tiles",
        ..MM
    },
    Case {
        strategy: "tilesInLocalMemory",
        ..MM
    },
    Case {
        strategy: "registers",
        local: "8, 4",
        global: "m / 4, n / 8",
        ..MM
    },
    Case {
        strategy: "blocks",
        local: "32, 8",
        global: "m / 4, n / 8",
        by_hand: Some(("mm", "mmNvidia")),
        ..MM
    },
    Case {
        strategy: "ahead",
        local: "32, 8",
        global: "m / 4, n / 8",
        ..MM
    },
    Case {
        strategy: "largeBlocksAhead",
        local: "16, 8",
        global: "m / 8, n / 8",
        ..MM
    },
    BODIES,
    Case {
        strategy: "groups",
        ..BODIES
    },
    Case {
        strategy: "blocks",
        ..BODIES
    },
    Case {
        strategy: "blocksInLocalMemory",
        ..BODIES
    },
    Case {
        strategy: "largeBlocksInLocalMemory",
        local: "256",
        ..BODIES
    },
    DOT,
    Case {
        strategy: "groups",
        ..DOT
    },
    Case {
        strategy: "tree",
        global: "64 * n",
        by_hand: Some(("partial_dot", "partialDot")),
        ..DOT
    },
];

fn examples() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

impl Case {
    /// Returns a folder with the rewritten program in `kernel.rise`.
    fn rewritten(&self) -> Folder {
        let read = |end: &str| {
            let path = examples().join(format!("strategies/{}.{end}", self.file));
            std::fs::read_to_string(path).expect("a text")
        };
        let launch = format!(
            "@opencl(local = [{}], global = [{}])",
            self.local, self.global
        );
        // The launch annotation precedes its definition.
        let text = read("rise");
        let at = text
            .find(&format!("def {}", self.program))
            .expect("the program");
        let at = text[..at].rfind("@run").expect("its sizes");
        let text = format!("{}@target(opencl)\n{launch}\n{}", &text[..at], &text[at..]);
        let strategies = read("elevate");
        let folder = Folder::with(&[("kernel.rise", &text), ("s.elevate", &strategies)]);
        let strategy = format!("s.elevate:{}", self.strategy);
        let ran = folder.run(&[
            "rewrite",
            "kernel.rise",
            "--def",
            self.program,
            "--strategy",
            &strategy,
            "--write",
        ]);
        assert_eq!(ran.status, 0, "{strategy} on {}: {}", self.program, ran.err);
        folder
    }
}

/// Returns a kernel without its comment, its names numbered in the order of their first occurrence.
fn up_to_names(kernel: &str) -> String {
    let body = kernel.split_once("*/").map_or(kernel, |(_, body)| body);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut names: Vec<&str> = Vec::new();
    let mut text = String::new();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        if first.is_alphabetic() {
            let at = names.iter().position(|name| *name == word);
            let at = at.unwrap_or_else(|| {
                names.push(word);
                names.len() - 1
            });
            text += &format!("v{at}");
        } else if !first.is_whitespace() {
            text += word;
        }
    }
    text
}

fn emitted(folder: &Folder, file: &str, def: &str) -> String {
    let ran = folder.run(&["emit", "--as", "opencl", file, "--def", def]);
    assert_eq!(ran.status, 0, "{file}: {}", ran.err);
    ran.out
}

#[test]
fn some_are_those_that_are_written_by_hand() {
    for case in CASES {
        let Some((file, def)) = case.by_hand else {
            continue;
        };
        let folder = case.rewritten();
        let own = emitted(&folder, "kernel.rise", case.program);
        let file = examples().join(format!("opencl/{file}.rise"));
        let hand = emitted(&folder, &file.to_string_lossy(), def);
        assert!(
            up_to_names(&own) == up_to_names(&hand),
            "{}: {own}\nis not\n{hand}",
            case.strategy
        );
    }
}

#[test]
#[cfg_attr(not(tool = "opencl"), ignore = "needs an OpenCL device")]
fn all_compute_what_the_program_says() {
    for case in CASES {
        let folder = case.rewritten();
        let mut args = vec!["run", "kernel.rise", "--def", case.program];
        args.extend(["--backend", "opencl", "--verify"]);
        args.extend(case.sizes.iter().flat_map(|size| ["-D", *size]));
        let ran = folder.run(&args);
        assert_eq!(ran.status, 0, "{}: {}{}", case.strategy, ran.out, ran.err);
        assert!(ran.out.contains("as in the interpreter"), "{}", ran.out);
    }
}

#[test]
fn names_do_not_make_a_difference() {
    assert_eq!(
        up_to_names("/* a */ int x = y + x;"),
        up_to_names("int a=b+a;")
    );
    assert_ne!(up_to_names("x = y;"), up_to_names("x = x;"));
}
