//! Placeholder during construction.
use super::*;
/// Backend.
#[derive(Default)]
pub struct Impulse;
impl Solver for Impulse {
    fn kind(&self) -> SolverKind {
        SolverKind::Impulse
    }
    fn limitations(&self, _: &Model) -> Vec<Limitation> {
        Vec::new()
    }
    fn attach(&mut self, _: &Model, _: &State) {}
    fn step(&mut self, cx: StepCx<'_>) -> StepReport {
        cx.collision.update_pairs(cx.model, cx.state, cx.dt, 0.05);
        for i in 0..cx.model.point_count() {
            if cx.model.inv_mass[i] > 0.0 {
                cx.state.velocity[i] += cx.dt * cx.settings.gravity;
            }
            cx.state.position[i] += cx.dt * cx.state.velocity[i];
        }
        cx.output.contacts = cx.collision.detect(cx.model, &cx.state.position, 0.01).to_vec();
        StepReport::default()
    }
}
