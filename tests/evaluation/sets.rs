//! The sets of ADBench, as they lie beside the repository.

use super::{Precision, read_shared};
use crate::common::{Grid, Table, number};

pub(crate) const SETS: [&str; 6] = ["breastw", "Ionosphere", "vowels", "Pima", "WDBC", "thyroid"];
pub(crate) const SPLITS: usize = 5;

/// Rows with their labels, and which of them each split learns from.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    rows: Grid<f64>,
    pub(crate) labels: Vec<f64>,
    pub(crate) splits: Vec<(usize, Vec<u32>)>,
}

impl Set {
    /// One of [`SETS`], with its lines of the table of splits.
    pub(crate) fn read(name: &'static str, splits: &Table) -> Self {
        let table = read_shared(&format!("adbench/{name}.csv"));
        let numbers = table.numbers();
        let rows = Grid::from_fn(numbers.rows, numbers.columns - 1, |i, j| numbers.at(i, j));
        let lines = (0..splits.rows()).filter(|&line| splits.text(line, "data") == name);
        let split = |line| {
            let rows = splits.text(line, "train_rows").split(' ');
            let rows = rows.map(|row| row.parse().expect("a row number")).collect();
            (number(splits.text(line, "split")) as usize, rows)
        };
        Self { name, rows, labels: table.column("label"), splits: lines.map(split).collect() }
    }

    pub(crate) fn rows<T: Precision>(&self) -> Grid<T> {
        let Grid { rows, columns, .. } = self.rows;
        Grid::from_fn(rows, columns, |i, j| T::from_f64(self.rows.at(i, j)))
    }
}
