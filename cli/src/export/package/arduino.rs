//! A library for Arduino: `library.properties` and a sketch.

use super::Contents;
use super::example::Place;

pub(super) fn files(contents: &Contents<'_>) -> Vec<(String, String)> {
    let mut files = contents.filled([("library.properties", PROPERTIES)]);
    let sketch = contents.example.source(contents.name, Place::Arduino);
    files.push(("examples/Score/Score.ino".into(), sketch));
    files
}

pub(super) const USAGE: &str = "Put this folder among the libraries of the IDE (Sketch, Include Library, Add .ZIP Library takes it zipped) and open the example `Score`.

On AVR boards the tables of the model stay in flash, unless `{upper}_TABLES_IN_RAM` is defined for the library.
";

const PROPERTIES: &str = r#"# {mark}: it is written again with the next export.
name={lower}
version={release}
author=mercer
maintainer=mercer
sentence=Tells unusual readings of sensors from usual ones.
paragraph=A detector that mercer learned from readings of one machine, with checksum {checksum}: scores, an alarm, and the input to blame.
category=Data Processing
url=
architectures=*
includes={lower}.h
"#;
