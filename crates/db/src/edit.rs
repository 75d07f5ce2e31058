//! Changing files: a text is cut into items, and an edit touches as few of them as it can.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use ropey::Rope;
use salsa::{Durability, Setter};
use syntax::{Edit, Resplit, Span};

use crate::inputs::{SourceFile, SourceItem};
use crate::{Database, Db, FileId, FilePath, FileState, ItemId, ReadError, queries};

/// Writing. Each of these waits until every clone of the database is dropped.
impl Database {
    /// Gives the file at `path` this text. Items that stay the same, from the start and from the
    /// end, are recognised.
    pub fn set_file(&mut self, path: FilePath, text: impl Into<Rope>) -> FileId {
        let file = self.file_at(&path);
        let rope = text.into();
        let middle = syntax::split(&rope.to_string());
        self.replace_items(
            file,
            rope,
            Replacement {
                prefix: 0,
                suffix: 0,
                middle,
                shift: 0,
            },
        );
        file
    }

    /// Replaces a range of bytes of the file. What lies outside the text, or inside a character,
    /// is moved to the nearest place before it. A file without text stays as it is.
    pub fn edit_file(&mut self, file: FileId, range: Range<usize>, text: &str) {
        let Some(layout) = self.layouts.get(&file) else {
            return;
        };
        let mut rope = layout.rope.clone();
        let (start, end) = (
            boundary(&rope, range.start),
            boundary(&rope, range.end.max(range.start)),
        );
        let chars = rope.byte_to_char(start)..rope.byte_to_char(end);
        let at = chars.start;
        rope.remove(chars);
        rope.insert(at, text);
        let edit = Edit {
            start: offset(start),
            old_end: offset(end),
            new_end: offset(start + text.len()),
        };
        let read = |span: Span| slice(&rope, span).to_string();
        let Resplit {
            prefix,
            suffix,
            middle,
        } = syntax::resplit(&layout.spans, edit, offset(rope.len_bytes()), &read);
        let shift = edit.new_end.wrapping_sub(edit.old_end);
        self.replace_items(
            file,
            rope,
            Replacement {
                prefix,
                suffix,
                middle,
                shift,
            },
        );
    }

    /// Forgets the file's text: it becomes one that does not exist.
    pub fn remove_file(&mut self, file: FileId) {
        self.set_file_absent(file, ReadError::NotFound(Arc::default()));
    }

    /// Says that there is no text at `path`.
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

    /// The files that imports name and that were neither set nor said to be absent. Read them,
    /// and ask again, until there are none.
    pub fn missing(&mut self) -> Vec<FilePath> {
        let unread = std::mem::take(&mut self.unread_imports);
        for &file in unread.iter() {
            queries::imports(self, file.into());
        }
        let mut wanted = {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut paths.wanted)
        };
        wanted.retain(|&file| self.state(file) == FileState::Wanted);
        let missing = wanted.iter().map(|&file| self.path(file)).collect();
        self.paths
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .wanted = wanted;
        missing
    }

    pub(crate) fn load_library_file(&mut self, name: &str, text: &str) -> FileId {
        self.set_file(FilePath::Std(name.into()), text)
    }

    /// Gives a file a new text, which changes its items so.
    fn replace_items(&mut self, file: FileId, rope: Rope, new: Replacement) {
        if u32::try_from(rope.len_bytes()).is_err() {
            return self.set_file_absent(file, ReadError::Other("it is larger than 4 GiB".into()));
        }
        let before = self.items(file);
        let old = new.prefix..before.len() - new.suffix;
        let texts: Vec<Arc<str>> = new.middle.iter().map(|&span| slice(&rope, span)).collect();
        let middle = self.assign(file, &before[old.clone()], &texts);
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

        // Last, because the writes above have waited for all clones: nothing is copied here.
        let layout = Arc::make_mut(&mut self.layouts).entry(file).or_default();
        let layout = Arc::make_mut(layout);
        layout.rope = rope;
        layout.spans.splice(old, new.middle);
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

    /// Items with these texts: those of `old` as far as they go, so that an item that was edited
    /// stays the same item.
    fn assign(&mut self, file: FileId, old: &[ItemId], texts: &[Arc<str>]) -> Vec<ItemId> {
        let same = |db: &Database, item: ItemId, text: &Arc<str>| db.item_text(item) == *text;
        let head = old
            .iter()
            .zip(texts)
            .take_while(|&(&item, text)| same(self, item, text))
            .count();
        let (old_rest, rest) = (&old[head..], &texts[head..]);
        let tail = old_rest
            .iter()
            .rev()
            .zip(rest.iter().rev())
            .take_while(|&(&item, text)| same(self, item, text))
            .count();
        let middle_old = &old_rest[..old_rest.len() - tail];
        let middle = &rest[..rest.len() - tail];
        let mut items = old[..head].to_vec();
        for (at, text) in middle.iter().enumerate() {
            items.push(match middle_old.get(at) {
                Some(&item) => self.set_text(item, text.clone()),
                None => self.new_item(file, text.clone()),
            });
        }
        if let Some(gone) = middle_old.get(middle.len()..) {
            self.release(gone);
        }
        items.extend(&old_rest[old_rest.len() - tail..]);
        items
    }

    fn set_text(&mut self, item: ItemId, text: Arc<str>) -> ItemId {
        if self.item_text(item) != text {
            SourceItem::from(item).set_text(self).to(text);
        }
        item
    }

    fn new_item(&mut self, file: FileId, text: Arc<str>) -> ItemId {
        let durability = self.durability(file);
        if durability == Durability::LOW
            && let Some(item) = Arc::make_mut(&mut self.free).pop()
        {
            SourceItem::from(item).set_file(self).to(file);
            return self.set_text(item, text);
        }
        SourceItem::builder(text, file)
            .durability(durability)
            .new(self)
            .into()
    }

    /// Puts items that are in no file any more into the pool.
    fn release(&mut self, items: &[ItemId]) {
        for &item in items {
            self.set_text(item, Arc::default());
        }
        self.trees.forget(items);
        Arc::make_mut(&mut self.free).extend(items);
    }

    fn durability(&self, file: FileId) -> Durability {
        if self.is_library(file) {
            Durability::HIGH
        } else {
            Durability::LOW
        }
    }
}

/// How the items of a file change.
struct Replacement {
    /// So many items at the start stay as they are.
    prefix: usize,
    /// So many at the end only move.
    suffix: usize,
    /// By so much, modulo 2^32.
    shift: u32,
    /// What stands between them in the new text.
    middle: Vec<Span>,
}

/// The nearest place at or before `offset` that lies between two characters of the text.
fn boundary(rope: &Rope, offset: usize) -> usize {
    let offset = offset.min(rope.len_bytes());
    rope.char_to_byte(rope.byte_to_char(offset))
}

/// Saturates: longer texts are refused as a whole.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn slice(rope: &Rope, span: Span) -> Arc<str> {
    let slice = rope.byte_slice(Range::from(span));
    slice
        .as_str()
        .map_or_else(|| slice.to_string().into(), Into::into)
}
