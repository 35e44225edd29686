//! A library for PlatformIO: `library.json`, and an example that runs on the host too.

use super::Contents;
use super::example::Place;

pub(super) fn files(contents: &Contents<'_>) -> Vec<(String, String)> {
    let mut files =
        contents.filled([("library.json", MANIFEST), ("examples/score/platformio.ini", PROJECT)]);
    let main = contents.example.source(contents.name, Place::Main);
    files.push(("examples/score/src/main.c".into(), main));
    files
}

pub(super) const USAGE: &str = "Put this folder into `lib/` of a project, or name it in `lib_deps`. `pio run -t exec -d examples/score` builds the example for the host and runs it.
";

const MANIFEST: &str = r#"{
  "name": "{lower}",
  "version": "{release}",
  "description": "Tells unusual readings of sensors from usual ones: a detector with checksum {checksum}. {mark}.",
  "keywords": ["anomaly detection", "sensor", "monitoring"],
  "license": "MIT OR Apache-2.0",
  "frameworks": "*",
  "platforms": "*",
  "headers": "{lower}.h",
  "build": {
    "srcDir": "src",
    "flags": ["-ffp-contract=off"]
  },
  "examples": [
    {
      "name": "score",
      "base": "examples/score",
      "files": ["platformio.ini", "src/main.c"]
    }
  ]
}
"#;

const PROJECT: &str = r#"; {mark}: it is written again with the next export.
[env:native]
platform = native
lib_deps = {lower}=symlink://../..
build_flags = -lm
"#;
