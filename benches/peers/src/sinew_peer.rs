//! The solvers of Sinew.

use sinew::{Overrides, Scene, Sim, Threads, World};

use crate::peer::{Outcome, Peer};

/// A simulation on one of Sinew's solvers.
pub struct SinewPeer(Sim);

impl SinewPeer {
    /// A simulation of a scene under a choice of settings, on so many threads. The solver chooses the effort where
    /// neither the choice nor the scene says.
    pub fn build(scene: &Scene, choice: Overrides, threads: u32) -> Outcome<Box<dyn Peer>> {
        let scene = Scene { settings: choice.apply(scene.settings), ..scene.clone() };
        let mut sim = Sim::new(&scene)?;
        sim.set_threads(Threads::new(threads as usize)?);
        Ok(Box::new(Self(sim)))
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
