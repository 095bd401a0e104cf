use weir_plan::{Allocation, Piece, Policy, Problem, Score};

use crate::world::World;

/// What came of a run, told with the true sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub policy: Policy,
    pub seed: u64,
    /// How often the policy was asked.
    pub asked: usize,
    pub names: Vec<String>,
    pub problem: Problem,
    /// The sizes as they were predicted at the start.
    pub predicted: Vec<f64>,
    /// Who got what rate when; a site that was not done has no end.
    pub plan: Allocation,
    /// What had come of each site by its deadline; all of it if it has none.
    pub on_time: Vec<f64>,
}

impl Outcome {
    pub fn new(
        world: &World,
        policy: Policy,
        seed: u64,
        asked: usize,
        pieces: Vec<Piece>,
        end: Vec<f64>,
    ) -> Outcome {
        let problem = world.problem();
        let plan = Allocation { end, ..Allocation::from_pieces(&problem.sites, pieces) };
        let mut on_time = vec![0.0; problem.sites.len()];
        for piece in &plan.pieces {
            let to = piece.to.min(problem.sites[piece.site].due());
            on_time[piece.site] += piece.rate * (to - piece.from).max(0.0);
        }
        let predicted =
            world.sites.iter().map(|site| site.prediction.guess(site.size, 0.0).left).collect();
        let names = world.sites.iter().map(|site| site.name.clone()).collect();
        Outcome { policy, seed, asked, names, problem, predicted, plan, on_time }
    }

    pub fn score(&self) -> Score {
        self.plan.score(&self.problem.sites)
    }

    pub fn with_deadline(&self) -> usize {
        self.problem.sites.iter().filter(|site| site.deadline.is_some()).count()
    }

    pub fn late(&self) -> usize {
        self.problem.sites.len() - self.score().met
    }

    /// By how much a site is late; nothing without a deadline.
    pub fn lateness(&self, site: usize) -> Option<f64> {
        self.problem.sites[site].deadline.map(|due| (self.plan.end[site] - due).max(0.0))
    }

    /// All that came, as a part of what the cap let pass until the last byte.
    pub fn used(&self) -> f64 {
        let last = self.plan.pieces.iter().map(|piece| piece.to).fold(0.0, f64::max);
        let came: f64 = self.plan.pieces.iter().map(|p| p.rate * (p.to - p.from)).sum();
        if last > 0.0 { came / self.problem.cap.volume_until(last) } else { 0.0 }
    }
}
