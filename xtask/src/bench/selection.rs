//! Which boards, tasks and levels are measured, and in which order.

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

    /// The targets of the boards, each with its boards.
    pub(crate) fn targets(&self) -> Vec<TargetBoards> {
        let mut targets: Vec<TargetBoards> = Vec::new();
        for &board in &self.boards {
            match targets.iter_mut().find(|(target, _)| *target == board.target) {
                Some((_, boards)) => boards.push(board),
                None => targets.push((board.target, vec![board])),
            }
        }
        targets
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
    fn boards_of_a_target_share_its_firmware() {
        let targets = Selection::everything().targets();
        let together = targets.iter().find(|(_, boards)| boards.len() > 1).unwrap();
        let names: Vec<&str> = together.1.iter().map(|board| board.name).collect();
        assert_eq!(names, ["m4f", "m7"]);
        let boards: usize = targets.iter().map(|(_, boards)| boards.len()).sum();
        assert_eq!(boards, board::BOARDS.len());
    }
}
