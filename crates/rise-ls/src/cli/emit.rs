//! Implements `rise-ls emit`, which prints a definition in one of the intermediate forms or target
//! languages of the compiler.

use super::args::{ImportOptions, IndexWord, Language, one_of};
use super::position::{self, Range};
use super::report::{Reporter, shown};
use super::workspace::Workspace;
use super::{BAD_USAGE, FAILURE, SUCCESS, human, output, select};
use crate::run::causes;
use clap::Args as Group;
use clap::builder::TypedValueParser;
use codegen::{HostProgram, Parallelism};
use codegen::{PassSet, Stage};
use db::{Database, FileId, IndexPolicy, ItemId, Target};
use ide::{Form, Preview};
use ropey::Rope;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use syntax::{Diagnostic, Severity, Span};

/// The arguments of `emit`.
#[derive(Debug, Group)]
pub struct EmitOptions {
    /// The file; `-` is standard input
    pub file: PathBuf,

    /// The definition; the file's only one, or the one that nothing else uses, if it is left out
    #[arg(long, value_name = "NAME")]
    pub def: Option<String>,

    /// The form
    #[arg(long = "as", value_parser = forms(), value_name = "FORM")]
    pub form: Form,

    /// The width of sizes and indices in generated code, in bits; with `auto` the sizes of each
    /// call choose (kernels without `--host` have 64) [default: 32]
    #[arg(long, value_enum, value_name = "BITS")]
    pub index: Option<IndexWord>,

    /// Prints the program between lowering and the text for a target, as this pass of the compiler
    /// leaves it; `list` prints the names of the passes in order
    #[arg(long, value_name = "PASS", conflicts_with = "host")]
    pub after: Option<String>,

    /// Leaves out an optional pass of the compiler; can be repeated
    #[arg(long, value_name = "PASS")]
    pub without: Vec<String>,

    /// A C program that runs the kernels, with them in it (OpenCL)
    #[arg(long)]
    pub host: bool,

    /// Writes which part of the output came from where, as JSON
    #[arg(long, value_name = "MAP.json")]
    pub map: Option<PathBuf>,

    /// Writes the text here instead of to standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// The language of standard input, and of files whose names do not say it
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<Language>,

    /// The folders from which files may be imported, besides those of their own projects.
    #[command(flatten)]
    pub imports: ImportOptions,
}

fn forms() -> impl TypedValueParser<Value = Form> {
    let forms = Form::all().filter(|form| !matches!(form, Form::Host(_)));
    // The names of these forms are constants.
    one_of(
        forms.filter_map(|form| match (form.name(), form.summary()) {
            (Cow::Borrowed(name), Cow::Borrowed(summary)) => Some((form, name, summary)),
            (Cow::Owned(_), _) | (_, Cow::Owned(_)) => None,
        }),
    )
}

/// Returns the error message for an option that needs a target. It is used if the form of `--as` is
/// not a target.
fn only_for_targets(option: &str) -> String {
    let names: Vec<&str> = Target::all().map(Target::as_str).collect();
    format!(
        "`{option}` needs `--as` with a target: {}",
        names.join(", ")
    )
}

/// Returns the form that shows a program after a pass.
///
/// # Errors
/// Returns a message if there is no target, or the target has no pass of this name.
fn after(target: Option<Target>, pass: &str) -> Result<Form, String> {
    let target = target.ok_or_else(|| only_for_targets("--after"))?;
    let stage = Stage::find(target, pass);
    stage.map(Form::After).ok_or_else(|| {
        let names: Vec<String> = Stage::all(target).map(Stage::name).collect();
        format!(
            "there is no pass `{pass}` for {}; in order, there are {}",
            target.title(),
            names.join(", ")
        )
    })
}

/// Prints the names of the passes for a target, in order, and returns the exit status.
fn list(target: Target) -> u8 {
    output::result(SUCCESS, |out| {
        for stage in Stage::all(target) {
            let note = if stage.is_optional() {
                " (optional)"
            } else {
                ""
            };
            writeln!(out, "{}{note}", stage.name())?;
        }
        Ok(())
    })
}

/// Returns the passes to leave out.
///
/// # Errors
/// Returns a message if a pass is left out without a target, or a name is not that of an optional
/// pass.
fn left_out(options: &EmitOptions, target: Option<Target>) -> Result<PassSet, String> {
    if !options.without.is_empty() && target.is_none() {
        return Err(only_for_targets("--without"));
    }
    PassSet::of(&options.without)
}

/// An entry of the source map.
#[derive(Serialize)]
struct MapLine {
    /// The range in the output.
    target: Range,
    /// The range in the source file.
    source: Range,
    /// The primitive, definition and passes that this part comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_by: Option<String>,
}

#[derive(Serialize)]
struct Map<'a> {
    path: &'a str,
    map: Vec<MapLine>,
}

/// Writes the definition in the requested form, or with `--host` the C program that runs its
/// kernels, to standard output or to the file of `--output`, and returns the exit status. With
/// `--after list`, prints the names of the passes instead.
pub fn run(options: &EmitOptions) -> u8 {
    let form = options.form;
    let host_program = match form {
        Form::Code(target) => (target.description().host).map(|program| (target, program)),
        Form::Rise
        | Form::Schedule(_)
        | Form::Functional
        | Form::Imperative
        | Form::Host(_)
        | Form::After(_) => None,
    };
    let host_program = host_program.filter(|_| options.host);
    let target = Target::from_name(&form.name());
    if let (Some("list"), Some(target)) = (options.after.as_deref(), target) {
        return list(target);
    }
    let form = match &options.after {
        Some(pass) => after(target, pass),
        None => Ok(form),
    };
    let (form, without) = match (form, left_out(options, target)) {
        (Ok(form), Ok(without)) => (form, without),
        (Err(message), _) | (_, Err(message)) => {
            output::error(&message);
            return BAD_USAGE;
        }
    };
    if options.host && host_program.is_none() {
        let target = Target::with(Parallelism::WorkItems);
        output::error(&format!(
            "`--host` is for {}: write `--as {} --host`",
            target.title(),
            target.as_str()
        ));
        return BAD_USAGE;
    }
    if let Some(message) = overwrites(options) {
        output::error(&message);
        return BAD_USAGE;
    }
    let loaded = Workspace::load_file(&options.file, options.language, &options.imports);
    let (mut workspace, file) = match loaded {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let Some(item) = select(&workspace.db, file, options.def.as_deref()) else {
        return BAD_USAGE;
    };
    let index = options.index.map_or(IndexPolicy::default(), |word| {
        word.width()
            .map_or(IndexPolicy::BySizes, IndexPolicy::Fixed)
    });
    workspace.db.set_index_width(index);
    workspace.db.set_left_out_passes(without);
    let preview = ide::preview(&workspace.db, file, item, form);
    match (preview, host_program) {
        (Ok(_), Some(program)) => host(&workspace, item, program, options),
        (Ok(preview), None) => write(&workspace, file, &preview, options),
        (Err(errors), _) => wrong(&workspace, item, &errors),
    }
}

/// Returns a message if an output file is the source, or if two outputs are one file.
fn overwrites(options: &EmitOptions) -> Option<String> {
    let same = |a: &Path, b: &Path| {
        a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
    };
    let outputs: Vec<&PathBuf> = [&options.output, &options.map]
        .into_iter()
        .flatten()
        .collect();
    if let Some(path) = outputs.iter().find(|path| same(path, &options.file)) {
        return Some(format!(
            "{}: is the source, which is not overwritten",
            path.display()
        ));
    }
    match outputs[..] {
        [text, map] if same(text, map) => Some(format!(
            "{}: cannot be both the text and its map",
            map.display()
        )),
        _ => None,
    }
}

/// Writes a C program that runs the kernels, to standard output or to the file of `--output`, and
/// returns the exit status.
fn host(
    workspace: &Workspace,
    item: ItemId,
    (target, program): (Target, HostProgram),
    options: &EmitOptions,
) -> u8 {
    if options.map.is_some() {
        output::error("`--map` and `--host` cannot be combined: leave out one of them");
        return BAD_USAGE;
    }
    let module = match workspace.db.module(item, target) {
        Ok(module) => module,
        Err(errors) => return wrong(workspace, item, &errors),
    };
    match (program.print)(&module) {
        Ok(Some(text)) => text_out(&text, options),
        Ok(None) => {
            output::error("the definition has no kernels");
            FAILURE
        }
        Err(error) => {
            output::error(&error.to_string());
            FAILURE
        }
    }
}

fn text_out(text: &str, options: &EmitOptions) -> u8 {
    match &options.output {
        Some(path) => match output::to_file(path, |out| out.write_all(text.as_bytes())) {
            Ok(()) => SUCCESS,
            Err(status) => status,
        },
        None => output::result(SUCCESS, |out| out.write_all(text.as_bytes())),
    }
}

fn wrong(workspace: &Workspace, item: ItemId, errors: &[Diagnostic]) -> u8 {
    let db = &workspace.db;
    let mut reporter = Reporter::new(db, &workspace.base);
    let causes = match db.linked(item) {
        Ok(_) => Vec::new(),
        Err(_) => causes(db, item),
    };
    for (item, errors) in &causes {
        reporter.item(*item, errors);
    }
    if causes.is_empty() {
        reporter.item(item, errors);
    }
    human::errors(&reporter.finish().at_least(Severity::Information))
}

fn write(workspace: &Workspace, file: FileId, preview: &Preview, options: &EmitOptions) -> u8 {
    if let Some(path) = &options.map {
        let name = shown(&workspace.db.path(file), &workspace.base);
        let map = Map {
            path: &name,
            map: lines(&workspace.db, file, preview),
        };
        let written = output::to_file(path, |out| Ok(serde_json::to_writer(out, &map)?));
        if let Err(status) = written {
            return status;
        }
    }
    text_out(&preview.text, options)
}

fn lines(db: &Database, file: FileId, preview: &Preview) -> Vec<MapLine> {
    let output = Rope::from_str(&preview.text);
    let source = db.text(file);
    let at = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    let line = |part: &ide::PreviewPart| {
        let start = db.item_span(part.item).start;
        let target = Span::new(at(part.target.start), at(part.target.end));
        let span = Span::new(start + part.source.start, start + part.source.end);
        MapLine {
            target: position::range(&output, target),
            source: position::range(&source, span),
            made_by: part.made.text(),
        }
    };
    preview.map.iter().map(line).collect()
}
