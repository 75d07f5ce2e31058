//! Changing files: a text is cut into items, and an edit touches as few of them as it can.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use ropey::Rope;
use salsa::{Durability, Setter};
use syntax::Span;

use crate::files::Layout;
use crate::inputs::{SourceFile, SourceItem};
use crate::{Database, Db, FileId, FilePath, FileState, ItemId, ReadError, queries};

/// Writing. Each of these waits until every clone of the database is dropped.
impl Database {
    /// Gives the file at `path` this text.
    pub fn set_file(&mut self, path: FilePath, text: impl Into<Rope>) -> FileId {
        let rope = text.into();
        let file = self.file_at(&path);
        let spans = syntax::split(&rope.to_string());
        self.replace_items(file, rope, 0..self.item_count(file), spans);
        file
    }

    /// Replaces a range of bytes of the file. What lies outside the text, or inside a character,
    /// is moved to the nearest place before it.
    pub fn edit_file(&mut self, file: FileId, range: Range<usize>, text: &str) {
        let Some(layout) = self.layouts.get(&file).cloned() else { return };
        let mut rope = layout.rope.clone();
        let (start, end) = (boundary(&rope, range.start), boundary(&rope, range.end.max(range.start)));
        let chars = rope.byte_to_char(start)..rope.byte_to_char(end);
        let at = chars.start;
        rope.remove(chars);
        rope.insert(at, text);
        let spans = syntax::split(&rope.to_string());
        drop(layout);
        self.replace_items(file, rope, 0..self.item_count(file), spans);
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
        let state = FileState::Absent(why);
        if self.state(file) != state {
            SourceFile::from(file).set_state(self).to(state);
        }
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
        self.paths.lock().unwrap_or_else(PoisonError::into_inner).wanted = wanted;
        missing
    }

    pub(crate) fn load_library_file(&mut self, name: &str, text: &str) -> FileId {
        let file = self.file_at(&FilePath::Std(name.into()));
        self.replace_items(file, Rope::from_str(text), 0..0, syntax::split(text));
        file
    }

    fn item_count(&self, file: FileId) -> usize {
        self.layouts.get(&file).map_or(0, |layout| layout.items.len())
    }

    /// Gives the file a new text, in which the items `old` have become those at `new`, and the
    /// others have only moved.
    fn replace_items(&mut self, file: FileId, rope: Rope, old: Range<usize>, new: Vec<Span>) {
        let before = self.items(file);
        let texts: Vec<Arc<str>> = new.iter().map(|&span| slice(&rope, span)).collect();
        let replaced = self.assign(file, &before[old.clone()], &texts);
        let same_list = replaced[..] == before[old.clone()];
        let items: Arc<[ItemId]> = if same_list {
            before
        } else {
            before[..old.start].iter().chain(&replaced).chain(&before[old.end..]).copied().collect()
        };
        let layout = Layout::new(rope, items.clone(), new);
        Arc::make_mut(&mut self.layouts).insert(file, Arc::new(layout));
        let state = FileState::Present(items);
        if self.state(file) != state {
            let durability = self.durability(file);
            SourceFile::from(file).set_state(self).with_durability(durability).to(state);
        }
        Arc::make_mut(&mut self.unread_imports).insert(file);
    }

    /// Items with these texts: those of `old` as far as they go, so that an item that was edited
    /// stays the same item.
    fn assign(&mut self, file: FileId, old: &[ItemId], texts: &[Arc<str>]) -> Vec<ItemId> {
        let same = |db: &Database, item: ItemId, text: &Arc<str>| db.item_text(item) == *text;
        let head = old.iter().zip(texts).take_while(|&(&item, text)| same(self, item, text)).count();
        let (old_rest, rest) = (&old[head..], &texts[head..]);
        let tail =
            old_rest.iter().rev().zip(rest.iter().rev()).take_while(|&(&item, text)| same(self, item, text)).count();
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
        SourceItem::builder(text, file).durability(durability).new(self).into()
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
        if self.is_library(file) { Durability::HIGH } else { Durability::LOW }
    }
}

/// The nearest place at or before `offset` that lies between two characters of the text.
fn boundary(rope: &Rope, offset: usize) -> usize {
    let offset = offset.min(rope.len_bytes());
    rope.char_to_byte(rope.byte_to_char(offset))
}

fn slice(rope: &Rope, span: Span) -> Arc<str> {
    let slice = rope.byte_slice(Range::from(span));
    slice.as_str().map_or_else(|| slice.to_string().into(), Into::into)
}
