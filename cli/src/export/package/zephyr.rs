//! A module for Zephyr: `zephyr/module.yml`, Kconfig, CMake, and a sample.

use super::Contents;
use super::example::Place;

pub(super) fn files(contents: &Contents<'_>) -> Vec<(String, String)> {
    let mut files = contents.filled([
        ("zephyr/module.yml", MODULE),
        ("zephyr/Kconfig", KCONFIG),
        ("zephyr/CMakeLists.txt", CMAKE),
        ("samples/score/CMakeLists.txt", SAMPLE_CMAKE),
        ("samples/score/prj.conf", SAMPLE_CONFIG),
        ("samples/score/sample.yaml", SAMPLE),
    ]);
    let main = contents.example.source(contents.name, Place::Main);
    files.push(("samples/score/src/main.c".into(), main));
    files
}

pub(super) const USAGE: &str = "Name this folder in the manifest of your workspace, or build with `-DEXTRA_ZEPHYR_MODULES=…`, and set `CONFIG_MERCER_{upper}=y`. `west build samples/score` builds the sample.
";

const MODULE: &str = r#"# {mark}: it is written again with the next export.
name: {lower}
build:
  cmake: zephyr
  kconfig: zephyr/Kconfig
samples:
  - samples
"#;

const KCONFIG: &str = r#"# {mark}: it is written again with the next export.

config MERCER_{upper}
	bool "Detector {lower}, which tells unusual readings from usual ones"
	select REQUIRES_FULL_LIBC
	help
	  A model that mercer learned, with checksum {checksum}. The minimal
	  C library lacks the functions of math.h that it needs.
"#;

const CMAKE: &str = r#"# {mark}: it is written again with the next export.

if(CONFIG_MERCER_{upper})
  zephyr_library_named({lower})
  zephyr_library_sources(${CMAKE_CURRENT_LIST_DIR}/../src/{lower}.c)
  # So that scores have the bits of those on the host.
  zephyr_library_compile_options(-ffp-contract=off)
  zephyr_include_directories(${CMAKE_CURRENT_LIST_DIR}/../src)
endif()
"#;

const SAMPLE_CMAKE: &str = r#"# {mark}: it is written again with the next export.
cmake_minimum_required(VERSION 3.20.0)

list(APPEND EXTRA_ZEPHYR_MODULES ${CMAKE_CURRENT_LIST_DIR}/../..)
find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})
project({lower}_score)

target_sources(app PRIVATE src/main.c)
"#;

const SAMPLE_CONFIG: &str = r#"# {mark}: it is written again with the next export.
CONFIG_MERCER_{upper}=y
"#;

const SAMPLE: &str = r#"# {mark}: it is written again with the next export.
sample:
  name: Detector {lower}
tests:
  mercer.{lower}.score:
    harness: console
    harness_config:
      type: one_line
      regex:
        - "model {checksum}, self-test 0"
"#;
