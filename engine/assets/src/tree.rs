use std::collections::{BTreeMap, BTreeSet};

/// The names of a root's files, by folder. A folder is here exactly as long as a file is
/// somewhere in it, so an empty folder is nothing: as in a content-addressed tree.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub files: BTreeSet<Box<str>>,
    pub folders: BTreeMap<Box<str>, Folder>,
}

impl Folder {
    /// A tree of files given by their relative paths, in path order.
    pub fn of_sorted(files: &[&str]) -> Folder {
        let mut names = Vec::new();
        let mut folders = Vec::new();
        let mut rest = files;
        while let Some(first) = rest.first() {
            let Some((name, _)) = first.split_once('/') else {
                names.push(Box::from(*first));
                rest = &rest[1..];
                continue;
            };
            let prefix = &first[..=name.len()];
            let end = rest.iter().position(|file| !file.starts_with(prefix)).unwrap_or(rest.len());
            let below: Vec<&str> = rest[..end].iter().map(|file| &file[prefix.len()..]).collect();
            folders.push((Box::from(name), Folder::of_sorted(&below)));
            rest = &rest[end..];
        }
        Folder { files: names.into_iter().collect(), folders: folders.into_iter().collect() }
    }

    /// Whether the file was new.
    pub fn insert(&mut self, relative: &str) -> bool {
        match relative.split_once('/') {
            None => self.files.insert(relative.into()),
            Some((folder, rest)) => match self.folders.get_mut(folder) {
                Some(known) => known.insert(rest),
                None => self.folders.entry(folder.into()).or_default().insert(rest),
            },
        }
    }

    /// Removes the file, or the folder with all that is in it; adds the removed files to `gone`.
    pub fn remove(&mut self, relative: &str, gone: &mut Vec<String>) {
        self.remove_under("", relative, gone);
    }

    fn remove_under(&mut self, prefix: &str, relative: &str, gone: &mut Vec<String>) {
        match relative.split_once('/') {
            None => {
                if self.files.remove(relative) {
                    gone.push(format!("{prefix}{relative}"));
                }
                if let Some(folder) = self.folders.remove(relative) {
                    folder.each_file(&mut |file| gone.push(format!("{prefix}{relative}/{file}")));
                }
            }
            Some((name, rest)) => {
                if let Some(folder) = self.folders.get_mut(name) {
                    folder.remove_under(&format!("{prefix}{name}/"), rest, gone);
                    if folder.is_empty() {
                        self.folders.remove(name);
                    }
                }
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// The folder at a relative path; itself for the empty path.
    pub fn folder(&self, relative: &str) -> Option<&Folder> {
        let mut folder = self;
        for segment in segments(relative) {
            folder = folder.folders.get(segment)?;
        }
        Some(folder)
    }

    pub fn has_file(&self, relative: &str) -> bool {
        match relative.rsplit_once('/') {
            None => self.files.contains(relative),
            Some((folder, name)) => self.folder(folder).is_some_and(|folder| folder.files.contains(name)),
        }
    }

    /// Calls `visit` with the relative path of every file: files of a folder before its subfolders.
    pub fn each_file(&self, visit: &mut dyn FnMut(&str)) {
        self.each_file_under(&mut String::new(), visit);
    }

    fn each_file_under(&self, prefix: &mut String, visit: &mut dyn FnMut(&str)) {
        let length = prefix.len();
        for file in &self.files {
            prefix.push_str(file);
            visit(prefix);
            prefix.truncate(length);
        }
        for (name, folder) in &self.folders {
            prefix.push_str(name);
            prefix.push('/');
            folder.each_file_under(prefix, visit);
            prefix.truncate(length);
        }
    }
}

/// The segments of a relative path; none for the empty path.
pub(crate) fn segments(relative: &str) -> impl Iterator<Item = &str> {
    relative.split('/').filter(|segment| !segment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_live_as_long_as_a_file_is_in_them() {
        let mut tree = Folder::default();
        assert!(tree.insert("a/b/c.luau"));
        assert!(tree.insert("a/b/d.luau"));
        assert!(!tree.insert("a/b/d.luau"));
        assert!(tree.insert("top"));
        assert!(tree.has_file("a/b/c.luau") && tree.has_file("top"));
        assert!(!tree.has_file("a/b") && tree.folder("a/b").is_some() && tree.folder("").is_some());

        let mut gone = Vec::new();
        tree.remove("a/b/c.luau", &mut gone);
        tree.remove("a/missing", &mut gone);
        assert_eq!(gone, ["a/b/c.luau"]);
        tree.remove("a", &mut gone);
        assert_eq!(gone, ["a/b/c.luau", "a/b/d.luau"]);
        assert!(tree.folder("a").is_none());
        tree.remove("top", &mut gone);
        assert!(tree.is_empty());
    }

    #[test]
    fn a_tree_of_many_files_is_the_tree_of_each() {
        let mut files = ["a-b/c", "a/x/y", "a/x.z", "a.b/c", "a.b/d/e", "top", "a", "zz/é/1", "zz/é/2"];
        files.sort();
        let mut one_by_one = Folder::default();
        assert!(files.iter().all(|file| one_by_one.insert(file)));
        assert_eq!(format!("{:?}", Folder::of_sorted(&files)), format!("{one_by_one:?}"));
    }

    #[test]
    fn the_last_file_takes_its_folders_with_it() {
        let mut tree = Folder::default();
        tree.insert("a/b/c");
        tree.remove("a/b/c", &mut Vec::new());
        assert!(tree.is_empty());
    }
}
