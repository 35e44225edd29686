//! The page of `mercer report`: what a model makes of some rows, in figures, tables and words.
//!
//! One HTML file that asks nothing of a network. All of it can be read without its script, which
//! zooms and says what is under the cursor. Figures are SVG; their colours come from the style
//! sheet, which knows a light and a dark scheme. The same model and rows give the same bytes.

// In the order in which data flow.
mod instants;
mod scale;
mod axis;
mod tone;
mod labels;
mod events;
mod words;
mod readings;
mod trace;
mod panel;
mod table;
mod drift;
mod event_table;
mod timeline;
mod chart;
mod scatter;
mod spectrum;
mod html;

pub(crate) use html::page;
pub(crate) use readings::Readings;
