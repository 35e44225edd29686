//! `cargo xtask sbom`: a bill of materials of what a package ships, in CycloneDX's JSON.
//!
//! Made of `cargo metadata` and the checksums of the lock file. The same sources give the same
//! bytes: there is no time, no serial number and no path in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, Package};
use serde_json::{Value, json};

use crate::supply::{self, dependencies, shipped};

const SPECIFICATION: &str = "1.5";

pub(crate) fn run(package: &str, out: Option<&Path>) -> Result<ExitCode> {
    let text = format!("{:#}\n", bill(package)?);
    match out {
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("{}", path.display()))?;
        }
        None => print!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}

fn bill(name: &str) -> Result<Value> {
    let metadata = supply::metadata()?;
    let member = |package: &&Package| package.source.is_none() && package.name == name;
    let root = metadata.packages.iter().find(member);
    let root = root.with_context(|| format!("there is no package {name} here"))?;
    let lock = std::fs::read_to_string(metadata.workspace_root.join("Cargo.lock"))?;
    let checksums = checksums(&lock);
    let packages = shipped(&metadata, &root.id)?;
    let components: Vec<Value> = packages
        .iter()
        .filter(|package| package.id != root.id)
        .map(|package| component(package, &checksums))
        .collect();
    let graph: Vec<Value> =
        packages.iter().map(|package| edges(&metadata, package)).collect::<Result<_>>()?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {
            "component": component(root, &checksums),
            "tools": { "components": [{ "type": "application", "name": "cargo xtask sbom" }] },
        },
        "components": components,
        "dependencies": graph,
    }))
}

/// A package's address that all tools understand.
fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn component(package: &Package, checksums: &BTreeMap<(String, String), String>) -> Value {
    let runs = package.targets.iter().any(|target| target.is_bin());
    let mut component = json!({
        "type": if runs && package.source.is_none() { "application" } else { "library" },
        "bom-ref": purl(package),
        "name": package.name,
        "version": package.version.to_string(),
        "purl": purl(package),
    });
    if let Some(licence) = &package.license {
        let expression = supply::normalised(licence);
        component["licenses"] = json!([{ "expression": expression }]);
    }
    let key = (package.name.to_string(), package.version.to_string());
    if let Some(checksum) = checksums.get(&key).filter(|_| package.source.is_some()) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// What a package depends on, by name.
fn edges(metadata: &Metadata, package: &Package) -> Result<Value> {
    let needed = dependencies(metadata, &package.id)?;
    let found = metadata.packages.iter().filter(|package| needed.contains(&package.id));
    let mut needed: Vec<String> = found.map(purl).collect();
    needed.sort();
    Ok(json!({ "ref": purl(package), "dependsOn": needed }))
}

/// The checksum of each name and version in a lock file.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let packages = lock.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let begin = format!("{key} = \"");
        let line = package.lines().find_map(|line| line.strip_prefix(&begin))?;
        Some(line.trim_end_matches('"').to_string())
    };
    let entry = |package: &str| {
        let key = (value(package, "name")?, value(package, "version")?);
        Some((key, value(package, "checksum")?))
    };
    packages.filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What the schema of CycloneDX 1.5 requires, and what makes a bill of use: every reference is
    /// that of a component, every component of a registry has its hash and its licence.
    fn is_valid(name: &str) {
        let bill = bill(name).unwrap();
        assert_eq!(bill["bomFormat"], "CycloneDX");
        assert_eq!(bill["specVersion"], "1.5");
        assert!(bill["version"].as_u64().unwrap() >= 1);
        let root = &bill["metadata"]["component"];
        assert_eq!(root["name"], name);
        let parts = bill["components"].as_array().unwrap();
        let mut known = BTreeSet::new();
        for part in parts.iter().chain([root]) {
            for key in ["type", "name", "version", "purl"] {
                assert!(part[key].as_str().is_some_and(|text| !text.is_empty()), "{part}");
            }
            assert!(["library", "application"].contains(&part["type"].as_str().unwrap()));
            assert!(part["licenses"][0]["expression"].is_string(), "{part}");
            let reference = part["bom-ref"].as_str().unwrap().to_string();
            assert!(known.insert(reference), "{part} is there twice");
            if part["hashes"].is_array() {
                assert_eq!(part["hashes"][0]["alg"], "SHA-256");
                let content = part["hashes"][0]["content"].as_str().unwrap();
                assert!(content.len() == 64 && content.chars().all(|c| c.is_ascii_hexdigit()));
            }
        }
        let hashed = parts.iter().filter(|part| part["hashes"].is_array()).count();
        let own = parts.iter().filter(|part| part["name"] == "mercer").count();
        assert_eq!(hashed + own, parts.len());
        let graph = bill["dependencies"].as_array().unwrap();
        assert_eq!(graph.len(), known.len());
        for node in graph {
            assert!(known.contains(node["ref"].as_str().unwrap()), "{node}");
            for needed in node["dependsOn"].as_array().unwrap() {
                assert!(known.contains(needed.as_str().unwrap()), "{node}");
            }
        }
    }

    #[test]
    fn bills_have_what_the_schema_requires() {
        is_valid("mercer");
        is_valid("mercer-cli");
        assert!(bill("heapless").is_err(), "not ours");
    }

    #[test]
    fn bills_are_the_same_every_time_and_name_no_place() {
        let [first, second] = [(); 2].map(|()| format!("{:#}", bill("mercer").unwrap()));
        assert_eq!(first, second);
        let here = env!("CARGO_MANIFEST_DIR").trim_end_matches("xtask");
        assert!(!first.contains(here) && !first.contains("file://"));
    }
}
