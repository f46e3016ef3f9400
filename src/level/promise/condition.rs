//! What can be so about a body or a joint: bounds on a number, or a state.
//!
//! A number has `_above` and `_below`, which take it with its sign. One that says how much, such as
//! the angle turned, has `_less_than` and `_more_than` as well, which leave the sign out.

use super::super::diagnostic::{Report, ticked};
use super::super::tree::Place;
use super::keys::Promise;
use crate::expect::{Condition, JointCondition, Quantity, Range, Thing};
use crate::math::{Aabb, Vec2};

/// The keys about a body.
pub(super) const OF_A_BODY: &[&str] = &[
    "moved_less_than",
    "moved_more_than",
    "speed_above",
    "speed_below",
    "spin_above",
    "spin_below",
    "spin_less_than",
    "spin_more_than",
    "angle_above",
    "angle_below",
    "angle_less_than",
    "angle_more_than",
    "turned_above",
    "turned_below",
    "turned_less_than",
    "turned_more_than",
    "x_above",
    "x_below",
    "y_above",
    "y_below",
    "area_above",
    "area_below",
    "inside",
    "at_rest",
    "standing",
    "touching",
];
/// The keys about a joint.
pub(super) const OF_A_JOINT: &[&str] = &["error_above", "error_below", "intact"];

/// Bounds on one number as the file has them.
struct Bounds {
    quantity: Quantity,
    amount: bool,
    /// The keys of the lower and the upper bound.
    keys: [&'static str; 2],
    range: Range,
}

/// What an entry says is so.
pub(super) struct Facts<'r, 'a> {
    pub(super) entry: &'r Place<'a>,
    pub(super) keys: &'r Promise,
}

impl Facts<'_, '_> {
    /// The conditions on the bodies and groups `things`.
    pub(super) fn of_bodies(&self, things: &[Thing], report: &mut Report<'_>) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for bounds in self.numbers() {
            if bounds.range == Range::default() {
                continue;
            }
            self.check(&bounds, things, report);
            let Bounds { quantity, amount, range, .. } = bounds;
            conditions.push(Condition::Quantity { quantity, amount, range });
        }
        if let Some(region) = self.keys.inside {
            let (min, max): (Vec2, Vec2) = (region.min.into(), region.max.into());
            if !min.cmplt(max).all() {
                let message = format!("the region from {min} to {max} holds nothing");
                let help = "min is the lower left corner, max the upper right one";
                report.error_with_help(&self.entry.key("inside"), message, help);
            }
            conditions.push(Condition::Inside(Aabb { min, max }));
        }
        if self.state("at_rest", self.keys.at_rest, report) {
            conditions.push(Condition::AtRest);
        }
        if self.state("standing", self.keys.standing, report) {
            conditions.push(Condition::Standing);
        }
        if let Some(other) = &self.keys.touching {
            conditions.push(Condition::Touching(other.clone()));
        }
        conditions
    }

    /// The conditions on a joint.
    pub(super) fn of_joint(&self, report: &mut Report<'_>) -> Vec<JointCondition> {
        let mut conditions = Vec::new();
        let range = Range { above: self.keys.error_above, below: self.keys.error_below };
        if range != Range::default() {
            self.check_amount(&["error_above", "error_below"], range, report);
            rises(range, self.entry, report);
            conditions.push(JointCondition::Error(range));
        }
        if self.state("intact", self.keys.intact, report) {
            conditions.push(JointCondition::Intact);
        }
        conditions
    }

    /// All numbers of a body that can be bounded.
    fn numbers(&self) -> [Bounds; 11] {
        let k = self.keys;
        let number = |quantity, amount, keys, above, below| Bounds {
            quantity,
            amount,
            keys,
            range: Range { above, below },
        };
        use Quantity::{Angle, Area, Moved, Speed, Spin, Turned, X, Y};
        let (signed, amount) = (false, true);
        [
            number(
                Moved,
                amount,
                ["moved_more_than", "moved_less_than"],
                k.moved_more_than,
                k.moved_less_than,
            ),
            number(Speed, signed, ["speed_above", "speed_below"], k.speed_above, k.speed_below),
            number(Spin, signed, ["spin_above", "spin_below"], k.spin_above, k.spin_below),
            number(
                Spin,
                amount,
                ["spin_more_than", "spin_less_than"],
                k.spin_more_than,
                k.spin_less_than,
            ),
            number(Angle, signed, ["angle_above", "angle_below"], k.angle_above, k.angle_below),
            number(
                Angle,
                amount,
                ["angle_more_than", "angle_less_than"],
                k.angle_more_than,
                k.angle_less_than,
            ),
            number(
                Turned,
                signed,
                ["turned_above", "turned_below"],
                k.turned_above,
                k.turned_below,
            ),
            number(
                Turned,
                amount,
                ["turned_more_than", "turned_less_than"],
                k.turned_more_than,
                k.turned_less_than,
            ),
            number(X, signed, ["x_above", "x_below"], k.x_above, k.x_below),
            number(Y, signed, ["y_above", "y_below"], k.y_above, k.y_below),
            number(Area, signed, ["area_above", "area_below"], k.area_above, k.area_below),
        ]
    }

    fn check(&self, bounds: &Bounds, things: &[Thing], report: &mut Report<'_>) {
        let Bounds { quantity, amount, keys, range } = bounds;
        if *amount || matches!(quantity, Quantity::Speed | Quantity::Area) {
            self.check_amount(keys, *range, report);
        }
        for (key, bound) in keys.iter().zip([range.above, range.below]) {
            let Some(bound) = bound else { continue };
            if *quantity != Quantity::Angle {
                continue;
            }
            if !(bound.abs() <= 180.0) {
                let message = format!("{bound} is outside -180 to 180, where angles lie");
                let help = "`turned_…` counts through full turns";
                report.error_with_help(&self.entry.key(key), message, help);
            }
            if let Some(group) = things.iter().find(|thing| thing.group) {
                let message = format!("{} is a group, which has no angle", ticked(&group.name));
                let help = "use `turned_…`, or name a body, or every body of it with `.**`";
                report.error_with_help(&self.entry.key(key), message, help);
            }
        }
        rises(*range, self.entry, report);
    }

    /// Reports bounds that a number without a sign always or never keeps.
    fn check_amount(&self, keys: &[&str; 2], range: Range, report: &mut Report<'_>) {
        let signed = |key: &str| {
            let stem = key.strip_suffix("_more_than").or_else(|| key.strip_suffix("_less_than"));
            stem.filter(|stem| ["spin", "angle", "turned"].contains(stem))
                .map(|stem| format!("it leaves the sign out; {stem}_above and {stem}_below do not"))
        };
        let [above, below] = keys;
        let wrong = [
            (above, range.above.filter(|&bound| bound < 0.0), "must not be negative"),
            (below, range.below.filter(|&bound| bound <= 0.0), "must be positive"),
        ];
        for (key, bound, what) in wrong {
            let Some(bound) = bound else { continue };
            let help = signed(key).unwrap_or_else(|| "it is never negative".into());
            report.error_with_help(&self.entry.key(key), format!("{key} {bound} {what}"), help);
        }
    }

    /// Whether a state is promised.
    fn state(&self, key: &str, said: Option<bool>, report: &mut Report<'_>) -> bool {
        if said == Some(false) {
            let help = match self.keys.count {
                Some(_) => "count those of which it is so, and bound their number".into(),
                None => format!("write \"{key}\": true, \"holds\": \"never\""),
            };
            let message = "a promise says what is so, not what is not";
            report.error_with_help(&self.entry.key(key), message, help);
        }
        said == Some(true)
    }
}

/// Reports bounds between which nothing lies.
pub(super) fn rises(range: Range, entry: &Place<'_>, report: &mut Report<'_>) {
    if let Range { above: Some(above), below: Some(below) } = range
        && above >= below
    {
        report.error(entry, format!("nothing is both above {above} and below {below}"));
    }
}
