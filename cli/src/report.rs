//! The page of `mercer report`: what a model makes of some rows, in figures, tables and words.
//!
//! One HTML file without scripts that asks nothing of a network. Figures are SVG; their colours come from the style sheet, which knows
//! a light and a dark scheme. The same model and rows give the same bytes.

mod axis;
mod figure;
mod heat;
mod html;
mod labels;
mod readings;
mod scatter;
mod spectrum;
mod timeline;
mod words;

pub(crate) use html::page;
pub(crate) use readings::Readings;

/// Rows that are named in the table of unusual ones.
const MOST_UNUSUAL: usize = 12;
