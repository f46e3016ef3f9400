//! The solvers of Sinew.

use sinew::{Overrides, Scene, Sim, SolverKind, World};

use crate::peer::{Outcome, Peer};

/// A simulation on one of Sinew's solvers.
pub struct SinewPeer(Sim);

impl SinewPeer {
    /// A simulation of a scene at the effort that the solver chooses where the level does not say.
    pub fn build(scene: &Scene, solver: SolverKind) -> Outcome<Box<dyn Peer>> {
        let choice = Overrides { solver: Some(solver), ..Overrides::default() };
        let scene = Scene { settings: choice.apply(scene.settings), ..scene.clone() };
        Ok(Box::new(Self(Sim::new(&scene)?)))
    }
}

impl Peer for SinewPeer {
    fn step(&mut self) -> Outcome<()> {
        self.0.step()?;
        Ok(())
    }

    fn world(&mut self) -> Outcome<&World> {
        Ok(self.0.world())
    }
}
