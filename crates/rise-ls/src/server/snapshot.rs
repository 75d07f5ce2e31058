//! One version of everything: what a job reads.

use std::sync::Arc;
use std::sync::Mutex;

use db::{Database, FileId, FileState};
use ide::{FilePosition, FileRange, SyntaxTree};
use ropey::Rope;
use rustc_hash::FxHashMap;
use syntax::Span;
use tower_lsp::jsonrpc::Error;
use tower_lsp::lsp_types::{Location, Position, Range, SemanticToken, Uri};

use super::config::{ClientTraits, Settings};
use super::event::invalid_params;
use super::positions::{self, Encoding};
use super::previews::Previews;
use super::uri;
use crate::roots::Roots;

/// A document that the client has open: the client's text counts, not the disk's.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// As the client writes it.
    pub uri: Uri,
    /// The client's number for its text.
    pub version: i32,
    /// Our number for its text: it grows with each change of any document.
    pub revision: u64,
    /// The concrete tree of its text.
    pub syntax: SyntaxTree,
}

/// What a session knows besides the database.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The open documents.
    pub open: FxHashMap<FileId, OpenDocument>,
    /// What the user has set.
    pub settings: Settings,
    /// The device that OpenCL programs are for, once it is known.
    pub device: Option<Arc<str>>,
    /// What the client can do.
    pub client: ClientTraits,
    /// What the client counts.
    pub encoding: Encoding,
    /// The tokens that were last sent, by document, for answers that say only what is new.
    pub tokens: TokenCache,
    /// The previews that the client shows.
    pub previews: Previews,
    /// The rewrites that were handed out.
    pub taken: TakenRewrites,
    /// The folders from which files are imported.
    pub roots: Arc<Roots>,
}

/// Rewrites that can be taken back, the latest last.
#[derive(Clone, Debug, Default)]
pub struct TakenRewrites(pub Arc<Mutex<Vec<ide::Taken>>>);

/// Tokens that the client has, with the name that both sides have for them.
#[derive(Clone, Debug, Default)]
pub struct TokenCache(pub Arc<Mutex<FxHashMap<FileId, SentTokens>>>);

/// Tokens that were sent.
#[derive(Clone, Debug, Default)]
pub struct SentTokens {
    /// Their name.
    pub id: u64,
    /// The tokens.
    pub tokens: Arc<[SemanticToken]>,
}

/// Everything, as it was when the request arrived. It must not outlive its job: the next change
/// waits until it is gone.
pub struct Snapshot {
    /// Files, and what is known about them.
    pub db: Database,
    /// The rest.
    pub view: Arc<View>,
}

impl Snapshot {
    /// The file that a URI names.
    ///
    /// # Errors
    /// There is no such file.
    pub fn file(&self, uri: &Uri) -> Result<FileId, Error> {
        let path = uri::to_path(uri.as_str());
        let present = |file: &FileId| matches!(self.db.state(*file), FileState::Present(_));
        self.db
            .file(&path)
            .filter(present)
            .ok_or_else(|| invalid_params(format_args!("there is no document {}", uri.as_str())))
    }

    /// The document that a URI names.
    ///
    /// # Errors
    /// There is no such file.
    pub fn document(&self, uri: &Uri) -> Result<Document, Error> {
        Ok(self.document_of(self.file(uri)?))
    }

    /// The document of a file.
    pub fn document_of(&self, file: FileId) -> Document {
        Document {
            file,
            rope: self.db.text(file),
            encoding: self.view.encoding,
        }
    }

    /// The concrete tree of a document; that of an open one is kept up with its edits.
    pub fn syntax(&self, document: &Document) -> SyntaxTree {
        match self.view.open.get(&document.file) {
            Some(open) => open.syntax.clone(),
            None => {
                let language = self.db.language(document.file);
                SyntaxTree::new_in(document.rope.clone(), language)
            }
        }
    }

    /// The URI of a file: the client's own, if it has the file open.
    pub fn uri(&self, file: FileId) -> Option<Uri> {
        match self.view.open.get(&file) {
            Some(open) => Some(open.uri.clone()),
            None => uri::from_path(&self.db.path(file)),
        }
    }

    /// The version that the client has of the file.
    pub fn version(&self, file: FileId) -> Option<i32> {
        self.view.open.get(&file).map(|open| open.version)
    }

    /// A place, in the client's terms.
    pub fn location(&self, place: FileRange) -> Option<Location> {
        let range = self.document_of(place.file).range(place.span);
        Some(Location::new(self.uri(place.file)?, range))
    }
}

/// A file's text, and the client's way to count in it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file.
    pub file: FileId,
    /// Its text.
    pub rope: Rope,
    /// What the client counts.
    pub encoding: Encoding,
}

impl Document {
    /// The byte at a position.
    pub fn offset(&self, position: Position) -> u32 {
        positions::number(positions::to_byte(&self.rope, position, self.encoding).byte)
    }

    /// The cursor at a position.
    pub fn at(&self, position: Position) -> FilePosition {
        FilePosition {
            file: self.file,
            offset: self.offset(position),
        }
    }

    /// The bytes of a range.
    pub fn span(&self, range: Range) -> Span {
        positions::to_span(&self.rope, range, self.encoding)
    }

    /// The bytes of a selection without the blanks at its ends: editors that move by words select
    /// them too. Blanks alone stay as they are.
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

    /// The position of a byte.
    pub fn position(&self, offset: u32) -> Position {
        positions::to_position(&self.rope, offset as usize, self.encoding)
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        positions::to_range(&self.rope, span, self.encoding)
    }
}
