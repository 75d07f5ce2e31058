//! Declares the diagnostics about files and their items.

use syntax::{Code, declare_diagnostics};

declare_diagnostics! {
    /// The file is not UTF-8.
    ///
    /// RISE files are UTF-8, with or without a byte order mark. A file with other bytes is not read at all, because its encoding is
    /// not known. The message names the first byte that is not UTF-8. To convert the file, use "save with encoding" in an editor, or
    /// `iconv -f latin1 -t utf-8` on a command line.
    ///
    /// Wrong, as bytes (`def x = 1.0f // caf\xE9`):
    ///
    /// ```hex wrong
    /// 64 65 66 20 78 20 3d 20 31 2e 30 66 20 2f 2f 20 63 61 66 e9
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def x = 1.0f // café
    /// ```
    NOT_TEXT = "not-text";

    /// Two definitions in a file have the same name.
    ///
    /// Definitions may be used before their place in the file, so a second one cannot replace the first from some line on. The error
    /// is at the later one, and uses of the name refer to the earlier one.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def scale = fun(x: f32 => x * 2.0f)
    /// def scale = fun(x: f32 => x * 3.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def scale2 = fun(x: f32 => x * 2.0f)
    /// def scale3 = fun(x: f32 => x * 3.0f)
    /// ```
    DUPLICATE_DEF = "duplicate-def";

    /// A definition uses itself, directly or through other definitions.
    ///
    /// RISE has no recursion: every program terminates, and loops are expressed with patterns. Use `map`, `reduce`, `scanSeq` or
    /// `iterate` for repetition. The error is at the name of the first definition of the cycle.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// def down = fun(x: f32 => down(x - 1.0f))
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// def down = fun(xs: 8.f32 => xs |> map(fun(x => x - 1.0f)))
    /// ```
    RECURSIVE_DEF = "recursive-def";

    /// An import names a file that does not exist or cannot be read.
    ///
    /// The path is relative to the folder of the importing file, and includes the extension: `import "lib/blur.rise"`. The message
    /// states why the file cannot be read, and suggests a similar name if there is one in that folder. Only regular files are
    /// imported, and only from the project that is checked: the nearest folder above with `rise.toml` or `.git`, otherwise the
    /// folder of the file. `--allow-import FOLDER` allows another folder, as does the setting `rise.imports.folders` in an editor. A
    /// `.rise` or `.elevate` file imports only `.rise` and `.elevate` files, and a `.dpia` file only `.dpia` files.
    ///
    /// Wrong:
    ///
    /// ```rise wrong
    /// import "meters.rise"
    /// def one = 1.0f
    /// ```
    ///
    /// ```rise with file=metres.rise
    /// def toUnit = fun(x: f32 => x * 1.0f)
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// import "metres.rise"
    /// def one = 1.0f
    /// ```
    IMPORT_NOT_FOUND = "import-not-found";

    /// Files import each other in a cycle.
    ///
    /// If two files need each other's definitions, move these definitions to a third file that both import. A file that imports
    /// itself is also a cycle.
    ///
    /// Wrong:
    ///
    /// ```rise wrong file=circle.rise
    /// import "circle.rise"
    /// def one = 1.0f
    /// ```
    ///
    /// Right:
    ///
    /// ```rise right
    /// import "metres.rise"
    /// def one = 1.0f
    /// ```
    ///
    /// ```rise with file=metres.rise
    /// def toUnit = fun(x: f32 => x * 1.0f)
    /// ```
    IMPORT_CYCLE = "import-cycle";

    /// The checker failed on this definition because of a bug in `rise-ls`.
    ///
    /// Everything else is checked as usual. Please report the bug, with the definition. A workaround is often to write the type of
    /// the definition, or to split it in two.
    INTERNAL = "internal";
}

/// Returns the declared codes of the diagnostics of all crates, in the order of the error
/// reference.
pub fn all() -> Vec<Code> {
    [
        syntax::codes::DIAGNOSTICS,
        rise::codes::DIAGNOSTICS,
        elevate::codes::DIAGNOSTICS,
        dpia::codes::DIAGNOSTICS,
        codegen::codes::DIAGNOSTICS,
        DIAGNOSTICS,
    ]
    .concat()
}
