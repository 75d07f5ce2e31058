//! The database's methods that change files. A text is split into items, and a change keeps the
//! items before and after the changed ones.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

use ropey::Rope;
use salsa::{Durability, Setter};
use syntax::{Edit, Resplit, Span};

use super::Database;
use crate::files::{FileId, FilePath, ItemId, ReadError};
use crate::inputs::{Db, FileState, SourceFile, SourceItem};
use crate::items::{imports, strategy_files};
use crate::language::Language;
use crate::split::{
    ItemText, ParsedFile, ParsedItemText, Replacement, boundary, offset, parse_all, slice,
};

/// Methods that change files. They block until every clone of the database is dropped, unless there
/// is nothing to change.
impl Database {
    /// Sets the text of the file at `path`, and returns the file. Unchanged items at the start and
    /// at the end are kept. A file of 4 GiB or more becomes absent instead.
    pub fn set_file<'a>(&mut self, path: FilePath, text: impl Into<Cow<'a, str>>) -> FileId {
        let file = self.file_at(&path);
        let text = text.into();
        let rope = Rope::from_str(&text);
        let cut = Replacement::whole(&text, self.language(file), false);
        // The pieces own what they need of the text, which may be large.
        drop(text);
        self.replace_items(file, rope, cut);
        file
    }

    /// Sets the text of the strategy file at `path`, which can refer to the definitions of
    /// `program` and of the files that it imports. This is for a strategy that is given for a
    /// program and is in no file on disk.
    pub fn set_strategy<'a>(
        &mut self,
        path: FilePath,
        text: impl Into<Cow<'a, str>>,
        program: FileId,
    ) -> FileId {
        self.set_language(path.clone(), Language::Elevate);
        let file = self.set_file(path, text);
        SourceFile::from(file).set_within(self).to(Some(program));
        file
    }

    /// Sets the language of the file at `path`, unless its extension determines it. An existing
    /// text is parsed again.
    pub fn set_language(&mut self, path: FilePath, language: Language) {
        let file = self.file_at(&path);
        if path.language().is_some() || self.language(file) == language {
            return;
        }
        let text = self.layouts.get(&file).map(|layout| layout.rope.clone());
        // No item is kept: the same text has another meaning now.
        self.remove_file(file);
        SourceFile::from(file)
            .set_language(self)
            .with_durability(Durability::HIGH)
            .to(language);
        if let Some(text) = text {
            self.set_file(path, text);
        }
    }

    /// Sets the texts of many files, which are parsed on at most `threads` threads (but at least
    /// on this one), and returns the files in the same order.
    pub fn set_files(&mut self, files: Vec<(FilePath, String)>, threads: usize) -> Vec<FileId> {
        let (paths, texts): (Vec<FilePath>, Vec<_>) = files
            .into_iter()
            .map(|(path, text)| {
                let language = self.language(self.file_at(&path));
                (path, (text, language))
            })
            .unzip();
        let prepared = parse_all(&texts, threads);
        paths
            .into_iter()
            .zip(prepared)
            .map(|(path, text)| self.set_prepared(path, text))
            .collect()
    }

    /// Sets the text of the file at `path` to one that was parsed before, possibly on another
    /// thread, and returns the file. If it was parsed in another language than the file's, it is
    /// parsed again.
    pub fn set_prepared(&mut self, path: FilePath, text: ParsedFile) -> FileId {
        let file = self.file_at(&path);
        if text.language != self.language(file) {
            return self.set_file(path, text.rope);
        }
        self.replace_items(file, text.rope, text.cut);
        file
    }

    /// Replaces a range of bytes of the file by `text`. An offset outside the text, or inside a
    /// character, is replaced by the nearest boundary before it. A file without text is left
    /// unchanged.
    pub fn edit_file(&mut self, file: FileId, range: Range<usize>, text: &str) {
        let Some(layout) = self.layouts.get(&file) else {
            return;
        };
        let mut rope = layout.rope.clone();
        let start = boundary(&rope, range.start);
        let end = boundary(&rope, range.end.max(range.start));
        let chars = rope.byte_to_char(start)..rope.byte_to_char(end);
        let at = chars.start;
        rope.remove(chars);
        rope.insert(at, text);
        let new_end = start + text.len();
        let edit = Edit {
            start: offset(start),
            old_end: offset(end),
            new_end: offset(new_end),
        };
        let read = |span: Span| slice(&rope, span).to_string();
        let language = self.language(file);
        let Resplit {
            prefix,
            suffix,
            middle: spans,
        } = language.resplit(&layout.spans, edit, offset(rope.len_bytes()), &read);
        let pieces = spans
            .iter()
            .map(|&span| ItemText::new(slice(&rope, span), language))
            .collect();
        let shift = edit.new_end.wrapping_sub(edit.old_end);
        self.replace_items(
            file,
            rope,
            Replacement {
                prefix,
                suffix,
                shift,
                spans,
                pieces,
            },
        );
    }

    /// Removes the file's text: its state becomes that of a file that does not exist.
    pub fn remove_file(&mut self, file: FileId) {
        self.set_file_absent(file, ReadError::NotFound(Arc::default()));
    }

    /// Records that there is no text at `path`, for this reason. Removes a text that was set.
    pub fn set_absent(&mut self, path: FilePath, why: ReadError) {
        let file = self.file_at(&path);
        self.set_file_absent(file, why);
    }

    fn set_file_absent(&mut self, file: FileId, why: ReadError) {
        let items = self.items(file);
        Arc::make_mut(&mut self.layouts).remove(&file);
        self.release(&items);
        self.set_state(file, FileState::Absent(why));
    }

    /// Returns the files that imports and `@strategy` annotations refer to and that were neither
    /// set nor marked as absent. The caller reads them and calls this again, until the result is
    /// empty.
    pub fn missing(&mut self) -> Vec<FilePath> {
        let unread = std::mem::take(&mut self.unread_imports);
        for &file in unread.iter() {
            imports(self, file.into());
            strategy_files(self, file.into());
        }
        let mut wanted = {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut paths.requested)
        };
        wanted.retain(|&file| self.state(file) == FileState::Requested);
        let missing = wanted.iter().map(|&file| self.path(file)).collect();
        self.paths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .requested = wanted;
        missing
    }

    pub(crate) fn load_library_file(&mut self, name: &str, text: &str) -> FileId {
        self.set_file(FilePath::Std(name.into()), text)
    }

    /// Adds a file of the strategy library: it has a text, but no items until it is opened. Its
    /// definitions are available without them.
    pub(crate) fn show_library_file(&mut self, name: &str, text: &str) {
        let file = self.file_at(&FilePath::Std(name.into()));
        let nothing = Replacement::whole("", Language::Elevate, false);
        self.replace_items(file, Rope::from_str(text), nothing);
    }

    /// Splits a file of the strategy library into items, if that has not been done yet. Does
    /// nothing for other files.
    pub fn open_library_file(&mut self, file: FileId) {
        if self.is_library(file)
            && self.language(file) == Language::Elevate
            && self.items(file).is_empty()
        {
            let (path, text) = (self.path(file), self.text(file));
            self.set_file(path, text);
        }
    }

    /// Replaces the text of a file, and its items according to `new`. A file of 4 GiB or more
    /// becomes absent instead.
    fn replace_items(&mut self, file: FileId, rope: Rope, new: Replacement) {
        if u32::try_from(rope.len_bytes()).is_err() {
            return self.set_file_absent(file, ReadError::Other("it is larger than 4 GiB".into()));
        }
        let before = self.items(file);
        let old = new.prefix..before.len() - new.suffix;
        let middle = self.assign(file, &before[old.clone()], new.pieces);
        let moved = middle[..] != before[old.clone()];
        let items: Arc<[ItemId]> = if moved {
            before[..old.start]
                .iter()
                .chain(&middle)
                .chain(&before[old.end..])
                .copied()
                .collect()
        } else {
            before
        };
        self.set_state(file, FileState::Present(items.clone()));
        Arc::make_mut(&mut self.unread_imports).insert(file);

        // Last, because the writes above have waited until all clones were dropped, so nothing is
        // copied here.
        let layout = Arc::make_mut(&mut self.layouts).entry(file).or_default();
        let layout = Arc::make_mut(layout);
        layout.rope = rope;
        layout.spans.splice(old, new.spans);
        let suffix = layout.spans.len() - new.suffix;
        for span in &mut layout.spans[suffix..] {
            span.start = span.start.wrapping_add(new.shift);
            span.end = span.end.wrapping_add(new.shift);
        }
        if moved {
            layout.set_items(items);
        }
    }

    fn set_state(&mut self, file: FileId, state: FileState) {
        if self.state(file) != state {
            let durability = self.durability(file);
            SourceFile::from(file)
                .set_state(self)
                .with_durability(durability)
                .to(state);
        }
    }

    /// Returns items with these texts. The items of `old` are used first, so that an edited item
    /// keeps its identifier; those that are not needed are released.
    fn assign(&mut self, file: FileId, old: &[ItemId], pieces: Vec<ItemText>) -> Vec<ItemId> {
        let same = |(item, piece): &(&ItemId, &ItemText)| self.item_text(**item) == piece.text;
        let head = old.iter().zip(&pieces).take_while(same).count();
        let rest = old[head..].iter().rev().zip(pieces[head..].iter().rev());
        let tail = rest.take_while(same).count();
        let (kept, end) = (old.len() - tail, pieces.len() - tail);
        let mut items = old[..head].to_vec();
        let mut reused = old[head..kept].iter();
        for piece in pieces.into_iter().take(end).skip(head) {
            items.push(match reused.next() {
                Some(&item) => self.change(item, piece),
                None => self.new_item(file, piece),
            });
        }
        self.release(reused.as_slice());
        items.extend(&old[kept..]);
        items
    }

    fn change(&mut self, item: ItemId, piece: ItemText) -> ItemId {
        let source = SourceItem::from(item);
        if source.text(self) == piece.text {
            return item;
        }
        let ParsedItemText {
            text,
            parsed,
            header,
        } = piece.read();
        if let Some(parsed) = parsed {
            self.trees.keep(item, text.clone(), parsed);
        }
        source
            .set_text(self)
            .with_durability(Durability::LOW)
            .to(text);
        if source.declares(self) != &header.declares {
            source.set_declares(self).to(header.declares.clone());
        }
        if source.strategy(self) != &header.strategy {
            source.set_strategy(self).to(header.strategy.clone());
        }
        if source.is_exact(self) != header.is_exact {
            source.set_is_exact(self).to(header.is_exact);
        }
        if source.foreign(self) != &header.foreign {
            source.set_foreign(self).to(header.foreign.clone());
        }
        if source.synonyms(self) != &header.synonyms {
            source.set_synonyms(self).to(header.synonyms.clone());
        }
        if source.header(self) != &header {
            source.set_header(self).to(header);
        }
        item
    }

    fn new_item(&mut self, file: FileId, piece: ItemText) -> ItemId {
        let durability = self.durability(file);
        if durability != Durability::HIGH
            && let Some(item) = Arc::make_mut(&mut self.free).pop()
        {
            SourceItem::from(item).set_file(self).to(file);
            return self.change(item, piece);
        }
        let ParsedItemText {
            text,
            parsed,
            header,
        } = piece.read();
        let declares = header.declares.clone();
        let (strategy, is_exact) = (header.strategy.clone(), header.is_exact);
        let foreign = header.foreign.clone();
        let synonyms = header.synonyms.clone();
        let new = SourceItem::builder(
            text.clone(),
            header,
            declares,
            strategy,
            is_exact,
            foreign,
            synonyms,
            file,
        );
        let item = new
            .durability(durability)
            .text_durability(self.text_durability(file))
            .new(self)
            .into();
        if let Some(parsed) = parsed {
            self.trees.keep(item, text, parsed);
        }
        item
    }

    /// Moves items that are no longer in any file to the pool for reuse, with an empty text.
    fn release(&mut self, items: &[ItemId]) {
        for &item in items {
            self.change(item, ItemText::new(Arc::default(), Language::default()));
        }
        self.trees.forget(items);
        Arc::make_mut(&mut self.free).extend(items);
    }

    /// Returns the durability of the file's list of items and of their headers.
    fn durability(&self, file: FileId) -> Durability {
        if self.is_library(file) {
            Durability::HIGH
        } else {
            Durability::MEDIUM
        }
    }

    fn text_durability(&self, file: FileId) -> Durability {
        if self.is_library(file) {
            Durability::HIGH
        } else {
            Durability::LOW
        }
    }
}
