//! The levels that come with the crate, embedded so that they are there in any folder.

macro_rules! levels {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../levels/", $name, ".json")))),*]
    };
}

/// Name and text, in playing order.
pub(super) const LEVELS: [(&str, &str); 10] = levels![
    "demo",
    "pyramid",
    "stack",
    "dominoes",
    "seesaw",
    "friction_ramp",
    "bouncing",
    "ragdoll_stairs",
    "wrecking_ball",
    "pile_up"
];
