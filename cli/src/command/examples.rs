//! What every help ends with: examples; and the words and exit codes of the whole command.

/// What the command ends with.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 done; 1 `fit --each` could fit some models and not others; 2 bad input or options, \
one line on standard error says which. Words such as SPE: mercer --help";

/// The same with what words mean.
pub(super) const WORDS: &str = "\
Words:
  reading     a row of numbers, one for each input; or what is made of a window of raw samples
  landmarks   the training readings that a model keeps, and compares each new one with
  components  the directions in which normal readings differ from each other, the strongest first
  SPE (spe)   squared prediction error: what of a reading the components do not explain. Above the
              threshold a reading is unusual
  T² (t2)     how far a reading is out along the components, each in its own deviations
  Σ|f| (abs_sum)
              the sum of the sizes of the projections f0, f1, … on the components
  unusual     one reading above the threshold; of normal ones, the share --alpha is
  alarm       raised when unusual readings keep coming; what a device acts upon

Exit codes:
  0  done
  1  `fit --each`: some models could be fitted, others could not
  2  bad input or options: one line on standard error says what and where, and no file was written

`mercer COMMAND --help` explains each command and ends with examples.";

/// Examples of each command, each with what it does.
const EXAMPLES: [(&str, &[(&str, &str)]); 15] = [
    ("demo", &[("mercer demo", "the whole way on bundled recordings, in the folder mercer-demo")]),
    (
        "features",
        &[
            ("mercer features raw.csv --window 256 -o readings.csv", "readings of raw samples"),
            (
                "mercer features raw.csv --label state --by run --window 64 --features mean,logstd",
                "with a label and recordings",
            ),
        ],
    ),
    (
        "tune",
        &[
            (
                "mercer tune pump.csv --label state",
                "which width, components and landmarks to fit with",
            ),
            (
                "mercer tune raw.csv --label state --by run --window auto",
                "and which window and features",
            ),
        ],
    ),
    (
        "fit",
        &[
            ("mercer fit pump.csv -o pump.mercer", "each row is a reading"),
            (
                "mercer fit pump.csv --label state --normal ok -o pump.mercer",
                "from rows that are normal",
            ),
            (
                "mercer fit raw.csv --window auto --by run -o pump.mercer",
                "from windows of raw samples",
            ),
            ("mercer fit fleet.csv --each machine -o models", "one model for each machine"),
        ],
    ),
    (
        "import",
        &[("mercer import sklearn model.json -o model.mercer", "what scikit-learn has fitted")],
    ),
    (
        "inspect",
        &[
            ("mercer inspect pump.mercer", "what is in a model"),
            ("mercer inspect pump.mercer --json", "the same for programs"),
        ],
    ),
    (
        "calibrate",
        &[(
            "mercer calibrate pump.mercer more.csv --false-alarms 0.01 -o sharp.mercer",
            "the threshold from more normal rows",
        )],
    ),
    (
        "eval",
        &[
            ("mercer eval pump.mercer normal.csv --per-day --rate 10", "false alarms alone"),
            (
                "mercer eval pump.mercer later.csv --label state --timeline",
                "and which faults are found",
            ),
        ],
    ),
    (
        "score",
        &[
            ("mercer score pump.mercer new.csv --with time --why -o scores.csv", "with reasons"),
            (
                "tail -f log.csv | mercer score pump.mercer - --json",
                "a stream, a line of JSON for each row",
            ),
        ],
    ),
    ("report", &[("mercer report pump.mercer new.csv --time time -o report.html", "one page")]),
    (
        "project",
        &[("mercer project pump.mercer new.csv -o features.csv", "features for a classifier")],
    ),
    (
        "export",
        &[
            ("mercer export pump.mercer --rust pump.rs --name PUMP", "as Rust"),
            ("mercer export pump.mercer --c pump.h --quantised", "as C, in integers"),
        ],
    ),
    ("new", &[("mercer new firmware pump --model pump.mercer", "a project in Rust for a board")]),
    (
        "completions",
        &[
            (
                "mercer completions bash > ~/.local/share/bash-completion/completions/mercer",
                "for bash",
            ),
            ("mercer completions zsh > _mercer", "for zsh, into a folder of $fpath"),
        ],
    ),
    ("man", &[("mercer man -o ~/.local/share/man/man1", "then: man mercer-fit")]),
];

/// Adds them to the help of each command.
pub(super) fn add(whole: clap::Command) -> clap::Command {
    EXAMPLES.iter().fold(whole, |whole, (name, examples)| {
        let told: Vec<String> =
            examples.iter().map(|(line, what)| format!("  {line}\n      {what}")).collect();
        let text = format!("Examples:\n{}", told.join("\n"));
        whole.mut_subcommand(name, |command| command.after_help(text))
    })
}
