//! The folders from which files of a session may be imported: the projects of the workspace and of
//! open documents, and the folders of the settings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::roots::{Roots, project_of};

/// A folder that allows imports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RootSource {
    /// A folder of the workspace, with the project that contains it.
    Workspace(PathBuf),
    /// A folder of the settings.
    Setting(PathBuf),
    /// The folder of an open document. If it is outside of the other roots, the project that
    /// contains it is a root.
    Document(PathBuf),
}

/// A source with its paths resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedRoot {
    /// The folder, with symbolic links resolved.
    folder: PathBuf,
    root: PathBuf,
}

impl RootSource {
    /// Resolves the folder, which may block on the file system. Returns `None` if the folder does
    /// not exist.
    pub fn resolve(&self) -> Option<ResolvedRoot> {
        let (RootSource::Workspace(path) | RootSource::Setting(path) | RootSource::Document(path)) =
            self;
        let folder = path.canonicalize().ok()?;
        let root = match self {
            RootSource::Setting(_) => folder.clone(),
            RootSource::Workspace(_) | RootSource::Document(_) => project_of(&folder).to_owned(),
        };
        Some(ResolvedRoot { folder, root })
    }
}

/// The current sources, with those that are resolved.
#[derive(Debug, Default)]
pub struct ImportRoots {
    wanted: BTreeSet<RootSource>,
    resolved: BTreeMap<RootSource, ResolvedRoot>,
    /// The sources that are being resolved.
    awaited: BTreeSet<RootSource>,
}

impl ImportRoots {
    /// Replaces the sources. Returns those that have to be resolved.
    pub fn set(&mut self, wanted: BTreeSet<RootSource>) -> Vec<RootSource> {
        self.resolved.retain(|source, _| wanted.contains(source));
        let is_known = |source: &RootSource| {
            self.resolved.contains_key(source) || self.awaited.contains(source)
        };
        let missing: Vec<RootSource> = wanted.iter().filter(|it| !is_known(it)).cloned().collect();
        self.awaited.extend(missing.iter().cloned());
        self.wanted = wanted;
        missing
    }

    /// Adds the results of resolving sources.
    pub fn add(&mut self, found: Vec<(RootSource, Option<ResolvedRoot>)>) {
        for (source, resolved) in found {
            self.awaited.remove(&source);
            if let Some(resolved) = resolved.filter(|_| self.wanted.contains(&source)) {
                self.resolved.insert(source, resolved);
            }
        }
    }

    /// Returns the roots of the resolved sources.
    pub fn roots(&self) -> Roots {
        let is_document = |source: &RootSource| matches!(source, RootSource::Document(_));
        let of = |documents: bool| {
            let resolved = self.resolved.iter();
            let resolved = resolved.filter(move |(source, _)| is_document(source) == documents);
            resolved.map(|(_, resolved)| resolved)
        };
        let mut roots: BTreeSet<&Path> = of(false).map(|it| it.root.as_path()).collect();
        let is_outside = |document: &&ResolvedRoot| {
            let mut given = of(false);
            !given.any(|given| document.folder.starts_with(&given.root))
        };
        roots.extend(of(true).filter(is_outside).map(|it| it.root.as_path()));
        roots.into_iter().map(Path::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_that_count_have_roots() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().canonicalize().expect("a folder");
        for folder in ["one/inner", "two/inner"] {
            std::fs::create_dir_all(path.join(folder)).expect("a folder");
        }
        std::fs::write(path.join("rise.toml"), "").expect("a file");
        let workspace = RootSource::Workspace(path.join("one"));
        let inside = RootSource::Document(path.join("one/inner"));
        let outside = RootSource::Document(path.join("two/inner"));
        let setting = RootSource::Setting(path.join("two"));
        let mut roots = ImportRoots::default();
        let mut set = |wanted: &[&RootSource]| {
            let missing = roots.set(wanted.iter().map(|&source| source.clone()).collect());
            let found = missing.into_iter().map(|source| {
                let resolved = source.resolve();
                (source, resolved)
            });
            roots.add(found.collect());
            roots.roots()
        };
        let all = |folders: &[&str]| -> Roots {
            let folders = folders.iter().map(|folder| path.join(folder));
            folders.collect()
        };
        let project = path.clone();
        assert_eq!(set(&[&workspace]), Roots::from_iter([project.clone()]));
        assert_eq!(
            set(&[&workspace, &inside, &outside]),
            Roots::from_iter([project.clone()])
        );
        assert_eq!(set(&[&setting, &outside]), all(&["two"]));
        assert_eq!(
            set(&[&setting, &inside]),
            Roots::from_iter([path.join("two"), project])
        );
        assert_eq!(set(&[&setting]), all(&["two"]));
        assert_eq!(set(&[]), Roots::default());
    }
}
