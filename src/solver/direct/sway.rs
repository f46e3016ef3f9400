//! Springs across links under tension.
//!
//! A link of length `l` under tension `T` that turns away from its line is pulled back to it: across
//! it, it is a spring of stiffness `k = T/l` (the geometric stiffness of Tournier et al., “Stable
//! Constrained Dynamics”, 2015, sect. 4). Equations keep their directions for a sub-step, so that
//! this spring acts one sub-step late. That is explicit integration, and explodes where `2·h²·k·w`
//! exceeds 4 for a mobility `w` across the link: where a heavy load hangs on light links.
//!
//! The part of the stiffness that is beyond [`RESOLVED`], `k'`, is therefore solved for like the rest,
//! with the tension of the sub-step before, as a resistance `h·k'` to motion across the link. Resisting
//! all motion would be implicit Euler; it would brake whatever turns, and a body that spins is under
//! tension all the time. What is resisted is the difference from the usual motion, which follows the
//! motion slowly: a steady turn is not resisted at all, a swing hardly, and a quiver that no sub-step
//! can follow wholly. (A load of 1,000 links' mass on 20 links, which swings from the horizontal, loses
//! 2 to 4 % of its energy in 10 s; with implicit Euler 20 to 50 %.)

use super::Term;
use crate::math::{Mapped, Vec2, left};

/// What `2·h²·k·w` may be for a spring that acts a sub-step late.
pub(crate) const RESOLVED: f32 = 0.5;

/// The part of a change of motion that the usual motion follows in a sub-step.
pub(crate) const FOLLOWED: f32 = 0.1;

/// The springs across the links of a sub-step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sways {
    list: Vec<Sway>,
    /// Forces of the equations in the sub-step before, N.
    pulls: Vec<f32>,
    /// The usual speeds across the links, m/s or rad/s, in order: now and in the sub-step before.
    now: Vec<f32>,
    before: Vec<f32>,
}

/// A spring across a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sway {
    terms: [Option<Term>; 2],
    /// Inverse stiffness over `h²`.
    compliance: f32,
    /// The motion along its terms that is not resisted.
    usual: f32,
    impulse: f32,
}

/// What springs across links are made in: a sub-step of `h` seconds, in which nodes are moving by
/// `speed` along a term, and `pace` times that as the equations measure it.
pub(crate) struct Setting<F> {
    pub(crate) h: f32,
    pub(crate) speed: F,
    pub(crate) pace: f32,
}

impl Sways {
    /// Forgets the springs, not what they are made of.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// Begins those of a sub-step of `count` equations; `false` if the sub-step before had others, so
    /// that nothing is known of their tensions.
    pub(crate) fn begin(&mut self, count: usize) -> bool {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.pulls.len() == count
    }

    /// Notes the forces of all equations for the next sub-step.
    pub(crate) fn note_pulls(&mut self, pulls: impl Iterator<Item = f32>) {
        self.pulls.clear();
        self.pulls.extend(pulls);
    }

    /// Adds the spring across a link of length `length` between two nodes, equation `index`;
    /// `mobility` is the sum of their inverse masses.
    pub(crate) fn add_across(
        &mut self,
        index: usize,
        [a, b]: [Term; 2],
        length: f32,
        mobility: f32,
        setting: &Setting<impl Fn(Term) -> f32>,
    ) {
        let terms = [a, b].mapped(|term| Some(Term { linear: left(term.linear), ..term }));
        self.add(terms, -self.pulls[index] / length.max(1e-6), mobility, setting);
    }

    /// Adds the spring that turns a body into the line of the force that a pin, equations `index` and
    /// the next, has on it: its stiffness is `r·f`. `x` and `y` are the pin's terms on the body, which
    /// hold its arm `r`.
    pub(crate) fn add_about(
        &mut self,
        index: usize,
        [x, y]: [Term; 2],
        mobility: f32,
        setting: &Setting<impl Fn(Term) -> f32>,
    ) {
        let turn = Term { angular: 1.0, linear: Vec2::ZERO, ..x };
        let stiffness = self.pulls[index] * y.angular - self.pulls[index + 1] * x.angular;
        self.add([Some(turn), None], stiffness, mobility, setting);
    }

    /// Adds as much of a spring as is too hard to act a sub-step late.
    fn add(
        &mut self,
        terms: [Option<Term>; 2],
        stiffness: f32,
        mobility: f32,
        setting: &Setting<impl Fn(Term) -> f32>,
    ) {
        let Setting { h, speed, pace } = setting;
        let now: f32 = terms.into_iter().flatten().map(speed).sum();
        let before = self.before.get(self.now.len()).copied().unwrap_or(now);
        let usual = before + FOLLOWED * (now - before);
        self.now.push(usual);
        let beyond = h * h * stiffness - RESOLVED / (2.0 * mobility);
        if beyond > 0.0 {
            let usual = pace * usual;
            self.list.push(Sway { terms, compliance: 1.0 / beyond, usual, impulse: 0.0 });
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Sway> {
        self.list.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Sway> {
        self.list.iter_mut()
    }
}

impl Sway {
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> {
        self.terms.into_iter().flatten()
    }

    pub(crate) fn compliance(&self) -> f32 {
        self.compliance
    }

    /// What is left of its law, if `change` tells how far (or how fast) a node moves along a term.
    pub(crate) fn residual(&self, change: impl Fn(Term) -> f32) -> f32 {
        self.terms().map(change).sum::<f32>() - self.usual + self.compliance * self.impulse
    }

    /// Adds to its impulse.
    pub(crate) fn add(&mut self, impulse: f32) {
        self.impulse += impulse;
    }
}
