//! Readings, and the Python to compare with.

use std::path::Path;
use std::process::Command;

/// Who wants another Python than the first on the `PATH` names it here.
const PYTHON: &str = "MERCER_PYTHON";

/// Readings that depend on three causes, with noise; the same for the same seed.
pub(crate) fn csv(rows: usize, columns: usize, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut text = (0..columns).map(|i| format!("x{i}")).collect::<Vec<_>>().join(",");
    for _ in 0..rows {
        let causes = [uniform(), uniform(), uniform()];
        let cells: Vec<String> = (0..columns)
            .map(|i| {
                format!(
                    "{:.5}",
                    causes[i % 3] + causes[(i + 1) % 3] * causes[i % 3] + 0.3 * uniform()
                )
            })
            .collect();
        text += &format!("\n{}", cells.join(","));
    }
    text + "\n"
}

/// What a script beside the benchmarks says, in this folder, with so many threads or as many as it
/// likes; or why there is nothing.
pub(crate) fn python(
    script: &str,
    arguments: &[String],
    folder: &Path,
    threads: Option<usize>,
) -> Result<String, String> {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join(script);
    let mut command = Command::new(&python);
    command.arg(script).args(arguments).current_dir(folder);
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        threads.map(|threads| command.env(name, threads.to_string()));
    }
    let output = command.output().map_err(|error| format!("{python}: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(said(&output.stdout)),
        false => Err(said(&output.stderr).lines().last().unwrap_or_default().into()),
    }
}
