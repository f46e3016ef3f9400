//! Mistakes in `expect`, and what is told about them.

use super::mistakes::told;

/// A disc, three crates and a pin. The entry of each case stands alone on the third line.
const ITEMS: &str = r#"{ "format": 1, "items": [
  { "type": "disc", "id": "d", "radius": 1 }, { "type": "stack", "id": "tower", "n": 3, "at": [9, 0] }, { "type": "pin", "id": "nail", "a": "d", "at": [0, 0] }], "expect": ["#;

/// What may be promised of a body; `KEYS` stands for it below.
const KEYS: &str = "moved_less_than, moved_more_than, speed_above, speed_below, spin_above, \
    spin_below, spin_less_than, spin_more_than, angle_above, angle_below, angle_less_than, \
    angle_more_than, turned_above, turned_below, turned_less_than, turned_more_than, x_above, x_below, \
    y_above, y_below, area_above, area_below, inside, at_rest, standing, touching";

/// Each entry of `expect`, and what is told about it.
pub(crate) const PROMISES: &[(&str, &str)] = &[
    (
        r#"{ "at": 1 }"#,
        "3:1 expect[0]: the promise does not say about what (name a metric, a body or a joint, or count bodies)\n",
    ),
    (r#"{ "metric": "escaped", "below": 1 }"#, "3:1 expect[0].at: the key `at` is missing\n"),
    (
        r#"{ "at": -1, "metric": "escaped", "below": 1 }"#,
        "3:9 expect[0].at: the time -1 is outside 0 to 86400 s\n",
    ),
    (
        r#"{ "at": 1, "from": 2, "metric": "escaped", "below": 1 }"#,
        "3:20 expect[0].from: the time 2 is outside 0 to `at`, 1 s\n",
    ),
    (
        r#"{ "at": 1, "metric": "escaped" }"#,
        "3:1 expect[0]: the promise has no bound (give it one of above, below)\n",
    ),
    (
        r#"{ "at": 1, "metric": "escaped", "above": 2, "below": 1 }"#,
        "3:1 expect[0]: nothing is both above 2 and below 1\n",
    ),
    (
        r#"{ "at": 1, "metric": "escaped", "below": "x" }"#,
        "3:42 expect[0].below: expected a number, found the text \"x\"\n",
    ),
    (
        r#"{ "at": 1, "metric": "escape", "below": 1 }"#,
        "3:22 expect[0].metric: unknown metric `escape` (did you mean `escaped`?)\n",
    ),
    (
        r#"{ "at": 1, "body": "f", "moved_less_than": 1 }"#,
        "3:20 expect[0].body: no body has the id `f` (did you mean `d`?)\n",
    ),
    (
        r#"{ "at": 1, "body": "towr.*", "moved_less_than": 1 }"#,
        "3:20 expect[0].body: no body matches `towr.*` (did you mean `tower.*`?)\n",
    ),
    (
        r#"{ "at": 1, "body": "wall.*", "moved_less_than": 1 }"#,
        "3:20 expect[0].body: no body matches `wall.*` (ids here: d, tower.*)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "moved_les_than": 1 }"#,
        "3:25 expect[0].moved_les_than: unknown key `moved_les_than` (did you mean `moved_less_than`?)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "turned_less_than": -1 }"#,
        "3:45 expect[0].turned_less_than: turned_less_than -1 must be positive (it leaves the sign out; turned_above and turned_below do not)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "speed_below": 0 }"#,
        "3:40 expect[0].speed_below: speed_below 0 must be positive (it is never negative)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "angle_above": 200 }"#,
        "3:40 expect[0].angle_above: 200 is outside -180 to 180, where angles lie (`turned_…` counts through full turns)\n",
    ),
    (
        r#"{ "at": 1, "body": "tower", "angle_above": 20 }"#,
        "3:44 expect[0].angle_above: `tower` is a group, which has no angle (use `turned_…`, or name a body, or every body of it with `.**`)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "y_above": 1, "solvers": ["impuls"] }"#,
        "3:51 expect[0].solvers[0]: unknown solver `impuls` (did you mean `impulse`?)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "y_above": 1, "holds": "once" }"#,
        "3:48 expect[0].holds: unknown value `once` (choose one of: always, ever, never)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "y_above": 1, "holds": "ever" }"#,
        "3:48 expect[0].holds: `ever` needs an interval (say when it begins: `\"from\": 0`)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "y_above": 1, "holds": "never" }"#,
        "3:48 expect[0].holds: a number within bounds cannot be `never` (turn the bound around: instead of never above 3, always below 3)\n",
    ),
    (
        r#"{ "from": 0, "at": 1, "body": "d", "y_above": 1, "x_above": 1, "holds": "ever" }"#,
        "3:73 expect[0].holds: several conditions: together, or each at a time of its own? (make an entry for each of them)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "at_rest": false }"#,
        "3:36 expect[0].at_rest: a promise says what is so, not what is not (write \"at_rest\": true, \"holds\": \"never\")\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "at_rest": "yes" }"#,
        "3:36 expect[0].at_rest: expected true or false, found the text \"yes\"\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "inside": { "min": [1, 1], "max": [0, 2] } }"#,
        "3:35 expect[0].inside: the region from [1, 1] to [0, 2] holds nothing (min is the lower left corner, max the upper right one)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "inside": { "min": [0, 0] } }"#,
        "3:35 expect[0].inside.max: the key `max` is missing\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "below": 1 }"#,
        "3:34 expect[0].below: `below` says nothing about a body (of a body one may promise: KEYS)\n",
    ),
    (
        r#"{ "at": 1, "body": "d" }"#,
        "3:1 expect[0]: the promise has no bound (give it one of KEYS)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "metric": "escaped", "below": 1 }"#,
        "3:20 expect[0].body: either `metric` or `body`, not both (make two entries of it)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "touching": "x" }"#,
        "3:37 expect[0].touching: no body has the id `x` (did you mean `d`?)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "touching": "d" }"#,
        "3:37 expect[0].touching: `d` cannot touch `d`, which is nothing but itself (name another body or group, or a pattern that others match)\n",
    ),
    (
        r#"{ "at": 1, "body": "tower", "touching": "tower.*" }"#,
        "3:41 expect[0].touching: `tower` cannot touch `tower.*`, which is nothing but itself (name another body or group, or a pattern that others match)\n",
    ),
    (
        r#"{ "at": 1, "body": "tower.*", "touching": "tower.0" }"#,
        "3:43 expect[0].touching: `tower.0` cannot touch `tower.0`, which is nothing but itself (name another body or group, or a pattern that others match)\n",
    ),
    (
        r#"{ "at": 1, "joint": "d", "intact": true }"#,
        "3:21 expect[0].joint: `d` is a body, not a joint\n",
    ),
    (
        r#"{ "at": 1, "joint": "nai", "intact": true }"#,
        "3:21 expect[0].joint: no joint has the id `nai` (did you mean `nail`?)\n",
    ),
    (
        r#"{ "at": 1, "joint": "ann.**", "intact": true }"#,
        "3:21 expect[0].joint: no joint matches `ann.**` (ids here: nail)\n",
    ),
    (
        r#"{ "at": 1, "joint": "nail" }"#,
        "3:1 expect[0]: the promise has no bound (give it one of error_above, error_below, intact)\n",
    ),
    (
        r#"{ "at": 1, "joint": "nail", "intact": false }"#,
        "3:39 expect[0].intact: a promise says what is so, not what is not (write \"intact\": true, \"holds\": \"never\")\n",
    ),
    (
        r#"{ "at": 1, "joint": "nail", "error_below": 0 }"#,
        "3:44 expect[0].error_below: error_below 0 must be positive (it is never negative)\n",
    ),
    (
        r#"{ "at": 1, "joint": "nail", "y_above": 0 }"#,
        "3:40 expect[0].y_above: `y_above` says nothing about a joint (of a joint one may promise: error_above, error_below, intact)\n",
    ),
    (
        r#"{ "at": 1, "count": "d", "y_above": 0, "above": 0 }"#,
        "3:21 expect[0].count: `d` is one thing: there is nothing to count (count what matches a pattern: `wall.*` is all whose ids begin with `wall.`)\n",
    ),
    (
        r#"{ "at": 1, "count": "tower.*", "above": 0 }"#,
        "3:1 expect[0]: the count does not say which bodies (give it one of KEYS)\n",
    ),
    (
        r#"{ "at": 1, "count": "tower.*", "at_rest": true }"#,
        "3:1 expect[0]: the promise has no bound (give it one of above, below)\n",
    ),
    (
        r#"{ "at": 1, "count": "tower.*", "at_rest": true, "above": 3 }"#,
        "3:58 expect[0].above: only 3 match `tower.*`: never more (all of them are `\"above\": 2`)\n",
    ),
    (
        r#"{ "at": 1, "count": "tower.*", "at_rest": true, "below": 0 }"#,
        "3:58 expect[0].below: a count is never below 0 (none of them is `\"below\": 1`)\n",
    ),
    (
        r#"{ "at": 1, "count": "wall.*", "at_rest": true, "above": 1 }"#,
        "3:21 expect[0].count: no body matches `wall.*` (ids here: d, tower.*)\n",
    ),
    (
        r#"{ "from": 0, "at": 1, "metric": "settled_at_s", "below": 1, "holds": "ever" }"#,
        "3:70 expect[0].holds: when all settled is only known at the end (leave `holds` and `from` out)\n",
    ),
    (r#"3"#, "3:1 expect[0]: expected an object { … }, found the number 3\n"),
    (
        r#"{ "at": 1, "count": "tower.*", "at_rest": false, "above": 1 }"#,
        "3:43 expect[0].at_rest: a promise says what is so, not what is not (count those of which it is so, and bound their number)\n",
    ),
    (
        r#"{ "at": 1, "body": "d", "y_above": 1e999 }"#,
        "3:36 expect[0].y_above: \"1e999\" is too large a number\n",
    ),
    (
        r#"{ "at": 1, "body": "tower.*", "touching": "ground", "standing": true }"#,
        "3:43 expect[0].touching: no body has the id `ground` (known ids: d, tower.0, tower.1, tower.2)\n",
    ),
    (r#"{ "at": 1, "body": "tower.2", "angle_above": 20, "holds": "always" }"#, ""),
];

#[test]
fn promises() {
    for &(entry, expected) in PROMISES {
        let text = format!("{ITEMS}\n{entry}\n] }}");
        assert_eq!(told(&text), expected.replace("KEYS", KEYS), "{entry}");
    }
}
