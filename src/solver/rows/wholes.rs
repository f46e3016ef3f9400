//! What is solved together: groups of nodes that equations connect (`direct/`), and soft bodies of one pattern side by
//! side (`alike.rs`). To a row that acts on a group both are the same. Groups of the first kind have the first numbers.

use wide::f64x4;

use super::alike::Alike;
use crate::solver::direct::{Direct, Slope, Term};

/// What is solved together.
#[derive(Clone, Debug, Default)]
pub(super) struct Wholes {
    pub(super) direct: Direct,
    pub(super) alike: Alike,
}

impl Wholes {
    /// Whether nothing is.
    pub(super) fn is_idle(&self) -> bool {
        self.direct.is_idle() && self.alike.is_idle()
    }

    /// Whether a node is part of it.
    #[inline]
    pub(super) fn has(&self, node: u32) -> bool {
        self.direct.has(node) || self.alike.has_node(node)
    }

    /// The number of groups.
    pub(super) fn groups(&self) -> usize {
        self.direct.groups() + self.alike.groups()
    }

    /// The group of a node, if that has equations in this solve and tells its responses.
    pub(super) fn telling(&self, node: u32) -> Option<u32> {
        let alike = || Some(self.direct.groups() as u32 + self.alike.telling(node)?);
        self.direct.telling(node).or_else(alike)
    }

    /// Adds the derivatives of a term by the unknowns of its group.
    pub(super) fn add_slopes(&self, term: &Term, slopes: &mut Vec<Slope>) {
        if self.alike.has_node(term.node) {
            slopes.extend(self.alike.slopes_of(term));
        } else {
            slopes.extend(self.direct.slopes_of(term));
        }
    }

    /// How the unknowns of a group change when up to four unit impulses act on it, each alone, along these slopes:
    /// the nodes give way together, as the equations let them.
    pub(super) fn respond_four<'a>(
        &mut self,
        group: u32,
        pushes: impl Iterator<Item = &'a [Slope]>,
    ) -> &[f64x4] {
        match group.checked_sub(self.direct.groups() as u32) {
            Some(group) => self.alike.respond_four(group, pushes),
            None => self.direct.respond_four(group, pushes),
        }
    }

    /// Finds what impulses, each on a group along some slopes, change: see [`Direct::followed`] and [`Alike::move_followed`].
    pub(super) fn follow<'a>(
        &mut self,
        pushes: impl Iterator<Item = (u32, &'a [Slope], f32)> + Clone,
    ) {
        let Self { direct, alike } = self;
        let first = direct.groups() as u32;
        direct.follow(pushes.clone().filter(|push| push.0 < first));
        let others = pushes.filter(|push| push.0 >= first);
        alike.follow(others.map(|(group, slopes, impulse)| (group - first, slopes, impulse)));
    }
}
