//! The plugin of QEMU: building it, and finding out whether QEMU takes it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use cargo_metadata::Message;

use crate::firmware::Project;
use crate::toolchain;

const PACKAGE: &str = "mercer-qemu-trace";
/// Of which cores have a model.
const QEMU: &str = "qemu-system-arm";

/// A plugin that QEMU loads.
#[derive(Debug)]
pub(crate) struct Plugin(PathBuf);

impl Plugin {
    /// The plugin; an error says why there are no cycles.
    pub(crate) fn build(project: &Project) -> Result<Plugin> {
        let mut cargo = Command::new(toolchain::host_cargo());
        cargo.current_dir(&project.root).args([
            "build",
            "--quiet",
            "--release",
            "--package",
            PACKAGE,
        ]);
        cargo.arg("--message-format=json-render-diagnostics");
        let output = cargo.output().context("cargo does not run")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{PACKAGE} does not build\n{}", said.trim_end());
        let mut library = None;
        for message in Message::parse_stream(output.stdout.as_slice()) {
            if let Message::CompilerArtifact(artifact) = message?
                && artifact.target.name == PACKAGE.replace('-', "_")
            {
                library = artifact.filenames.first().map(|path| path.clone().into());
            }
        }
        let plugin = Plugin(library.context("cargo reported no library")?);
        plugin.require_loaded()?;
        Ok(plugin)
    }

    /// QEMU's arguments.
    pub(crate) fn arguments(&self, out: &Path) -> [String; 2] {
        let (file, out) = (self.0.display(), out.display());
        ["-plugin".to_string(), format!("file={file},out={out}")]
    }

    /// Starts QEMU without a board and tells it to end at once.
    fn require_loaded(&self) -> Result<()> {
        let out = self.0.with_extension("probe");
        let mut child = Command::new(QEMU)
            .args(["-machine", "none", "-display", "none", "-S", "-monitor", "stdio"])
            .args(["-serial", "none"])
            .args(self.arguments(&out))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{QEMU} does not run"))?;
        // One that has refused does not listen any more.
        let _ = child.stdin.take().context("no standard input")?.write_all(b"quit\n");
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{QEMU} does not load the plugin: {}", said.trim());
        Ok(())
    }
}
