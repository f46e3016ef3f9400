//! Notices when a level file is saved.
//!
//! The folders of the files are watched, not the files: many editors save by writing another file
//! and renaming it, and a watch on the file itself would stay with the old one. A save comes as
//! several events, so it counts once none has come for a moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Watches some files.
pub(crate) struct Watch {
    /// Stops watching when dropped.
    _watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    files: Vec<PathBuf>,
    /// The files as events name them: in folders without links.
    names: BTreeSet<PathBuf>,
    pending: Option<Pending>,
}

/// A save that is going on.
#[derive(Clone, Copy, Debug)]
struct Pending {
    first: Instant,
    last: Instant,
}

impl Watch {
    /// No event for this long: the save is complete.
    const QUIET: Duration = Duration::from_millis(30);
    /// However busy the file is, it is looked at after this long.
    const LONGEST: Duration = Duration::from_millis(150);
    /// An editor that renames may leave the file missing for a moment, at most this long.
    const ABSENT: Duration = Duration::from_millis(500);

    /// Begins to watch.
    ///
    /// # Errors
    /// In one line, why the files cannot be watched.
    pub(crate) fn new(files: &[PathBuf]) -> Result<Self, String> {
        let (sender, events) = channel();
        let mut watcher = notify::recommended_watcher(sender).map_err(|error| error.to_string())?;
        let mut names = BTreeSet::new();
        for file in files {
            let folder = match file.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            if let (Ok(folder), Some(name)) = (folder.canonicalize(), file.file_name()) {
                names.insert(folder.join(name));
            }
            // The file may be a link to one elsewhere.
            names.extend(file.canonicalize());
        }
        let folders: BTreeSet<&Path> = names.iter().filter_map(|name| name.parent()).collect();
        for folder in folders {
            watcher.watch(folder, RecursiveMode::NonRecursive).map_err(|e| e.to_string())?;
        }
        Ok(Self { _watcher: watcher, events, files: files.to_vec(), names, pending: None })
    }

    /// The files that are watched.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether a file was saved and the save is complete.
    pub(crate) fn saved(&mut self, now: Instant) -> bool {
        let news = self.events.try_iter().filter(|event| match event {
            Ok(event) => changes(event.kind) && event.paths.iter().any(|p| self.names.contains(p)),
            // Some events were lost: one of them may have been ours.
            Err(_) => true,
        });
        if news.count() > 0 {
            let first = self.pending.map_or(now, |pending| pending.first);
            self.pending = Some(Pending { first, last: now });
        }
        let Some(Pending { first, last }) = self.pending else { return false };
        let (quiet, waited) = (now.duration_since(last), now.duration_since(first));
        let absent = self.files.iter().any(|file| !file.exists());
        let ready = quiet >= Self::QUIET || waited >= Self::LONGEST;
        if ready && !(absent && waited < Self::ABSENT) {
            self.pending = None;
            return true;
        }
        false
    }
}

/// Whether an event may have changed what a file says. Reading it is an event too.
fn changes(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for a save to be noticed; `false` if there is none for a while.
    fn noticed(watch: &mut Watch, patience: u64) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(patience) {
            if watch.saved(Instant::now()) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    #[test]
    fn every_way_to_save_is_noticed_and_neighbours_are_not() {
        let folder = std::env::temp_dir().join(format!("sinew-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("level.json");
        std::fs::write(&file, "1").unwrap();
        let mut watch = Watch::new(std::slice::from_ref(&file)).unwrap();
        assert_eq!(watch.files(), std::slice::from_ref(&file));
        // Neither a neighbour nor reading counts.
        std::fs::write(folder.join("other.json"), "1").unwrap();
        std::fs::read(&file).unwrap();
        assert!(!noticed(&mut watch, 150));
        // Written in place.
        std::fs::write(&file, "2").unwrap();
        assert!(noticed(&mut watch, 5000));
        assert!(!noticed(&mut watch, 100), "one save is noticed twice");
        // Replaced by another file, twice, because a watch on the file would be lost by then.
        for text in ["3", "4"] {
            let draft = folder.join("level.json.draft");
            std::fs::write(&draft, text).unwrap();
            std::fs::rename(&draft, &file).unwrap();
            assert!(noticed(&mut watch, 5000));
        }
        // Moved away first, as a backup, and written anew a moment later.
        std::fs::rename(&file, folder.join("level.json~")).unwrap();
        assert!(!noticed(&mut watch, 100));
        std::fs::write(&file, "5").unwrap();
        assert!(noticed(&mut watch, 5000));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_cannot_be_watched() {
        assert!(
            Watch::new(&[PathBuf::from("/no/such/folder/level.json")])
                .is_ok_and(|watch| { watch.names.is_empty() })
        );
    }
}
