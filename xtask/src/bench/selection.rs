//! Which boards, tasks and levels are measured, in which order and how divided.

use super::plan::{self, Case};
use super::record::Key;
use crate::board::{self, Board};

/// A target, and those of its boards that are selected.
pub(crate) type TargetBoards = (&'static str, Vec<&'static Board>);

/// What to measure.
pub(crate) struct Selection {
    pub(crate) boards: Vec<&'static Board>,
    /// All tasks if there is none.
    pub(crate) tasks: Vec<String>,
    pub(crate) levels: Vec<&'static str>,
}

impl Selection {
    pub(crate) fn everything() -> Selection {
        let (boards, levels) = (board::BOARDS.iter().collect(), plan::LEVELS.to_vec());
        Selection { boards, tasks: Vec::new(), levels }
    }

    /// In the order of the CSV file.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for board in &self.boards {
            let mut cases: Vec<Case> = Vec::new();
            for level in &self.levels {
                for case in self.cases(board.name, level) {
                    if !cases.contains(&case) {
                        cases.push(case);
                    }
                }
            }
            for case in cases {
                let here = |level: &&&str| plan::cases(board.name, level).contains(&case);
                let levels = self.levels.iter().filter(here);
                keys.extend(levels.map(|level| Key::new(board.name, &case, level)));
            }
        }
        keys
    }

    /// Whether a row of the committed file belongs to what is measured, now or before it was
    /// dropped.
    pub(crate) fn covers(&self, key: &Key) -> bool {
        self.boards.iter().any(|board| board.name == key.board)
            && self.levels.contains(&key.opt.as_str())
            && (self.tasks.is_empty() || self.tasks.contains(&key.task))
    }

    /// What is measured on a board at a level.
    pub(crate) fn cases(&self, board: &str, level: &str) -> Vec<Case> {
        let mut cases = plan::cases(board, level);
        cases.retain(|case| self.tasks.is_empty() || self.tasks.iter().any(|t| t == case.task));
        cases
    }

    /// The targets of the boards, each with its boards, in lanes that work at the same time.
    ///
    /// A target stays in its lane whatever else is selected, so that what was built for it is found
    /// again.
    pub(crate) fn lanes(&self) -> [Vec<TargetBoards>; 2] {
        let mut lanes: [Vec<TargetBoards>; 2] = [Vec::new(), Vec::new()];
        for &board in &self.boards {
            // Half of the work each; growth is measured on the Cortex-M4F.
            let lane = usize::from(!["m4f", "m7", "m33"].contains(&board.name));
            let targets = &mut lanes[lane];
            match targets.iter_mut().find(|(target, _)| *target == board.target) {
                Some((_, boards)) => boards.push(board),
                None => targets.push((board.target, vec![board])),
            }
        }
        lanes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(boards: &[&str], tasks: &[&str], levels: &[&'static str]) -> Selection {
        Selection {
            boards: boards.iter().map(|name| board::named(name).unwrap()).collect(),
            tasks: tasks.iter().map(|name| name.to_string()).collect(),
            levels: levels.to_vec(),
        }
    }

    #[test]
    fn levels_of_one_case_follow_each_other() {
        let keys = some(&["m0", "m7"], &["jacobi"], &["3", "z"]).keys();
        let shown: Vec<String> = keys.iter().map(Key::describe).collect();
        let expected = [
            "m0 jacobi n=16 d=8 f32 at 3",
            "m0 jacobi n=16 d=8 f32 at z",
            "m0 jacobi n=32 d=8 f32 at 3",
            "m0 jacobi n=32 d=8 f32 at z",
        ];
        assert_eq!(shown[..4], expected);
        assert_eq!(shown.len(), 8);
    }

    #[test]
    fn a_selection_covers_what_it_measures_and_nothing_else() {
        let part = some(&["m4f"], &["score"], &["3"]);
        let keys = Selection::everything().keys();
        let covered: Vec<&Key> = keys.iter().filter(|key| part.covers(key)).collect();
        assert_eq!(covered, part.keys().iter().collect::<Vec<_>>());
        assert!(keys.len() > covered.len());
    }

    #[test]
    fn a_target_is_built_in_one_lane() {
        let lanes = Selection::everything().lanes();
        let mut targets: Vec<&str> = lanes.iter().flatten().map(|(target, _)| *target).collect();
        targets.sort_unstable();
        let all = targets.len();
        targets.dedup();
        assert_eq!(targets.len(), all);
        let boards: usize = lanes.iter().flatten().map(|(_, boards)| boards.len()).sum();
        assert_eq!(boards, board::BOARDS.len());
    }
}
