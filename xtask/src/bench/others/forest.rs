//! An isolation forest, as Liu, Ting and Zhou (2008) grow it.

use crate::exported::Noise;

pub(crate) struct Forest(Vec<Node>);

enum Node {
    /// The length of the path to it, with that of a tree of the rows that it holds.
    Leaf(f64),
    Split {
        input: usize,
        limit: f64,
        below: Box<Node>,
        others: Box<Node>,
    },
}

impl Forest {
    /// Each tree from some of the rows, drawn without replacement.
    pub(crate) fn grown(all: &[Vec<f64>], trees: usize, rows: usize, noise: &mut Noise) -> Forest {
        let deepest = rows.ilog2();
        let mut tree = || {
            let mut drawn: Vec<&[f64]> = all.iter().map(Vec::as_slice).collect();
            for i in 0..rows {
                drawn.swap(i, i + noise.below(all.len() - i));
            }
            drawn.truncate(rows);
            Node::grown(drawn, 0, deepest, noise)
        };
        Forest((0..trees).map(|_| tree()).collect())
    }

    /// The sum over all trees.
    pub(crate) fn path_lengths(&self, x: &[f64]) -> f64 {
        self.0.iter().map(|tree| tree.path_length(x)).sum()
    }

    /// Nodes as initialisers in C, each followed by those below its limit, and where each tree
    /// begins.
    pub(crate) fn flat(&self) -> (Vec<String>, Vec<usize>) {
        let mut nodes = Vec::new();
        let mut begin = |tree: &Node| {
            let root = nodes.len();
            tree.flatten(&mut nodes);
            root
        };
        let roots = self.0.iter().map(&mut begin).collect();
        (nodes, roots)
    }
}

impl Node {
    fn grown(rows: Vec<&[f64]>, depth: u32, deepest: u32, noise: &mut Noise) -> Node {
        if depth == deepest || rows.len() < 2 {
            return Node::Leaf(f64::from(depth) + usual_length(rows.len()));
        }
        let input = noise.below(rows[0].len());
        let values = || rows.iter().map(|row| row[input]);
        let (least, most) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        // In `f32`, as the readings are.
        let limit = f64::from((least + (most - least) * (noise.uniform() + 0.5)) as f32);
        let (below, others): (Vec<&[f64]>, Vec<&[f64]>) =
            rows.into_iter().partition(|row| row[input] < limit);
        let mut branch = |rows| Box::new(Node::grown(rows, depth + 1, deepest, noise));
        Node::Split { input, limit, below: branch(below), others: branch(others) }
    }

    fn path_length(&self, x: &[f64]) -> f64 {
        match self {
            Node::Leaf(length) => *length,
            Node::Split { input, limit, below, others } => {
                let branch = if x[*input] < *limit { below } else { others };
                branch.path_length(x)
            }
        }
    }

    fn flatten(&self, nodes: &mut Vec<String>) {
        match self {
            Node::Leaf(length) => nodes.push(format!("{{{:?}f, LEAF, 0}}", *length as f32)),
            Node::Split { input, limit, below, others } => {
                let place = nodes.len();
                nodes.push(String::new());
                below.flatten(nodes);
                nodes[place] =
                    format!("{{{:?}f, {input}, {}}}", *limit as f32, nodes.len() - place);
                others.flatten(nodes);
            }
        }
    }
}

/// The length of an unsuccessful search in a binary tree of so many rows.
fn usual_length(rows: usize) -> f64 {
    const EULER: f64 = 0.577_215_664_901_532_9;
    match rows {
        0 | 1 => 0.0,
        2 => 1.0,
        _ => {
            let others = (rows - 1) as f64;
            2.0 * (others.ln() + EULER) - 2.0 * others / rows as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row far from all others is alone after few cuts.
    #[test]
    fn odd_rows_have_short_paths() {
        let mut noise = Noise(1);
        let rows: Vec<Vec<f64>> =
            (0..128).map(|_| (0..3).map(|_| noise.normal()).collect()).collect();
        let forest = Forest::grown(&rows, 50, 64, &mut noise);
        let usual = rows.iter().map(|row| forest.path_lengths(row)).sum::<f64>() / 128.0;
        assert!(forest.path_lengths(&[6.0, 6.0, -6.0]) < 0.6 * usual);
        let (nodes, roots) = forest.flat();
        let leaves = nodes.iter().filter(|node| node.contains("LEAF")).count();
        assert_eq!((roots.len(), 2 * leaves - roots.len()), (50, nodes.len()));
    }
}
