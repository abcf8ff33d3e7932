use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What is compared, and how often.
pub struct Case {
    pub name: &'static str,
    /// What the opponent does.
    pub opponent: &'static str,
    /// The largest acceptable ratio of our time to the opponent's.
    pub budget: f64,
    pub rounds: usize,
}

/// The outcome of a case.
pub struct Row {
    case: &'static str,
    ours: Duration,
    /// Name and time; none where nothing else does the same work.
    opponent: Option<(&'static str, Duration)>,
    /// The largest acceptable ratio, or milliseconds where there is no opponent.
    budget: f64,
}

impl Row {
    /// A time with a budget of its own, where there is nobody to race.
    pub fn alone(case: &'static str, ours: Duration, budget: Duration) -> Row {
        eprintln!("{case}: {ours:?}, budget {budget:?}");
        Row { case, ours, opponent: None, budget: milliseconds(budget) }
    }

    pub fn to_json(&self) -> Value {
        json!({
            "case": self.case,
            "ours": milliseconds(self.ours),
            "unit": "ms",
            "opponent": self.opponent.map(|(name, _)| name),
            "theirs": self.opponent.map(|(_, theirs)| milliseconds(theirs)),
            "ratio": self.opponent.map(|(_, theirs)| self.ours.as_secs_f64() / theirs.as_secs_f64()),
            "budget": self.budget,
        })
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Runs both in turn and compares the medians. Each side gives the time of the part that
/// counts, so that it can prepare outside of it; who goes first changes from round to round, so
/// that a machine that slows down slows both.
pub fn race(case: &Case, mut ours: impl FnMut() -> Duration, mut theirs: impl FnMut() -> Duration) -> Row {
    // One round uncounted: caches and lazily made things.
    ours();
    theirs();
    let mut times = (Vec::new(), Vec::new());
    for round in 0..case.rounds {
        if round % 2 == 0 {
            times.0.push(ours());
            times.1.push(theirs());
        } else {
            times.1.push(theirs());
            times.0.push(ours());
        }
    }
    let (ours, theirs) = (median(times.0), median(times.1));
    eprintln!("{}: {ours:?} against {theirs:?}", case.name);
    Row { case: case.name, ours, opponent: Some((case.opponent, theirs)), budget: case.budget }
}

/// The time `work` takes. What it gives is kept from being optimised away.
pub fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    let result = work();
    let took = started.elapsed();
    std::hint::black_box(result);
    took
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    match times.len() {
        0 => Duration::ZERO,
        count if count % 2 == 1 => times[count / 2],
        count => (times[count / 2 - 1] + times[count / 2]) / 2,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        let of = |times: &[u64]| median(times.iter().map(|ms| Duration::from_millis(*ms)).collect()).as_millis();
        assert_eq!((of(&[]), of(&[9, 1, 5]), of(&[4, 1, 2, 100])), (0, 5, 3));
    }

    #[test]
    fn sides_take_turns_and_the_first_round_does_not_count() {
        let order = RefCell::new(String::new());
        let case = Case { name: "a", opponent: "b", budget: 2.0, rounds: 2 };
        let mut mine = vec![10, 30, 900];
        let row = race(
            &case,
            || {
                order.borrow_mut().push('o');
                Duration::from_millis(mine.pop().unwrap())
            },
            || {
                order.borrow_mut().push('t');
                Duration::from_millis(10)
            },
        );
        assert_eq!(order.into_inner(), "ototto");
        assert_eq!(row.to_json()["ratio"], 2.0);
        assert_eq!(row.to_json()["ours"], 20.0);
    }
}
