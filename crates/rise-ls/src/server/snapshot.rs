//! A consistent version of the database and the view, which a job reads.

use std::sync::Arc;
use std::sync::Mutex;

use db::{Database, FileId, FileState};
use ide::{FilePosition, FileRange, SyntaxTree};
use ropey::Rope;
use rustc_hash::FxHashMap;
use syntax::Span;
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{Location, Position, Range, SemanticToken, Uri};

use super::config::{ClientCapabilities, Settings};
use super::estimates::KnownEstimates;
use super::event::invalid_params;
use super::positions::{self, Encoding};
use super::previews::Previews;
use super::uri;
use crate::roots::Roots;

/// An open document, whose text is that of the client instead of the disk.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// The URI in the client's spelling.
    pub uri: Uri,
    /// The client's version number of the text.
    pub version: i32,
    /// The revision of the session at the latest change of the text. It increases with each change
    /// of the session's files, settings or device.
    pub revision: u64,
    /// The concrete syntax tree of the text.
    pub syntax: SyntaxTree,
}

/// The state of a session besides the database.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub open: FxHashMap<FileId, OpenDocument>,
    pub settings: Settings,
    /// The device for which OpenCL programs are checked, if it is known.
    pub device: Option<Arc<str>>,
    pub client: ClientCapabilities,
    /// The position encoding of the client.
    pub encoding: Encoding,
    /// The semantic tokens that were last sent, by document, for deltas.
    pub tokens: TokenCache,
    /// The previews that the client shows.
    pub previews: Previews,
    /// The rewrites that were sent to the client.
    pub undoable: UndoableRewrites,
    /// The estimates of definitions that are known.
    pub estimates: KnownEstimates,
    /// The folders from which files may be imported.
    pub roots: Arc<Roots>,
}

/// The rewrites that can be undone, the latest last.
#[derive(Clone, Debug, Default)]
pub struct UndoableRewrites(pub Arc<Mutex<Vec<ide::UndoableRewrite>>>);

/// The semantic tokens that the client has, by document.
#[derive(Clone, Debug, Default)]
pub struct TokenCache(pub Arc<Mutex<FxHashMap<FileId, SentTokens>>>);

/// The semantic tokens that were sent for a document.
#[derive(Clone, Debug, Default)]
pub struct SentTokens {
    pub id: u64,
    pub tokens: Arc<[SemanticToken]>,
}

/// A snapshot of the state of a session when a job was created. It must not outlive its job,
/// because the next change waits until it is dropped.
pub struct Snapshot {
    /// The salsa database with all files.
    pub db: Database,
    pub view: Arc<View>,
}

impl Snapshot {
    /// Returns the file of a URI.
    ///
    /// # Errors
    /// Fails if there is no such file.
    pub fn file(&self, uri: &Uri) -> Result<FileId, Error> {
        let path = uri::to_path(uri.as_str());
        let present = |file: &FileId| matches!(self.db.state(*file), FileState::Present(_));
        self.db
            .file(&path)
            .filter(present)
            .ok_or_else(|| invalid_params(format_args!("there is no document {}", uri.as_str())))
    }

    /// Returns the document of a URI.
    ///
    /// # Errors
    /// Fails if there is no such file.
    pub fn document(&self, uri: &Uri) -> Result<Document, Error> {
        Ok(self.document_of(self.file(uri)?))
    }

    pub fn document_of(&self, file: FileId) -> Document {
        Document {
            file,
            rope: self.db.text(file),
            encoding: self.view.encoding,
        }
    }

    /// Returns the concrete syntax tree of a document; that of an open one is updated
    /// incrementally.
    pub fn syntax(&self, document: &Document) -> SyntaxTree {
        match self.view.open.get(&document.file) {
            Some(open) => open.syntax.clone(),
            None => {
                let language = self.db.language(document.file);
                SyntaxTree::new_in(document.rope.clone(), language)
            }
        }
    }

    /// Returns the URI of a file, in the client's spelling if the file is open.
    pub fn uri(&self, file: FileId) -> Option<Uri> {
        match self.view.open.get(&file) {
            Some(open) => Some(open.uri.clone()),
            None => uri::from_path(&self.db.path(file)),
        }
    }

    pub fn version(&self, file: FileId) -> Option<i32> {
        self.view.open.get(&file).map(|open| open.version)
    }

    /// Converts a file range to a location of the client.
    pub fn location(&self, place: FileRange) -> Option<Location> {
        let range = self.document_of(place.file).range(place.span);
        Some(Location::new(self.uri(place.file)?, range))
    }
}

/// The text of a file, with the client's position encoding.
#[derive(Clone, Debug)]
pub struct Document {
    pub file: FileId,
    pub rope: Rope,
    pub encoding: Encoding,
}

impl Document {
    pub fn offset(&self, position: Position) -> u32 {
        positions::number(positions::to_byte(&self.rope, position, self.encoding).byte)
    }

    pub fn at(&self, position: Position) -> FilePosition {
        FilePosition {
            file: self.file,
            offset: self.offset(position),
        }
    }

    pub fn span(&self, range: Range) -> Span {
        positions::to_span(&self.rope, range, self.encoding)
    }

    /// Returns the span of a selection without blanks at its ends, which editors include when they
    /// select words. A selection of blanks only is not changed.
    pub fn selected(&self, range: Range) -> Span {
        let span = self.span(range);
        let slice = self.rope.byte_slice(std::ops::Range::from(span));
        let blank = |bytes: &mut dyn Iterator<Item = u8>| {
            bytes.take_while(u8::is_ascii_whitespace).count() as u32
        };
        let leading = blank(&mut slice.bytes());
        if leading == span.len() {
            return span;
        }
        let mut last = slice.bytes_at(slice.len_bytes());
        let trailing = blank(&mut std::iter::from_fn(|| last.prev()));
        Span::new(span.start + leading, span.end - trailing)
    }

    pub fn position(&self, offset: u32) -> Position {
        positions::to_position(&self.rope, offset as usize, self.encoding)
    }

    pub fn range(&self, span: Span) -> Range {
        positions::to_range(&self.rope, span, self.encoding)
    }
}
