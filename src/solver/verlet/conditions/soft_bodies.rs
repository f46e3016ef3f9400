//! Bends and areas as rows: those that are springs, and guards, which keep cells from turning inside out.
//!
//! Guards have their round before edges. What they do to a net that is crushed flat would else be what its threads end
//! with, and each sub-step would add to it. Where edges are solved as a whole, those that are about to push are among their
//! equations (`together.rs`).

use std::collections::HashMap;

use super::{PointConditions, Setting, of_point};
use crate::math::Vec2;
use crate::solver::common::PUSH_OUT_SPEED;
use crate::solver::condition::Rule;
use crate::solver::soft;
use crate::solver::verlet::Moves;
use crate::solver::verlet::alike::Alike;
use crate::solver::verlet::frames::Frames;
use crate::solver::verlet::lax::Lax;
use crate::solver::verlet::start::Start;
use crate::world::{Area, AreaRule, Model, Renumbering};

impl PointConditions {
    /// Finds the bends and areas that are to be taken here.
    pub(in crate::solver::verlet) fn attach(
        &mut self,
        model: &Model,
        alike: &Alike,
        lax: &Lax,
        start: &Start,
    ) {
        self.bends.clear();
        self.areas.clear();
        self.pushing.clear();
        for (index, body) in model.bodies.iter().enumerate() {
            let side_by_side = alike.has(index as u32);
            if !side_by_side {
                self.bends.extend(body.bends.clone());
            }
            let is_here = |area: &u32| !side_by_side || is_guard(model, *area);
            self.areas.extend(body.areas.clone().filter(is_here));
        }
        self.guards.take_from(&mut self.areas, model);
        // Springs always have a row; guards that stay here may have none.
        self.areas.sort_by_key(|&area| is_guard(model, area));
        let bends = self.bends.iter().map(|&bend| model.bends[bend as usize].points);
        let bends = bends.map(|[a, b, c]| [a, b, c, 0]);
        let area = |area: &u32| {
            let outline = model.area_outline(&model.areas[*area as usize]);
            [outline[0], outline[1], outline[2], outline.len() as u32]
        };
        let springs = self.areas.iter().filter(|&&area| !is_guard(model, area)).map(area);
        self.soft_names = bends.chain(springs).collect();
        let group = |body: u32| lax.has(body).then(|| start.group_of(body));
        let of = |[point, ..]: &[u32; 4]| group(model.body_of[*point as usize]);
        self.soft_groups = self.soft_names.iter().map(of).collect();
        self.soft_kept.clear();
    }

    /// The same where the model is another: bodies that are still there go on from what they were given.
    pub(in crate::solver::verlet) fn renumber(
        &mut self,
        model: &Model,
        (alike, lax): (&Alike, &Lax),
        start: &Start,
        by: &Renumbering,
    ) {
        let renamed =
            |&[a, b, c, count]: &[u32; 4]| Some([by.point(a)?, by.point(b)?, by.point(c)?, count]);
        let before = self.soft_names.iter().zip(&self.soft_kept);
        let before = before.filter_map(|(name, kept)| Some((renamed(name)?, *kept)));
        let before: HashMap<[u32; 4], f32> = before.collect();
        self.attach(model, alike, lax, start);
        let kept = |name| before.get(name).copied().unwrap_or_default();
        self.soft_kept = self.soft_names.iter().map(kept).collect();
    }

    /// Takes over what springs of lax bodies start with in sub-steps of another length, `by` times as much.
    pub(in crate::solver::verlet) fn scale_lax(&mut self, by: f32) {
        self.soft_kept.iter_mut().for_each(|kept| *kept *= by);
    }

    /// Adds the rows of bends and areas for a sub-step of `h` seconds.
    pub(in crate::solver::verlet) fn take_soft(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        frames: &Frames,
        h: f32,
    ) {
        let setting = Setting { model, positions, frames };
        self.keep_joints_only();
        for k in 0..self.bends.len() {
            let bend = &model.bends[self.bends[k] as usize];
            let (error, gradient) = soft::bend(bend, positions);
            let first = self.terms.len();
            self.terms.extend(bend.points.into_iter().zip(gradient).map(of_point));
            self.end(&setting, first, error, Rule::Hold, (bend.compliance, bend.damping));
        }
        let springs = self.areas.partition_point(|&area| !is_guard(model, area));
        for k in 0..springs {
            self.add_area_row(&setting, self.areas[k], h);
        }
        self.first_guard = self.rows.len();
        self.guards.watch(positions, &mut self.low);
        self.low.extend(&self.areas[springs..]);
        self.low.retain(|&area| {
            let area = &model.areas[area as usize];
            soft::is_at_work(area, soft::area(model.area_outline(area), positions))
        });
        self.low.sort_unstable();
        for k in 0..self.low.len() {
            self.add_area_row(&setting, self.low[k], h);
        }
    }

    /// Adds the rows of guards that pushed in the position stage, for the velocity stage of a sub-step of `h` seconds.
    pub(in crate::solver::verlet) fn take_guards(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        frames: &Frames,
        h: f32,
    ) {
        let setting = Setting { model, positions, frames };
        for k in 0..self.pushing.len() {
            self.add_area_row(&setting, self.pushing[k], h);
        }
    }

    fn add_area_row(&mut self, setting: &Setting<'_>, area: u32, h: f32) {
        let Setting { model, positions, .. } = setting;
        let area = &model.areas[area as usize];
        let outline = model.area_outline(area);
        let (now, first) = (soft::area(outline, positions), self.terms.len());
        let slopes = (0..outline.len()).map(|k| soft::area_gradient(outline, k, positions));
        self.terms.extend(outline.iter().copied().zip(slopes).map(of_point));
        match area.rule {
            AreaRule::Spring { compliance } => {
                self.end(setting, first, now - area.rest, Rule::Hold, (compliance, 0.0));
            }
            AreaRule::Guard => {
                // As bodies that overlap: all at once it would throw its points about, against threads that give it no way.
                // Each of two sides that part has half of the way.
                let around: f32 = self.terms[first..].iter().map(|term| term.linear.length()).sum();
                let most = 0.5 * PUSH_OUT_SPEED * h * around;
                let left = (now - Area::KEPT * area.rest).max(-most);
                self.end(setting, first, left, Rule::Floor, (0.0, 0.0));
            }
        }
    }

    /// Starts from what bends and areas that are left to rounds gave in the sub-step before, and says what that asks for
    /// in one of `h` seconds.
    pub(in crate::solver::verlet) fn ask_lax(
        &mut self,
        frames: &Frames,
        moves: &Moves,
        start: &mut Start,
        h: f32,
    ) {
        let rows = self.rows[self.forces.len()..].iter_mut();
        let (_, mut asked) = start.spread_and_asked();
        for ((row, group), kept) in rows.zip(&self.soft_groups).zip(&self.soft_kept) {
            let Some(group) = group else { continue };
            row.lambda = *kept;
            let (alpha, gamma) = row.soft(h);
            let terms = &self.terms[row.span()];
            let moved: f32 = terms.iter().map(|&term| frames.moved(moves, term)).sum();
            let error = row.error / (1.0 + gamma) + moved;
            let yields = alpha / (1.0 + gamma) * row.lambda * row.lambda;
            asked.add_spring(*group, row.lambda * error, yields);
        }
        asked.finish();
    }

    /// Notes what bends and areas were given for the sub-step that follows.
    pub(in crate::solver::verlet) fn keep_lax(&mut self) {
        self.soft_kept.clear();
        let rows = self.rows[self.forces.len()..].iter().zip(&self.soft_groups);
        self.soft_kept.extend(rows.map(|(row, _)| row.lambda));
    }
}

/// Whether an area is a guard, by its number.
fn is_guard(model: &Model, area: u32) -> bool {
    model.areas[area as usize].is_guard()
}
