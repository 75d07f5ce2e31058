//! Synchronises documents, files on disk and workspace folders with the database.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use db::{Database, FileId, FilePath, FileState, Language, ReadError};
use ide::SyntaxTree;
use rustc_hash::FxHashSet;
use tower_lsp::lsp_types::request::{
    CodeLensRefresh, InlayHintRefreshRequest, Request, SemanticTokensRefresh,
    WorkspaceDiagnosticRefresh,
};
use tower_lsp::lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, FileChangeType, MessageType, Position,
    TextDocumentContentChangeEvent, WorkspaceFolder,
};

use super::event::Event;
use super::handlers::preview::{self, PreviewIdentifier};
use super::import_roots::{ResolvedRoot, RootSource};
use super::positions::to_byte;
use super::session::{ExpectedResponse, READ_TIMEOUT, Session};
use super::snapshot::OpenDocument;
use super::uri;
use super::workspace::Loaded;
use crate::loader::{self, Contents};
use crate::memory;

impl Session {
    pub(super) fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let since = Instant::now();
        let opened = params.text_document;
        let path = uri::to_path(opened.uri.as_str());
        if matches!(path, FilePath::Std(_)) {
            // Library files are constant; clients show their texts, but cannot change them.
            let file = self.db.file(&path);
            if let Some(file) = file.filter(|&file| self.db.language(file) == Language::Elevate) {
                self.before_change();
                self.db.open_library_file(file);
            }
            return;
        }
        self.before_change();
        // The extension of a document determines its language; the client's language id is only the
        // default.
        let language = Language::from_extension(&opened.language_id).unwrap_or_default();
        self.db.set_language(path.clone(), language);
        let length = opened.text.len();
        let file = self.db.set_file(path, opened.text);
        let syntax = SyntaxTree::new_in(self.db.text(file), self.db.language(file));
        self.text_changed(file, opened.uri, opened.version, syntax, since);
        if length >= memory::LARGE {
            memory::release_unused();
        }
        // A document outside of the workspace may import files from its project.
        self.update_roots();
    }

    pub(super) fn did_change(&mut self, params: DidChangeTextDocumentParams) {
        let since = Instant::now();
        let uri = params.text_document.uri;
        let file = self.db.file(&uri::to_path(uri.as_str()));
        let Some((file, open)) = file.and_then(|file| Some((file, self.view.open.get(&file)?)))
        else {
            let message = format!(
                "a change of {}, which is not open, is ignored",
                uri.as_str()
            );
            return self.client.log(MessageType::WARNING, message);
        };
        let (uri, mut syntax) = (open.uri.clone(), open.syntax.clone());
        self.before_change();
        for change in params.content_changes {
            self.apply(file, change, &mut syntax);
        }
        self.text_changed(file, uri, params.text_document.version, syntax, since);
        self.reread_missing_imports();
    }

    fn apply(
        &mut self,
        file: FileId,
        change: TextDocumentContentChangeEvent,
        syntax: &mut SyntaxTree,
    ) {
        self.reports.status.edited();
        let Some(range) = change.range else {
            let path = self.db.path(file);
            self.db.set_file(path, change.text);
            *syntax = SyntaxTree::new_in(self.db.text(file), syntax.language());
            return;
        };
        let rope = self.db.text(file);
        let place = |position: Position| to_byte(&rope, position, self.view.encoding);
        let (start, end) = (place(range.start), place(range.end));
        if start.moved || end.moved || end.byte < start.byte {
            let (from, to) = (range.start, range.end);
            self.client.log(
                MessageType::WARNING,
                format!(
                    "an edit of {}:{} to {}:{} in {} lies outside the text; the nearest place is taken",
                    from.line,
                    from.character,
                    to.line,
                    to.character,
                    self.db.path(file)
                ),
            );
        }
        drop(rope);
        let range = start.byte..end.byte.max(start.byte);
        self.db.edit_file(file, range.clone(), &change.text);
        syntax.edit(range, change.text.len(), self.db.text(file));
    }

    fn text_changed(
        &mut self,
        file: FileId,
        uri: uri::Uri,
        version: i32,
        syntax: SyntaxTree,
        since: Instant,
    ) {
        self.revision += 1;
        self.unread_imports = true;
        let revision = self.revision;
        Arc::make_mut(&mut self.view).open.insert(
            file,
            OpenDocument {
                uri,
                version,
                revision,
                syntax,
            },
        );
        self.publisher.text_changed(file, revision, since);
    }

    pub(super) fn did_close(&mut self, params: DidCloseTextDocumentParams) {
        let path = uri::to_path(params.text_document.uri.as_str());
        let Some(file) = self.db.file(&path) else {
            return;
        };
        let view = Arc::make_mut(&mut self.view);
        let Some(open) = view.open.remove(&file) else {
            return;
        };
        view.tokens.forget(file);
        view.previews.close_all(file);
        self.revision += 1;
        if !view.client.pulls_diagnostics {
            self.publisher.clear(file, open.uri, self.revision);
        }
        self.update_roots();
        self.read_from_disk([path]);
    }

    pub(super) fn preview_closed(&mut self, params: PreviewIdentifier) {
        let file = |uri: &uri::Uri| self.db.file(&uri::to_path(uri.as_str()));
        if let Some(shown) = preview::closed(&params, file) {
            self.view.previews.close(&shown);
        }
    }

    /// Handles `textDocument/didSave`. Other programs may have written files too, which a client
    /// that does not watch files does not report.
    pub(super) fn did_save(&mut self) {
        if self.view.client.watches_files {
            // The client may only watch its own folders, and files may be imported from others.
            return self.reread_missing_imports();
        }
        let present = self.db.files();
        let mut paths: Vec<FilePath> = present.iter().map(|&file| self.db.path(file)).collect();
        paths.extend(self.absent_imports(present));
        let on_disk = paths.into_iter().filter(|path| path.as_disk().is_some());
        self.read_from_disk(on_disk);
    }

    /// Reads missing imports of open documents again, without waiting for the file system.
    fn reread_missing_imports(&mut self) {
        let open = self.view.open.keys().copied().collect();
        let needed = imported_from(&self.db, open).into_iter().collect();
        let mut paths = self.absent_imports(needed);
        paths.retain(|path| path.as_disk().is_some() && !self.late.contains_key(path));
        if !paths.is_empty() {
            let (_, late) = loader::read_promptly(&paths, &self.view.roots, Duration::ZERO);
            late.into_iter().for_each(|late| self.expect_late(late));
        }
    }

    /// Returns the imports of these files that are absent: they do not exist, or cannot be read.
    fn absent_imports(&self, files: Vec<FileId>) -> Vec<FilePath> {
        let targets: BTreeSet<FileId> = files
            .into_iter()
            .flat_map(|file| self.db.needs(file))
            .filter(|&target| matches!(self.db.state(target), FileState::Absent(_)))
            .collect();
        targets.into_iter().map(|file| self.db.path(file)).collect()
    }

    /// Reads files from disk, except open ones.
    fn read_from_disk(&mut self, paths: impl IntoIterator<Item = FilePath>) {
        let is_open = |path: &FilePath| {
            let file = self.db.file(path);
            file.is_some_and(|file| self.view.open.contains_key(&file))
        };
        let closed: BTreeSet<FilePath> = paths.into_iter().filter(|path| !is_open(path)).collect();
        let paths = Vec::from_iter(closed);
        let (contents, late) = loader::read_promptly(&paths, &self.view.roots, READ_TIMEOUT);
        // Results of an earlier attempt are older.
        for path in &paths {
            self.late.remove(path);
        }
        late.into_iter().for_each(|late| self.expect_late(late));
        for (path, contents) in paths.into_iter().zip(contents) {
            self.set_from_disk(path, contents);
        }
    }

    /// Sets the text of a file from disk, unless the file is open.
    pub(super) fn set_from_disk(&mut self, path: FilePath, contents: Contents) {
        let known = self.db.file(&path);
        if known.is_some_and(|file| self.view.open.contains_key(&file)) {
            return;
        }
        let is_known = known.is_some_and(|file| match (&contents, self.db.state(file)) {
            (Ok(text), FileState::Present(_)) => self.db.text(file) == *text.text(),
            (Err(why), FileState::Absent(before)) => *why == before,
            _ => false,
        });
        if is_known {
            return;
        }
        self.before_change();
        self.revision += 1;
        self.unread_imports = true;
        match contents {
            Ok(text) => drop(self.db.set_prepared(path, text)),
            Err(why) => self.db.set_absent(path, why),
        }
    }

    /// Updates the folders from which files may be imported: the projects of the workspace and of
    /// open documents, and the folders of the settings.
    pub(super) fn update_roots(&mut self) {
        let folders = self.folders.iter().cloned().map(RootSource::Workspace);
        let settings = self.view.settings.imports.folders.iter();
        let settings = settings.cloned().map(RootSource::Setting);
        let documents = self.view.open.keys().filter_map(|&file| {
            let path = self.db.path(file);
            let folder = path.as_disk().and_then(Path::parent)?;
            Some(RootSource::Document(folder.to_owned()))
        });
        let wanted = folders.chain(settings).chain(documents).collect();
        let missing = self.import_roots.set(wanted);
        if missing.is_empty() {
            return self.set_roots();
        }
        let resolve = move || {
            let found = missing.into_iter().map(|source| {
                let resolved = source.resolve();
                (source, resolved)
            });
            found.collect()
        };
        match loader::do_promptly(READ_TIMEOUT, resolve) {
            Ok(found) => self.add_roots(found),
            Err(late) => {
                self.pass_on(late, Event::LateRoots);
                self.set_roots();
            }
        }
    }

    pub(super) fn add_roots(&mut self, found: Vec<(RootSource, Option<ResolvedRoot>)>) {
        self.import_roots.add(found);
        self.set_roots();
    }

    /// Sets the current roots, and reads the files that they affect.
    fn set_roots(&mut self) {
        let roots = Arc::new(self.import_roots.roots());
        let view = Arc::make_mut(&mut self.view);
        let before = std::mem::replace(&mut view.roots, roots);
        if view.roots == before {
            return;
        }
        let files = self.db.files();
        let targets: Vec<FileId> = files.iter().flat_map(|&file| self.db.needs(file)).collect();
        let was_outside =
            |file: &FileId| self.db.state(*file) == FileState::Absent(ReadError::Outside);
        let mut affected: BTreeSet<FileId> = targets.into_iter().filter(was_outside).collect();
        if !self.view.roots.include(&before) {
            affected.extend(files);
        }
        let paths: Vec<FilePath> = affected.iter().map(|&file| self.db.path(file)).collect();
        let on_disk = paths.into_iter().filter(|path| path.as_disk().is_some());
        self.read_from_disk(on_disk);
    }

    pub(super) fn files_changed(&mut self, params: DidChangeWatchedFilesParams) {
        let mut paths = Vec::new();
        for change in params.changes {
            let path = uri::to_path(change.uri.as_str());
            let Some(disk) = path.as_disk() else { continue };
            // The deletion of a folder is one event for all of its files.
            if change.typ == FileChangeType::DELETED && !loader::is_source(disk) {
                paths.extend(self.files_below(disk));
            } else if loader::is_source(disk) {
                paths.push(path);
            }
        }
        // All files are read together, because a change of the branch affects thousands of them.
        self.read_from_disk(paths);
        self.refresh();
    }

    fn files_below(&self, folder: &std::path::Path) -> Vec<FilePath> {
        let paths = self.db.files().into_iter().map(|file| self.db.path(file));
        paths
            .filter(|path| path.as_disk().is_some_and(|disk| disk.starts_with(folder)))
            .collect()
    }

    pub(super) fn folders_changed(&mut self, params: DidChangeWorkspaceFoldersParams) {
        let removed = folder_paths(&params.event.removed);
        let added = folder_paths(&params.event.added);
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(added.iter().cloned());
        for folder in &removed {
            self.forget_folder(folder);
        }
        self.update_roots();
        if !added.is_empty() {
            self.load(added);
        }
        self.refresh();
    }

    /// Removes the files below a folder that was removed from the workspace, except those that are
    /// open, are in another folder of the workspace, or are imported by a remaining file.
    fn forget_folder(&mut self, folder: &std::path::Path) {
        let below = |path: &FilePath| path.as_disk().is_some_and(|disk| disk.starts_with(folder));
        let kept = |path: &FilePath| {
            path.as_disk()
                .is_none_or(|disk| self.folders.iter().any(|folder| disk.starts_with(folder)))
        };
        let (gone, stay): (Vec<FileId>, Vec<FileId>) =
            self.db.files().into_iter().partition(|&file| {
                let path = self.db.path(file);
                below(&path) && !kept(&path) && !self.view.open.contains_key(&file)
            });
        let needed = imported_from(&self.db, stay);
        self.before_change();
        for file in gone.into_iter().filter(|file| !needed.contains(file)) {
            self.db.remove_file(file);
        }
    }

    /// Adds files that were read in the background, except those that are known, which are newer.
    pub(super) fn loaded(&mut self, loaded: Loaded) {
        let last = loaded.is_last();
        let known = |session: &Session, path: &FilePath| {
            let file = session.db.file(path);
            file.is_some_and(|file| matches!(session.db.state(file), FileState::Present(_)))
        };
        if loaded.files.iter().any(|(path, _)| !known(self, path)) {
            self.load_has_found_files = true;
            self.before_change();
            self.revision += 1;
            self.unread_imports = true;
        }
        for (path, contents) in loaded.files {
            match contents {
                _ if known(self, &path) => {}
                Ok(text) => drop(self.db.set_prepared(path, text)),
                Err(why) => self.db.set_absent(path, why),
            }
        }
        if last {
            self.loads -= 1;
            self.progress.end(loaded.total);
            if std::mem::take(&mut self.load_has_found_files) {
                self.refresh();
            }
        } else {
            self.progress.report(loaded.done, loaded.total);
        }
    }

    /// Requests a refresh of the data that depend on files of the workspace or on the device.
    pub(super) fn refresh(&mut self) {
        let client = self.view.client;
        if client.pulls_diagnostics && client.refreshes_diagnostics {
            self.request::<WorkspaceDiagnosticRefresh>();
        }
        if client.refreshes_inlay_hints {
            self.request::<InlayHintRefreshRequest>();
        }
        if client.refreshes_tokens {
            self.request::<SemanticTokensRefresh>();
        }
        if client.refreshes_lenses {
            self.request::<CodeLensRefresh>();
        }
    }

    /// Sends a request without parameters whose result is not used.
    pub(super) fn request<R: Request<Params = ()>>(&mut self) {
        let id = self.client.request::<R>(&());
        let expected = ExpectedResponse::Acknowledgement(R::METHOD);
        self.expected.insert(id, expected);
    }
}

/// Returns the paths of the folders that are on disk.
pub(super) fn folder_paths(folders: &[WorkspaceFolder]) -> Vec<PathBuf> {
    let paths = folders
        .iter()
        .map(|folder| uri::to_path(folder.uri.as_str()));
    paths
        .filter_map(|path| path.as_disk().map(PathBuf::from))
        .collect()
}

/// Returns the transitive imports of these files, and the files themselves.
pub(super) fn imported_from(db: &Database, files: Vec<FileId>) -> FxHashSet<FileId> {
    let mut seen: FxHashSet<FileId> = files.iter().copied().collect();
    let mut open = files;
    while let Some(file) = open.pop() {
        let targets = db.needs(file);
        open.extend(targets.into_iter().filter(|&target| seen.insert(target)));
    }
    seen
}
