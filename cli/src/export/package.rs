//! Exported C as a package: a folder that the tools of an ecosystem take as it is.
//!
//! Each has header and source, a manifest, an example that tests the model and judges some
//! readings, a README, and a note on the licence. Texts are templates: `{lower}` and `{upper}`
//! stand for what the model is called. Nothing in a manifest is another's text.

mod arduino;
mod esp_idf;
mod example;
mod platformio;
mod zephyr;

pub(crate) use example::Example;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;

use super::Name;
use super::c::CSource;

/// Whose tools are to take the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ecosystem {
    /// A library for the Arduino IDE, its command line, and PlatformIO
    Arduino,
    /// A library for PlatformIO, with any framework
    Platformio,
    /// A module for Zephyr
    Zephyr,
    /// A component for ESP-IDF
    EspIdf,
}

impl Ecosystem {
    /// What a package for it is called.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Arduino => "a library for Arduino",
            Self::Platformio => "a library for PlatformIO",
            Self::Zephyr => "a module for Zephyr",
            Self::EspIdf => "a component for ESP-IDF",
        }
    }
}

/// The version of a package, as its users count: three numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Release(String);

impl FromStr for Release {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let is_number = |part: &str| {
            let is_short =
                (1..=9).contains(&part.len()) && (part.len() == 1 || !part.starts_with('0'));
            is_short && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let parts: Vec<&str> = text.split('.').collect();
        match parts.len() == 3 && parts.into_iter().all(is_number) {
            true => Ok(Self(text.into())),
            false => Err("three numbers, as 1.0.0".into()),
        }
    }
}

/// What every package is made of.
pub(crate) struct Contents<'a> {
    pub(crate) name: &'a Name,
    pub(crate) release: &'a Release,
    /// Its source includes the header as [`header_file`] calls it.
    pub(crate) c: CSource,
    pub(crate) example: Example,
    /// What a reader wants to know of the model, a line each, without markup.
    pub(crate) facts: Vec<String>,
    pub(crate) checksum: u32,
}

/// Stands in every file of a package. A file without it is somebody else's.
pub(crate) const MARK: &str = "Made by `mercer export`";

/// A file of a package: where in its folder, and what it says.
pub(crate) type PackageFile = (PathBuf, String);

/// How a source includes its header.
pub(crate) fn header_file(name: &Name) -> String {
    format!("\"{}.h\"", name.lower())
}

/// All files of a package.
pub(crate) fn package(ecosystem: Ecosystem, contents: &Contents<'_>) -> Vec<PackageFile> {
    let name = contents.name;
    let (own, usage) = match ecosystem {
        Ecosystem::Arduino => (arduino::files(contents), arduino::USAGE),
        Ecosystem::Platformio => (platformio::files(contents), platformio::USAGE),
        Ecosystem::Zephyr => (zephyr::files(contents), zephyr::USAGE),
        Ecosystem::EspIdf => (esp_idf::files(contents), esp_idf::USAGE),
    };
    let facts: String = contents.facts.iter().map(|fact| format!("- {fact}\n")).collect();
    let readme = README.replace("{usage}", usage).replace("{noun}", ecosystem.noun());
    // The facts have others' words in them.
    let readme = contents.fill(&readme).replace("{facts}", &facts);
    let source = |ending: &str| format!("src/{}.{ending}", name.lower());
    let common = [
        (source("h"), contents.c.header.clone()),
        (source("c"), contents.c.source.clone()),
        ("README.md".into(), readme),
        ("LICENSE.txt".into(), contents.fill(LICENCE)),
    ];
    common.into_iter().chain(own).map(|(path, text)| (PathBuf::from(path), text)).collect()
}

impl Contents<'_> {
    /// A template with the name of the model, its version and its checksum.
    fn fill(&self, template: &str) -> String {
        template
            .replace("{mark}", MARK)
            .replace("{purpose}", self.example.purpose())
            .replace("{release}", &self.release.0)
            .replace("{checksum}", &format!("{:08x}", self.checksum))
            .replace("{upper}", self.name.upper())
            .replace("{lower}", self.name.lower())
    }

    /// Templates of files, filled.
    fn filled<const N: usize>(&self, files: [(&str, &str); N]) -> Vec<(String, String)> {
        files.iter().map(|(path, text)| (self.fill(path), self.fill(text))).collect()
    }
}

/// The folders of a package that files lie in, each before those within it.
pub(crate) fn folders(out: &Path, files: &[PackageFile]) -> Vec<PathBuf> {
    let mut folders = vec![out.to_path_buf()];
    for (path, _) in files {
        let within: Vec<&Path> = path.ancestors().skip(1).collect();
        for folder in within.into_iter().rev().map(|folder| out.join(folder)) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

const README: &str = r#"<!-- {mark}: it is written again with the next export. -->
# {lower}: {noun}

{purpose}: a model that `mercer fit` learned and `mercer export --package` wrote in C99: constant data, no allocation, and no state but what callers own.

{facts}
{usage}
- `src/{lower}.h` says what each function does. Codes below 0 say why something could not be done.
- `{lower}_self_test()` returns 0 if this firmware says of known readings what was said of them when the model was exported. Nothing of it is in an image that does not call it.
- `{upper}_CHECKSUM` is the checksum that `mercer inspect` shows: log it, and you know which model a device has.

`LICENSE.txt` has a note on the licence.
"#;

const LICENCE: &str = r#"{mark}: it is written again with the next export.

SPDX-License-Identifier: MIT OR Apache-2.0

The code in this folder is that of mercer, which is licensed under either of the MIT licence and the Apache licence, version 2.0, at your option.
The numbers of the model were learned from your own readings. They, and what you add, are yours: this note says nothing about their licence.
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_three_numbers() {
        for right in ["1.0.0", "0.0.1", "12.345.999999999"] {
            assert_eq!(right.parse::<Release>(), Ok(Release(right.into())));
        }
        for wrong in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "1.0.x",
            "01.0.0",
            "1.0.0-beta",
            "-1.0.0",
            "1..0",
            "1.0.1234567890",
        ] {
            assert!(wrong.parse::<Release>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn folders_come_before_what_is_in_them() {
        let files = [("a/b/c.h", ""), ("a/d.c", ""), ("e", "")].map(|(p, t)| (p.into(), t.into()));
        let expected = ["out", "out/a", "out/a/b"].map(PathBuf::from);
        let found = folders(Path::new("out"), &files);
        assert_eq!(
            found.iter().map(|f| f.components().collect::<PathBuf>()).collect::<Vec<_>>(),
            expected
        );
    }
}
