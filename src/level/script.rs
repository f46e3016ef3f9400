//! The `script` of a level: keys that are held as time goes by, for runs without a user.

use serde::Deserialize;

use schemars::JsonSchema;

use super::assembly::Assembly;
use super::decode;
use super::diagnostic::{Report, ticked};
use super::joint::motor::{key_named, key_names};
use super::tree::Place;
use crate::scene::{Key, Script, ScriptEntry};

/// Entries, at most.
const MOST_ENTRIES: usize = 1000;
/// A day: longer runs are nobody's script.
const LATEST: f64 = 86_400.0;

/// An entry of `script`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// When the keys go down, s of simulated time.
    #[schemars(range(min = 0, max = 86_400), extend("default" = 0))]
    from: Option<f64>,
    /// When they go up, s.
    #[schemars(range(min = 0, max = 86_400))]
    to: f64,
    /// The keys, in the order in which they go down.
    #[schemars(length(min = 1), extend("items" = key_names()))]
    keys: Vec<String>,
}

/// Reads the script at `list`; the joints are known by now.
pub(super) fn read(list: &Place<'_>, assembly: &Assembly, report: &mut Report<'_>) -> Script {
    let mut script = Script::default();
    // A joint that could not be read may have any keys.
    let complete = report.is_clean();
    if !decode::is_list(list, report) {
        return script;
    }
    let steering = assembly.joints.iter().filter_map(|joint| joint.steering.as_ref());
    let mut driving: Vec<Key> =
        steering.flat_map(|steering| steering.keys.iter().map(|key| key.0)).collect();
    driving.sort_unstable();
    driving.dedup();
    for (number, place) in list.elements().enumerate() {
        if report.is_full() {
            break;
        }
        if number == MOST_ENTRIES {
            report.error(&place, format!("a script has at most {MOST_ENTRIES} entries"));
            break;
        }
        let Some(entry) = decode::object::<Entry>(&place, report) else { continue };
        let from = entry.from.unwrap_or(0.0);
        if !(0.0..=LATEST).contains(&from) {
            let message = format!("the time {from} is outside 0 to {LATEST} s");
            report.error(&place.key("from"), message);
        } else if !(entry.to > from && entry.to <= LATEST) {
            let message = format!("the time {} is outside {from}, `from`, to {LATEST} s", entry.to);
            report.error(&place.key("to"), message);
        }
        let list = place.key("keys");
        if entry.keys.is_empty() {
            report.error_with_help(&list, "no key is held", "name one: [\"right\"]");
        }
        let mut keys = Vec::new();
        for (number, name) in entry.keys.iter().enumerate() {
            let place = list.index(number);
            let Some(key) = key_named(name, &place, report) else { continue };
            if !complete || driving.contains(&key) {
                keys.push(key);
                continue;
            }
            let known: Vec<String> = driving.iter().map(|key| ticked(key.name())).collect();
            let help = match known.is_empty() {
                true => "give the motor of a joint some `keys`".to_owned(),
                false => format!("keys of this level: {}", known.join(", ")),
            };
            let message = format!("the key {} drives no joint", ticked(name));
            report.error_with_help(&place, message, help);
        }
        script.entries.push(ScriptEntry { from, to: entry.to, keys });
    }
    script
}
