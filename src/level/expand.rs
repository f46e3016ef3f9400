//! From items as written to bodies and joints: defaults, copies, prefabs within prefabs.
//!
//! Each item goes through the same steps: its defaults are put under its own keys, its copies laid
//! out, and for every copy the variables put in. What comes out is read as a body, a ragdoll or a
//! joint and placed where the prefabs around it are; or it is a prefab, and its items come next.
//! Nothing here is without bound: a level that would grow past [`MOST_ITEMS`] is refused.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use super::assembly::Assembly;
use super::decode;
use super::diagnostic::{Report, choices, suggestion, ticked};
use super::format::{REPEAT, UseKeys};
use super::frame::{Frame, check_scale};
use super::item::{Draft, Overrides, Reader};
use super::joint::{self, Pending};
use super::material::Materials;
use super::prefab::{Catalog, Prefab};
use super::ragdoll;
use super::repeat::{self, Copy};
use super::scope::{self, Scope};
use super::shape::point_count;
use super::sources::Why;
use super::tree::{Node, Place};
use crate::math::Vec2;

/// Items of a level once all prefabs and copies are laid out, at most.
pub(super) const MOST_ITEMS: u64 = 60_000;
/// Prefabs within each other, at most.
pub(super) const DEEPEST_PREFAB: usize = 16;

/// What is around an item.
#[derive(Clone, Default)]
pub(super) struct Context {
    scope: Scope,
    frame: Frame,
    overrides: Overrides,
    /// The id of the prefab around it; empty in the level itself.
    prefix: String,
    /// Ids that the items next to it give themselves, which none made up may take.
    reserved: Rc<BTreeSet<String>>,
    /// The prefabs around it, the outermost first.
    chain: Vec<String>,
}

impl Context {
    /// The level itself, with these lists of items.
    pub(super) fn of_level<'n>(lists: impl Iterator<Item = &'n Node>) -> Self {
        Self { reserved: Rc::new(lists.flat_map(given_ids).collect()), ..Self::default() }
    }

    /// The full id of something that is called `name` here.
    fn id(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }
}

fn given_ids(items: &Node) -> impl Iterator<Item = String> {
    items.elements().iter().filter_map(|item| item.get("id")?.text().map(str::to_owned))
}

/// Expands the items of one level.
pub(super) struct Expander<'r, 'a, 't> {
    catalog: &'r Catalog<'a>,
    materials: &'r Materials,
    pub(super) assembly: &'r mut Assembly,
    pub(super) report: &'r mut Report<'t>,
    /// The joints, to be set when every body is known.
    pub(super) joints: Vec<Pending>,
    /// Prefabs that something uses.
    used: BTreeSet<String>,
    expanded: u64,
    /// Whether the level grew past its bounds.
    full: bool,
    /// Whether this only looks for mistakes.
    trial: bool,
}

impl<'r, 'a, 't> Expander<'r, 'a, 't> {
    pub(super) fn new(
        catalog: &'r Catalog<'a>,
        materials: &'r Materials,
        assembly: &'r mut Assembly,
        report: &'r mut Report<'t>,
    ) -> Self {
        let (joints, used) = (Vec::new(), BTreeSet::new());
        let (expanded, full, trial) = (0, false, false);
        Self { catalog, materials, assembly, report, joints, used, expanded, full, trial }
    }

    fn stop(&self) -> bool {
        self.full || self.report.is_full()
    }

    /// One item with all its copies.
    pub(super) fn item(&mut self, item: &Place<'_>, cx: &Context) {
        if self.stop() || !decode::is_object(item, self.report) {
            return;
        }
        let place = item.key("type");
        let Some(kind) = item.node.get("type").and_then(Node::text) else {
            let is_there = item.has("type");
            if is_there || !decode::misspelt(item, "type", self.report) {
                let message = if is_there {
                    format!("expected the type of the item, found {}", place.node.describe())
                } else {
                    "the key `type` is missing".to_owned()
                };
                let help = choices(self.catalog.types(), "types");
                self.report.error_with_help(&place, message, help);
            }
            return self.skip(item, "item", cx);
        };
        let Some(keys) = self.catalog.keys(kind) else {
            let help = suggestion(kind, self.catalog.types(), "types");
            let message = format!("unknown type {}", ticked(kind));
            self.report.error_with_help(&place, message, help);
            return self.skip(item, kind, cx);
        };
        let merged = self.catalog.with_defaults(kind, item);
        let item = &Place { node: &merged, path: item.path.clone() };
        let lists: Vec<&[&str]> = keys.iter().map(Vec::as_slice).collect();
        decode::unknown_keys(item, &lists, &format!("a {kind} knows"), self.report);
        if !item.has(REPEAT) {
            let id = self.id(item, kind, cx);
            self.copy(kind, item, id, Copy::default(), &cx.scope, cx, &mut None);
            return;
        }
        let Some(copies) = repeat::read(item, &cx.scope, self.report) else {
            return self.skip(item, kind, cx);
        };
        let parts = if kind == "ragdoll" { ragdoll::PART_COUNT as u64 } else { 1 };
        if !repeat::has_room(&copies, parts, item, self.assembly, self.report) {
            self.full |= self.trial;
            return self.skip(item, kind, cx);
        }
        // In a prefab, items without an id are simply numbered, and so are their copies.
        let nameless = !item.has("id") && !cx.prefix.is_empty();
        let base = if nameless { String::new() } else { self.id(item, kind, cx) };
        if !nameless && !self.assembly.group(&base, item, self.report) {
            return;
        }
        let mut cache = None;
        let mut scope = cx.scope.clone();
        for copy in copies.iter() {
            copy.set_indices(&mut scope);
            let id =
                if nameless { self.id(item, kind, cx) } else { format!("{base}.{}", copy.number) };
            let before = (copy.number > 0).then(|| self.report.enter(Why::Copy(copy.number), item));
            let sound = self.copy(kind, item, id, copy, &scope, cx, &mut cache);
            if let Some(before) = before {
                self.report.leave(before);
            }
            if !sound && !nameless {
                self.assembly.break_group(&base);
            }
            if self.stop() {
                return;
            }
        }
    }

    /// One copy of an item. `false` if it could not be read. `cache` keeps what is the same for all
    /// copies.
    #[allow(clippy::too_many_arguments, reason = "all of it differs from call to call")]
    fn copy(
        &mut self,
        kind: &str,
        item: &Place<'_>,
        id: String,
        copy: Copy,
        scope: &Scope,
        cx: &Context,
        cache: &mut Option<Draft>,
    ) -> bool {
        self.expanded += 1;
        if self.expanded > MOST_ITEMS {
            // That its bodies are too many says the same.
            if !self.trial && !self.assembly.is_full() {
                let message = format!(
                    "prefabs and copies make more than {MOST_ITEMS} items of the level: that is \
                     the most"
                );
                let help = "use smaller counts, or fewer prefabs within each other";
                self.report.error_with_help(item, message, help);
            }
            self.full = true;
            return false;
        }
        let catalog = self.catalog;
        if let Some(prefab) = catalog.prefab(kind) {
            return self.prefab(prefab, kind, item, id, copy, scope, cx);
        }
        if let Some(draft) = cache {
            let draft = draft.clone();
            return self.add(draft, id, copy, item, cx);
        }
        let dynamic = scope::is_dynamic(item.node);
        let (node, sound) = resolved(item, &[], dynamic, scope, self.report);
        let place = Place { node: &node, path: item.path.clone() };
        let (materials, overrides) = (self.materials, &cx.overrides);
        let mut reader = Reader { item: &place, kind, materials, overrides, report: self.report };
        let Some(draft) = reader.read().filter(|_| sound) else {
            self.assembly.broken(&id, item, self.report);
            return false;
        };
        if !dynamic {
            *cache = Some(draft.clone());
        }
        self.add(draft, id, copy, &place, cx)
    }

    /// Puts what has been read into the world.
    fn add(
        &mut self,
        draft: Draft,
        id: String,
        copy: Copy,
        item: &Place<'_>,
        cx: &Context,
    ) -> bool {
        let parts = match &draft {
            Draft::Ragdoll(_) => ragdoll::PART_COUNT as u64,
            Draft::Bridge(bridge) => bridge.parts(),
            Draft::Body(_) | Draft::Joint(_) => 1,
        };
        let points = if let Draft::Body(def) = &draft { point_count(&def.shape) } else { 0 };
        if !self.assembly.has_room(parts, item, self.report)
            || !self.assembly.has_points(points, item, self.report)
        {
            self.full = true;
            return false;
        }
        match draft {
            Draft::Body(mut def) => {
                def.id = id;
                def.position += copy.offset;
                def.angle += copy.turn;
                let name = def.id.clone();
                let Some(def) = cx.frame.body(*def, item, self.report) else {
                    self.assembly.broken(&name, item, self.report);
                    return false;
                };
                self.assembly.add_body(def, item, self.report);
            }
            Draft::Ragdoll(mut doll) => {
                if !self.assembly.group(&id, item, self.report) {
                    return false;
                }
                doll.at += copy.offset;
                doll.angle += copy.turn;
                if !doll.self_collision {
                    doll.filter.group = self.assembly.ragdoll_group();
                }
                let (bodies, joints) = doll.build(&id);
                self.assembly.apart.extend(doll.apart(&bodies, &joints));
                for def in bodies {
                    let Some(def) = cx.frame.body(def, item, self.report) else {
                        self.assembly.break_group(&id);
                        return false;
                    };
                    self.assembly.add_body(def, item, self.report);
                }
                for def in joints {
                    self.assembly.add_joint(cx.frame.joint(def), item, self.report);
                }
            }
            Draft::Bridge(mut bridge) => {
                if !self.assembly.group(&id, item, self.report) {
                    return false;
                }
                bridge.at += copy.offset;
                bridge.angle += copy.turn;
                let Some((bodies, joints)) = bridge.build(&id, item, self.report) else {
                    self.assembly.break_group(&id);
                    return false;
                };
                for def in bodies {
                    let Some(def) = cx.frame.body(def, item, self.report) else {
                        self.assembly.break_group(&id);
                        return false;
                    };
                    self.assembly.add_body(def, item, self.report);
                }
                for def in joints {
                    self.assembly.add_joint(cx.frame.joint(def), item, self.report);
                }
            }
            Draft::Joint(draft) => {
                let draft = Box::new(draft.moved(copy.offset));
                let origin = self.assembly.origin.clone();
                let (prefix, path) = (cx.prefix.clone(), item.path.clone());
                let (node, trace) = (item.node.clone(), self.report.trace());
                let frame = cx.frame;
                let joint = Pending { draft, id, prefix, frame, node, path, trace, origin };
                self.joints.push(joint);
            }
        }
        true
    }

    /// A use of a prefab: its items, where the use puts them.
    #[allow(clippy::too_many_arguments, reason = "all of it differs from call to call")]
    fn prefab(
        &mut self,
        prefab: &Prefab<'_>,
        kind: &str,
        item: &Place<'_>,
        id: String,
        copy: Copy,
        scope: &Scope,
        cx: &Context,
    ) -> bool {
        self.used.insert(kind.to_owned());
        if cx.chain.len() >= DEEPEST_PREFAB {
            let message = format!("prefabs are nested more than {DEEPEST_PREFAB} deep");
            let chain: Vec<String> = cx.chain.iter().map(|name| ticked(name)).collect();
            let help = format!("the prefabs around it: {}", chain.join(" → "));
            self.report.error_with_help(&item.key("type"), message, help);
            self.assembly.broken(&id, item, self.report);
            return false;
        }
        let inner_scope = prefab.scope(item, scope, self.report);
        let texts = prefab.text_keys();
        let dynamic = scope::is_dynamic(item.node);
        let (node, sound) = resolved(item, &texts, dynamic, scope, self.report);
        let place = Place { node: &node, path: item.path.clone() };
        let keys = decode::part::<UseKeys>(&place, self.report);
        let (Some(scope), Some(keys), true) = (inner_scope, keys, sound) else {
            self.assembly.broken(&id, item, self.report);
            return false;
        };
        let scale = keys.scale.unwrap_or(1.0);
        if !check_scale(scale, &place.key("scale"), self.report) {
            self.assembly.broken(&id, item, self.report);
            return false;
        }
        if !self.assembly.group(&id, item, self.report) {
            return false;
        }
        let local = Frame {
            mirrored: keys.mirror.is_some(),
            scale,
            angle: keys.angle.unwrap_or(0.0).to_radians() + copy.turn,
            at: keys.at.map_or(Vec2::ZERO, Into::into) + copy.offset,
            velocity: keys.velocity.map_or(Vec2::ZERO, Into::into),
        };
        let own = Overrides::read(&keys, &place, self.materials, self.report);
        let mut chain = cx.chain.clone();
        chain.push(kind.to_owned());
        let inner = Context {
            scope,
            frame: cx.frame.compose(&local),
            overrides: cx.overrides.over(&own),
            prefix: id,
            reserved: Rc::new(given_ids(prefab.items.node).collect()),
            chain,
        };
        let before = self.report.enter(Why::Prefab(kind.to_owned(), prefab.given(item)), item);
        for item in prefab.items.elements() {
            self.item(&item, &inner);
        }
        self.report.leave(before);
        true
    }

    /// Looks for mistakes in prefabs that nothing uses, with their default parameters.
    pub(super) fn try_unused(&mut self) {
        let empty = self.assembly.emptied();
        let real = std::mem::replace(self.assembly, empty);
        let joints = self.joints.len();
        (self.trial, self.expanded) = (true, 0);
        for (name, prefab) in self.catalog.own_prefabs() {
            if self.stop() {
                break;
            }
            if self.used.contains(name) {
                continue;
            }
            if let Some(scope) = prefab.scope(&prefab.items, &Scope::default(), self.report) {
                let reserved = Rc::new(given_ids(prefab.items.node).collect());
                let (prefix, chain) = (name.to_owned(), vec![name.to_owned()]);
                let cx = Context { scope, prefix, chain, reserved, ..Context::default() };
                for item in prefab.items.elements() {
                    self.item(&item, &cx);
                }
            }
            *self.assembly = real.emptied();
        }
        self.joints.truncate(joints);
        *self.assembly = real;
    }

    /// The full id of an item: the one it gives itself, or one made up.
    fn id(&mut self, item: &Place<'_>, kind: &str, cx: &Context) -> String {
        let place = item.key("id");
        if let Some(given) = item.node.get("id").and_then(Node::text) {
            let before = self.report.count();
            let name = if given.contains(['$', '{']) {
                scope::text(&place, &cx.scope, self.report)
            } else {
                given.to_owned()
            };
            if self.report.count() == before {
                self.assembly.check_id(&name, &place, self.report);
            }
            return cx.id(&name);
        }
        let name = match (cx.prefix.is_empty(), kind) {
            (false, kind) if joint::TYPES.contains(&kind) => &format!("{kind}."),
            (false, _) => "",
            (true, kind) => &format!("{kind}."),
        };
        self.assembly.free_id(&cx.prefix, name, &cx.reserved)
    }

    /// Passes over an item that cannot be read, keeping its name.
    fn skip(&mut self, item: &Place<'_>, kind: &str, cx: &Context) {
        let id = self.id(item, kind, cx);
        self.assembly.broken(&id, item, self.report);
    }
}

/// The item with its variables put in, and whether that went well.
fn resolved<'n>(
    item: &Place<'n>,
    texts: &[&str],
    dynamic: bool,
    scope: &Scope,
    report: &mut Report<'_>,
) -> (Cow<'n, Node>, bool) {
    if !dynamic {
        return (Cow::Borrowed(item.node), true);
    }
    let (node, sound) = scope::resolve(item, texts, scope, report);
    (Cow::Owned(node), sound)
}
