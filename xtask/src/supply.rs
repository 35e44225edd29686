//! `cargo xtask supply`: where everything in a build comes from, and under which licence.
//!
//! The rules are those of deny.toml, and so is the outcome: for build servers that do not have
//! cargo-deny. What is asked in addition: the library has no dependency in two versions.

mod licence;
mod policy;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use anyhow::{Context, Result};
use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package, PackageId};

use crate::toolchain;
pub(crate) use licence::normalised;
use policy::Policy;

pub(crate) fn run() -> Result<ExitCode> {
    let metadata = metadata()?;
    let path = metadata.workspace_root.join("deny.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{path}"))?;
    let complaints = judge(&metadata, &Policy::read(&text)?)?;
    for complaint in &complaints {
        println!("{complaint}");
    }
    let (packages, rules) = (metadata.packages.len(), ["licences", "sources", "bans"].len());
    println!("{packages} packages, {rules} rules: {} violations", complaints.len());
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What cargo knows of this workspace, for all targets and features, and as it is locked.
pub(crate) fn metadata() -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.cargo_path(toolchain::host_cargo()).features(CargoOpt::AllFeatures);
    Ok(command.other_options(["--locked".into()]).exec()?)
}

/// Every violation, in the order of the packages.
fn judge(metadata: &Metadata, policy: &Policy) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for package in &metadata.packages {
        complaints.extend(package_faults(package, policy));
    }
    let library = metadata.packages.iter().find(|package| package.name == "mercer");
    let library = library.context("there is no package mercer")?;
    let mut versions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in shipped(metadata, &library.id)? {
        versions.entry(&package.name).or_default().insert(package.version.to_string());
    }
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        complaints.push(format!("{name}: the library has versions {versions:?} of it"));
    }
    Ok(complaints)
}

/// What is wrong with one package by itself.
fn package_faults(package: &Package, policy: &Policy) -> Vec<String> {
    let mut faults = Vec::new();
    let (name, version) = (&package.name, &package.version);
    let mut complain = |what: String| faults.push(format!("{name} {version}: {what}"));
    let allowed = |licence: &str| policy.allows(name, licence);
    match &package.license {
        Some(expression) if licence::is_met(expression, allowed) => {}
        Some(expression) => complain(format!("its licence is {expression}")),
        None => complain("it has no licence".into()),
    }
    if let Some(source) = &package.source
        && !policy.registries.iter().any(|registry| source.repr == format!("registry+{registry}"))
    {
        complain(format!("it comes from {source}"));
    }
    if policy.banned.contains(&name.to_string()) {
        complain("it is banned".into());
    }
    // Those of others are their own affair: the lock file has the versions.
    for dependency in package.dependencies.iter().filter(|_| package.source.is_none()) {
        // Only a package that is never published may name a path and no version.
        let excused = dependency.path.is_some() && package.publish.is_some();
        if dependency.req.to_string() == "*" && !excused {
            complain(format!("any version of {} would do", dependency.name));
        }
    }
    faults
}

/// A package and what it ships: dependencies but those of its tests, over all levels, by name.
pub(crate) fn shipped<'a>(metadata: &'a Metadata, root: &PackageId) -> Result<Vec<&'a Package>> {
    let mut found = BTreeSet::from([root.clone()]);
    let mut left = vec![root.clone()];
    while let Some(id) = left.pop() {
        for dependency in dependencies(metadata, &id)? {
            if found.insert(dependency.clone()) {
                left.push(dependency);
            }
        }
    }
    let mut packages: Vec<_> =
        metadata.packages.iter().filter(|package| found.contains(&package.id)).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

/// What a package needs to be built and to run, but not for its tests.
pub(crate) fn dependencies(metadata: &Metadata, id: &PackageId) -> Result<Vec<PackageId>> {
    let resolve = metadata.resolve.as_ref().context("cargo resolved nothing")?;
    let node = resolve.nodes.iter().find(|node| node.id == *id);
    let node = node.with_context(|| format!("cargo did not resolve {id}"))?;
    let mut needed: Vec<PackageId> = node
        .deps
        .iter()
        .filter(|dependency| {
            dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
        })
        .map(|dependency| dependency.pkg.clone())
        .collect();
    needed.sort();
    Ok(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        allow = ["MIT"]
        deny = [{ name = "evil" }]
        allow-registry = ["https://registry"]
    "#;

    fn package(name: &str, license: &str, source: &str) -> Package {
        let json = serde_json::json!({
            "name": name, "version": "1.2.3", "id": name, "license": license,
            "source": source, "dependencies": [], "targets": [], "features": {},
            "manifest_path": "Cargo.toml",
        });
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn this_workspace_keeps_its_rules() {
        let metadata = metadata().unwrap();
        let text = std::fs::read_to_string(metadata.workspace_root.join("deny.toml")).unwrap();
        let complaints = judge(&metadata, &Policy::read(&text).unwrap()).unwrap();
        assert_eq!(complaints, Vec::<String>::new());
    }

    #[test]
    fn every_rule_can_be_broken() {
        let policy = Policy::read(RULES).unwrap();
        let faults =
            |name, license, source| package_faults(&package(name, license, source), &policy);
        let registry = "registry+https://registry";
        assert_eq!(faults("good", "MIT OR GPL-3.0", registry), Vec::<String>::new());
        let licence = ["grave 1.2.3: its licence is GPL-3.0"];
        assert_eq!(faults("grave", "GPL-3.0", registry), licence);
        assert_eq!(faults("evil", "MIT", registry), ["evil 1.2.3: it is banned"]);
        let source = faults("good", "MIT", "git+https://somewhere");
        assert_eq!(source, ["good 1.2.3: it comes from git+https://somewhere"]);
    }

    #[test]
    fn tests_are_not_shipped() {
        let metadata = metadata().unwrap();
        let library = metadata.packages.iter().find(|package| package.name == "mercer").unwrap();
        let shipped = shipped(&metadata, &library.id).unwrap();
        let has = |name: &str| shipped.iter().any(|package| package.name == name);
        assert!(has("mercer") && has("heapless") && has("libm"));
        assert!(!has("proptest") && !has("plotters"));
    }
}
