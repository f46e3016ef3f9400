//! The keys of each type of item: those of its own and those it shares with others.

use serde_json::Value;

use super::Maker;
use crate::level::format::{
    BoxKeys, CapsuleKeys, DiscKeys, Material, Placed, PolygonKeys, Solid, StaticKeys,
};
use crate::level::joint::keys::{
    DistanceKeys, GearKeys, JointKeys, MuscleKeys, PinKeys, PulleyKeys, SliderKeys, SpringKeys,
    WeldKeys, WheelKeys,
};
use crate::level::ragdoll::RagdollKeys;
use crate::level::soft::keys::{
    BalloonKeys, BeamKeys, BlobKeys, BridgeKeys, ClothKeys, JellyKeys, RopeKeys, SoftKeys,
};
use crate::level::solid::{BodyKeys, TerrainKeys};

impl Maker {
    /// What a type of item is, and the schemas of the structs that its keys are in.
    pub(super) fn kind(&mut self, name: &str) -> (&'static str, Vec<Value>) {
        let (about, own) = match name {
            "crate" => ("A rectangle drawn as a wooden crate.", self.of::<BoxKeys>()),
            "box" => ("A rectangle.", self.of::<BoxKeys>()),
            "polygon" => ("A polygon, convex or concave.", self.of::<PolygonKeys>()),
            "disc" => ("A disc.", self.of::<DiscKeys>()),
            "capsule" => {
                ("A rectangle with round ends, along the x axis.", self.of::<CapsuleKeys>())
            }
            "static" => (
                "Something that never moves: give exactly one of box, polygon, disc, capsule.",
                self.of::<StaticKeys>(),
            ),
            "body" => ("A rigid body of many parts.", self.of::<BodyKeys>()),
            "terrain" => (
                "Ground that never moves: points from left to right, or heights. A line if it has \
                 a thickness.",
                self.of::<TerrainKeys>(),
            ),
            "ragdoll" => ("A person of 13 parts.", self.of::<RagdollKeys>()),
            "bridge" => ("A row of planks pinned to each other.", self.of::<BridgeKeys>()),
            _ => return self.soft(name).unwrap_or_else(|| self.joint(name)),
        };
        let shared = match name {
            "ragdoll" => vec![self.of::<Placed>()],
            "bridge" => vec![self.of::<Placed>(), self.of::<Material>()],
            _ => vec![self.of::<Placed>(), self.of::<Solid>(), self.of::<Material>()],
        };
        (about, [shared, vec![own]].concat())
    }

    /// The same for a soft body; `None` if it is none.
    fn soft(&mut self, name: &str) -> Option<(&'static str, Vec<Value>)> {
        let (about, own) = match name {
            "rope" => ("A line that bends freely.", self.of::<RopeKeys>()),
            "beam" => ("A line that resists bending.", self.of::<BeamKeys>()),
            "cloth" => ("A sheet of threads, with or without holes.", self.of::<ClothKeys>()),
            "jelly" => (
                "A soft solid: give exactly one of box, polygon, disc, and either stiffness or \
                 frequency.",
                self.of::<JellyKeys>(),
            ),
            "blob" => ("A drop of liquid in a skin.", self.of::<BlobKeys>()),
            "balloon" => ("Gas in a stretched skin.", self.of::<BalloonKeys>()),
            _ => return None,
        };
        let shared = [self.of::<Placed>(), self.of::<Material>(), self.of::<SoftKeys>()];
        Some((about, [&shared[..], &[own]].concat()))
    }

    /// The same for a joint.
    fn joint(&mut self, name: &str) -> (&'static str, Vec<Value>) {
        let (about, own) = match name {
            "weld" => ("A joint that holds place and angle.", self.of::<WeldKeys>()),
            "distance" => ("A rod: two places stay as far apart.", self.of::<DistanceKeys>()),
            "tether" => ("A cord: two places come no further apart.", self.of::<DistanceKeys>()),
            "spring" => ("A spring with a damper between two places.", self.of::<SpringKeys>()),
            "muscle" => (
                "Pulls and pushes two places to a length that changes with time or by keys.",
                self.of::<MuscleKeys>(),
            ),
            "slider" => ("A joint along which `b` slides on `a`.", self.of::<SliderKeys>()),
            "wheel" => ("A wheel `b` on the suspension of `a`.", self.of::<WheelKeys>()),
            "gear" => ("Two bodies that turn each other.", self.of::<GearKeys>()),
            "pulley" => {
                ("A rope over two wheels with a body at each end.", self.of::<PulleyKeys>())
            }
            _ => ("A joint about which two bodies turn.", self.of::<PinKeys>()),
        };
        (about, vec![self.of::<JointKeys>(), own])
    }
}
