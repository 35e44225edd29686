//! A component for ESP-IDF: `idf_component.yml`, CMake, and a project as an example.

use super::Contents;
use super::example::Place;

pub(super) fn files(contents: &Contents<'_>) -> Vec<(String, String)> {
    let mut files = contents.filled([
        ("idf_component.yml", MANIFEST),
        ("CMakeLists.txt", CMAKE),
        ("examples/score/CMakeLists.txt", EXAMPLE_CMAKE),
        ("examples/score/main/CMakeLists.txt", EXAMPLE_MAIN_CMAKE),
    ]);
    let main = contents.example.source(contents.name, Place::EspIdf);
    files.push(("examples/score/main/main.c".into(), main));
    files
}

pub(super) const USAGE: &str = "Put this folder into `components/` of a project. `idf.py build flash monitor` in `examples/score` runs the example.
";

const MANIFEST: &str = r#"# {mark}: it is written again with the next export.
version: "{release}"
description: "Tells unusual readings of sensors from usual ones: a detector with checksum {checksum}"
license: "MIT OR Apache-2.0"
tags:
  - anomaly-detection
  - sensor
"#;

const CMAKE: &str = r#"# {mark}: it is written again with the next export.
idf_component_register(SRCS "src/{lower}.c" INCLUDE_DIRS "src")
# So that scores have the bits of those on the host.
target_compile_options(${COMPONENT_LIB} PRIVATE -ffp-contract=off)
"#;

const EXAMPLE_CMAKE: &str = r#"# {mark}: it is written again with the next export.
cmake_minimum_required(VERSION 3.16)

set(EXTRA_COMPONENT_DIRS ${CMAKE_CURRENT_LIST_DIR}/../..)
include($ENV{IDF_PATH}/tools/cmake/project.cmake)
project({lower}_score)
"#;

const EXAMPLE_MAIN_CMAKE: &str = r#"# {mark}: it is written again with the next export.
idf_component_register(SRCS "main.c")
"#;
