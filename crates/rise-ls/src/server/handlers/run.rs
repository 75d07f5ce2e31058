//! `rise/run`: runs a definition with the text in the editor, not the one on disk.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen::PassSet;
use db::{Declaration, FileId, ItemId};
use runtime::launch::{ArgumentSource, Request};
use runtime::literal::Literal;
use runtime::process::{Limits, TimeLimit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use syntax::ast::ItemKind;
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Position, ProgressToken,
    TextDocumentIdentifier,
};

use super::Answer;
use crate::run::{self, Backend, Complaint, Done, Failure, FailureJson, Job, text};
use crate::select::{self, Unclear};
use crate::server::client::to_value;
use crate::server::event::invalid_params;
use crate::server::run_threads;
use crate::server::snapshot::Snapshot;
use crate::server::to_proto;
use crate::server::uri::Uri;

/// The largest number of scalars of a result that is sent completely.
const MAX_SCALARS: u64 = 1_000_000;
/// The largest nesting depth of arrays and tuples in an argument that is a JSON value, as for
/// values in text.
const MAX_DEPTH: usize = 64;

/// The parameters of `rise/run`, and the argument of the command `rise.run`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunParams {
    #[serde(default)]
    text_document: Option<TextDocumentIdentifier>,
    /// The document, if `text_document` is missing. The arguments of code lenses have this field.
    #[serde(default)]
    uri: Option<Uri>,
    #[serde(default)]
    def: Option<String>,
    /// A position in the definition, if it is not named.
    #[serde(default)]
    position: Option<Position>,
    /// The name of the backend.
    #[serde(default)]
    backend: Option<String>,
    /// The device: a part of its name or platform, or its number. By default it is that of the
    /// settings.
    #[serde(default)]
    device: Option<String>,
    /// The local size in each dimension, instead of that of the program.
    #[serde(default)]
    local: Option<Vec<u64>>,
    /// The global size in each dimension.
    #[serde(default)]
    global: Option<Vec<u64>>,
    #[serde(default)]
    sizes: BTreeMap<String, u64>,
    /// The arguments: JSON values, or strings as on the command line.
    #[serde(default)]
    args: BTreeMap<String, Value>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    bench: Option<NonZeroU32>,
    #[serde(default)]
    verify: bool,
    #[serde(default)]
    tolerance: Option<f64>,
    /// The time limit in seconds, 0 for none; by default that of the settings.
    #[serde(default)]
    time_limit: Option<f64>,
    /// True, the default, if the answer contains the whole result, and not only its text. Results
    /// of more than a million scalars are left out.
    #[serde(default)]
    value: Option<bool>,
    /// The token for progress reports.
    #[serde(default)]
    pub work_done_token: Option<ProgressToken>,
}

impl RunParams {
    /// Returns the URI of the document.
    ///
    /// # Errors
    /// Fails if no document is given.
    pub fn document(&self) -> Result<&Uri, Error> {
        let named = self.text_document.as_ref().map(|document| &document.uri);
        named
            .or(self.uri.as_ref())
            .ok_or_else(|| invalid_params("`textDocument` is missing"))
    }
}

/// A validated request to run a definition.
#[derive(Debug)]
pub struct RunRequest {
    item: ItemId,
    job: Job,
    time: Option<Duration>,
    whole: bool,
    /// The title for progress reports, as in `Running dot`.
    pub title: String,
}

/// An error because of which a run has no result, with its document.
#[derive(Debug, Serialize)]
struct LocatedDiagnostic {
    uri: Uri,
    #[serde(flatten)]
    diagnostic: Diagnostic,
}

#[derive(Debug, Serialize)]
struct FailedRun {
    #[serde(flatten)]
    described_failure: FailureJson,
    errors: Vec<LocatedDiagnostic>,
}

#[derive(Debug)]
pub enum Outcome {
    /// A completed or failed run.
    Ended {
        /// The JSON that `rise-ls run --format json` prints, or that of the failure.
        json: String,
        /// A human-readable summary of the answer.
        summary: String,
        /// True if there is a result, and it is right if it was verified.
        succeeded: bool,
        device: Option<String>,
    },
    Cancelled,
}

/// Validates the parameters of a run.
pub fn validate(
    snapshot: &Snapshot,
    file: FileId,
    params: &RunParams,
    limit: Option<Duration>,
) -> Answer<RunRequest> {
    let item = definition(snapshot, file, params)?;
    let backend = match &params.backend {
        None => None,
        Some(name) => Some(Backend::from_name(name).ok_or_else(|| {
            let known = Backend::all().map(|backend| format!("`{}`", backend.as_str()));
            let known = run::enumeration(known, "and");
            invalid_params(format_args!(
                "there is no backend `{name}`; the backends are {known}"
            ))
        })?),
    };
    if let Some(tolerance) = params.tolerance
        && (tolerance < 0.0 || tolerance.is_nan())
    {
        return Err(invalid_params("a tolerance must be a number of at least 0"));
    }
    let time = match params.time_limit {
        None => limit,
        Some(seconds) => run_threads::time_limit(seconds).ok_or_else(|| {
            invalid_params("a time limit must be a number of seconds of at least 0")
        })?,
    };
    let path = snapshot.db.path(file);
    let folder = path.as_disk().and_then(Path::parent).map(PathBuf::from);
    let argument = |(name, value): (&String, &Value)| {
        let source = source(value, folder.as_deref()).map_err(|described_failure| {
            invalid_params(format_args!("the argument `{name}`: {described_failure}"))
        })?;
        Ok((name.clone(), source))
    };
    let def = match &snapshot.db.header(item).declares {
        Declaration::Def(name) => name.to_string(),
        _ => String::new(),
    };
    let set = &snapshot.view.settings.device;
    let job = Job {
        backend,
        request: Request {
            sizes: params.sizes.iter().map(|(n, v)| (n.clone(), *v)).collect(),
            defaults: run::default_sizes(&snapshot.db.parsed(item).item),
            args: params.args.iter().map(argument).collect::<Answer<_>>()?,
            seed: params.seed,
            memory: None,
        },
        bench: params.bench.map(Into::into),
        verify: params.verify,
        tolerance: params.tolerance,
        index: None,
        without: PassSet::default(),
        device: params.device.clone().filter(|device| !device.is_empty()),
        preferred_device: (!set.is_empty()).then(|| set.to_string()),
        local: sizes("local", params.local.as_ref())?,
        global: sizes("global", params.global.as_ref())?,
    };
    Ok(RunRequest {
        item,
        job,
        time,
        whole: params.value.unwrap_or(true),
        title: format!("Running {def}"),
    })
}

fn definition(snapshot: &Snapshot, file: FileId, params: &RunParams) -> Answer<ItemId> {
    let db = &snapshot.db;
    if let (None, Some(position)) = (&params.def, params.position) {
        let at = db.item_at(file, snapshot.document_of(file).offset(position));
        let is_def = |item: &ItemId| matches!(db.parsed(*item).item.kind, ItemKind::Def { .. });
        let found = at.map(|(item, _)| item).filter(is_def);
        return found.ok_or_else(|| invalid_params("there is no definition at this place"));
    }
    select::definition(db, file, params.def.as_deref()).map_err(|unclear| {
        let how = match unclear {
            Unclear::Several { .. } => "; say which one with `def`",
            Unclear::Missing { .. } | Unclear::Nothing => "",
        };
        let note = unclear
            .note()
            .map_or_else(String::new, |note| format!("; {note}"));
        invalid_params(format_args!("{unclear}{how}{note}"))
    })
}

/// Parses an argument: a string as on the command line, or a JSON value. Relative file names are
/// resolved in the folder of the document.
fn source(value: &Value, folder: Option<&Path>) -> Result<ArgumentSource, String> {
    let Value::String(text) = value else {
        return literal(value, 0).map(ArgumentSource::Literal);
    };
    let source = run::source(text).map_err(|error| error.to_string())?;
    Ok(match (source, folder) {
        (ArgumentSource::File(path), Some(folder)) => ArgumentSource::File(folder.join(path)),
        (source, _) => source,
    })
}

fn literal(value: &Value, depth: usize) -> Result<Literal, String> {
    if depth > MAX_DEPTH {
        return Err(format!(
            "the value is nested too deeply: at most {MAX_DEPTH} arrays may be inside one another"
        ));
    }
    match value {
        Value::Bool(_) | Value::Number(_) => Ok(Literal::Word(value.to_string())),
        Value::Array(all) => {
            let all = all.iter().map(|value| literal(value, depth + 1));
            Ok(Literal::List(all.collect::<Result<_, _>>()?))
        }
        Value::Object(fields) => match (fields.get("_1"), fields.get("_2")) {
            (Some(first), Some(second)) if fields.len() == 2 => Ok(Literal::Pair(
                Box::new(literal(first, depth + 1)?),
                Box::new(literal(second, depth + 1)?),
            )),
            _ => Err(
                "an object must have the fields `_1` and `_2`, the components of a tuple"
                    .to_owned(),
            ),
        },
        // Strings represent NaN and infinities, as in results.
        Value::String(text) => Literal::parse(text).map_err(|error| error.to_string()),
        Value::Null => Err("`null` is not a value".to_owned()),
    }
}

/// Validates launch sizes: one to three positive numbers.
fn sizes(what: &str, sizes: Option<&Vec<u64>>) -> Answer<Option<Vec<u64>>> {
    let fits = |all: &Vec<u64>| (1..=3).contains(&all.len()) && !all.contains(&0);
    match sizes.is_none_or(fits) {
        true => Ok(sizes.cloned()),
        false => Err(invalid_params(format_args!(
            "`{what}` must have one to three numbers, each of at least 1"
        ))),
    }
}

/// Runs the program on a snapshot that is not shared, so that edits do not wait for it.
pub fn run(
    snapshot: &mut Snapshot,
    request: &RunRequest,
    limits: Limits,
    progress: &mut dyn FnMut(&str),
) -> Outcome {
    if limits.cancel.is_cancelled() {
        return Outcome::Cancelled;
    }
    let limits = Limits {
        time: request.time.map(TimeLimit::of_each_part),
        ..limits
    };
    let ran = run::prepare(&mut snapshot.db, request.item, &request.job, &limits)
        .and_then(|()| run::run(&snapshot.db, request.item, &request.job, &limits, progress));
    match ran {
        Ok(done) => Outcome::Ended {
            json: result(&done, request.whole),
            summary: summary(&done),
            succeeded: done.verified.as_ref().is_none_or(|found| found.wrong == 0),
            device: done.device.map(|device| device.name),
        },
        Err(Failure::Cancelled) => Outcome::Cancelled,
        Err(_) if limits.cancel.is_cancelled() => Outcome::Cancelled,
        Err(failure) => {
            let failed = FailedRun {
                described_failure: described_failure(&failure),
                errors: error_diagnostics(snapshot, &failure),
            };
            Outcome::Ended {
                json: to_value(&failed).to_string(),
                summary: failed.described_failure.error,
                succeeded: false,
                device: None,
            }
        }
    }
}

fn result(done: &Done, whole: bool) -> String {
    let whole = whole && text::printed(done.value.shape()) <= MAX_SCALARS;
    run::result_json(done, &[], whole)
}

/// Summarises the result on one line, as in `` `dot` ran in C with n = 4: 20.0 ``.
fn summary(done: &Done) -> String {
    let mut said = format!("{}: {}", text::conditions(done), text::short(done));
    for line in [
        text::fallback(done),
        text::times(done),
        text::verdict(done),
        text::doubt(done),
    ]
    .into_iter()
    .flatten()
    {
        said.push_str("; ");
        said.push_str(&line);
    }
    said
}

/// Describes a failure, with advice for editors.
fn described_failure(failure: &Failure) -> FailureJson {
    let mut described = run::failure_json(failure);
    let missing = described.missing_sizes.iter();
    let sizes: Vec<String> = missing.map(|name| format!("{name} = …")).collect();
    if !sizes.is_empty() {
        let sizes = sizes.join(", ");
        described.error =
            format!("there are no sizes to run with: write `@run({sizes})` above the definition");
    }
    described
}

/// Returns the errors of a failure that have a source location, with their documents.
fn error_diagnostics(snapshot: &Snapshot, failure: &Failure) -> Vec<LocatedDiagnostic> {
    match failure {
        Failure::Wrong(all) => all
            .iter()
            .flat_map(|(item, found)| located_diagnostics(snapshot, *item, found))
            .collect(),
        Failure::Failed(complaint) => error_diagnostic(snapshot, complaint).into_iter().collect(),
        Failure::Launch(_) | Failure::Plan(_) | Failure::Unavailable(_) | Failure::Cancelled => {
            Vec::new()
        }
    }
}

fn located_diagnostics(
    snapshot: &Snapshot,
    item: ItemId,
    found: &[syntax::Diagnostic],
) -> Vec<LocatedDiagnostic> {
    let file = snapshot.db.file_of(item);
    let Some(uri) = snapshot.uri(file) else {
        return Vec::new();
    };
    let document = snapshot.document_of(file);
    let found = ide::item_diagnostics(&snapshot.db, item, found);
    let located = |found: &ide::FileDiagnostic| LocatedDiagnostic {
        uri: uri.clone(),
        diagnostic: to_proto::diagnostic(snapshot, &document, found),
    };
    found.iter().map(located).collect()
}

fn error_diagnostic(snapshot: &Snapshot, complaint: &Complaint) -> Option<LocatedDiagnostic> {
    let location = |(item, span): run::Location| {
        snapshot.location(ide::FileRange {
            file: snapshot.db.file_of(item),
            span: snapshot.db.absolute(item, span),
        })
    };
    let at = location(complaint.place?)?;
    let uses = complaint.uses.iter().filter_map(|place| {
        Some(DiagnosticRelatedInformation {
            location: location(*place)?,
            message: "used here".to_owned(),
        })
    });
    let uses: Vec<_> = uses.collect();
    Some(LocatedDiagnostic {
        uri: at.uri,
        diagnostic: Diagnostic {
            range: at.range,
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some("rise".into()),
            message: complaint.message.clone(),
            related_information: (!uses.is_empty()).then_some(uses),
            ..Diagnostic::default()
        },
    })
}
