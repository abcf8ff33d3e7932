use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Editors write in several steps: a change is looked at when it has been quiet this long …
const QUIET: Duration = Duration::from_millis(30);
/// … or has been waiting this long.
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// How often everything is looked at where changes are not reported.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// More places than this are one: everything.
const MOST_PLACES: usize = 10_000;

/// What to look at now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    Places(BTreeSet<PathBuf>),
    Everything,
}

/// Gathers the places where other programs changed something.
pub(crate) struct Watch {
    reports: Arc<Mutex<Reports>>,
    /// None where the system does not report changes.
    watcher: Option<RecommendedWatcher>,
}

#[derive(Default)]
struct Reports {
    places: BTreeSet<PathBuf>,
    everything: bool,
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Watch {
    pub fn new<'a>(folders: impl Iterator<Item = &'a Path>) -> Watch {
        let reports = Arc::new(Mutex::new(Reports::default()));
        let watcher = start(folders, reports.clone());
        if let Err(error) = &watcher {
            tracing::warn!(%error, "changes on disk are not reported; looking for them every second");
        }
        Watch { reports, watcher: watcher.ok() }
    }

    pub fn due(&mut self) -> Due {
        let now = Instant::now();
        if self.watcher.is_none() {
            let mut reports = lock(&self.reports);
            let waited = reports.last.is_none_or(|last| now.duration_since(last) >= POLL_INTERVAL);
            return if waited {
                reports.last = Some(now);
                Due::Everything
            } else {
                Due::Nothing
            };
        }
        lock(&self.reports).due(now)
    }

    /// Has the same looked at once more: the last look failed.
    pub fn again(&self, due: Due) {
        let mut reports = lock(&self.reports);
        match due {
            Due::Nothing => {}
            Due::Places(places) => reports.add(places, Instant::now()),
            Due::Everything => reports.lose_track(Instant::now()),
        }
    }
}

impl Reports {
    fn add(&mut self, places: impl IntoIterator<Item = PathBuf>, now: Instant) {
        self.places.extend(places);
        if self.places.len() > MOST_PLACES {
            self.everything = true;
            self.places.clear();
        }
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    fn lose_track(&mut self, now: Instant) {
        self.everything = true;
        self.add([], now);
    }

    fn due(&mut self, now: Instant) -> Due {
        let (Some(first), Some(last)) = (self.first, self.last) else { return Due::Nothing };
        if now.duration_since(last) < QUIET && now.duration_since(first) < LONGEST_WAIT {
            return Due::Nothing;
        }
        let reports = std::mem::take(self);
        if reports.everything { Due::Everything } else { Due::Places(reports.places) }
    }
}

fn start<'a>(
    folders: impl Iterator<Item = &'a Path>,
    reports: Arc<Mutex<Reports>>,
) -> notify::Result<RecommendedWatcher> {
    let report = move |event: notify::Result<Event>| {
        let mut reports = lock(&reports);
        match event {
            Ok(event) if event.need_rescan() => reports.lose_track(Instant::now()),
            Ok(event) if is_a_change(event.kind) => reports.add(event.paths, Instant::now()),
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "the watcher lost track; looking at everything");
                reports.lose_track(Instant::now());
            }
        }
    };
    let mut watcher = RecommendedWatcher::new(report, Config::default().with_follow_symlinks(false))?;
    for folder in folders {
        watcher.watch(folder, RecursiveMode::Recursive)?;
    }
    Ok(watcher)
}

/// Reading is no change, and the engine itself reads what it is told about.
fn is_a_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

fn lock(reports: &Mutex<Reports>) -> MutexGuard<'_, Reports> {
    reports.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(names: &[&str]) -> BTreeSet<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn places_are_due_when_quiet_or_after_the_longest_wait() {
        let start = Instant::now();
        let after = |millis| start + Duration::from_millis(millis);
        let mut reports = Reports::default();
        assert_eq!(reports.due(start), Due::Nothing);
        reports.add(places(&["a"]), start);
        reports.add(places(&["b"]), after(20));
        assert_eq!(reports.due(after(40)), Due::Nothing);
        assert_eq!(reports.due(after(50)), Due::Places(places(&["a", "b"])));
        assert_eq!(reports.due(after(99)), Due::Nothing);

        (0..100).for_each(|step| reports.add(places(&["busy"]), after(1000 + step * 10)));
        assert_eq!(reports.due(after(1990)), Due::Places(places(&["busy"])));
    }

    #[test]
    fn a_flood_of_places_is_everything() {
        let start = Instant::now();
        let mut reports = Reports::default();
        reports.add((0..=MOST_PLACES).map(|n| PathBuf::from(n.to_string())), start);
        assert_eq!(reports.due(start + LONGEST_WAIT), Due::Everything);
        assert_eq!(reports.due(start + LONGEST_WAIT * 2), Due::Nothing);
    }

    #[test]
    fn where_changes_are_not_reported_everything_is_looked_at() {
        let mut watch = Watch::new([Path::new("/this/folder/is/not/there")].into_iter());
        assert_eq!(watch.due(), Due::Everything);
        assert_eq!(watch.due(), Due::Nothing);
    }
}
