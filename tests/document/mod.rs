//! Sections of documents that a test writes, and checks ever after.

use std::path::Path;
use std::sync::Mutex;

/// The document holds this text between the markers of that name; with `MERCER_UPDATE` set, it does
/// afterwards. `test` is the name of the test program that writes it.
#[track_caller]
pub(crate) fn require_section(document: &str, name: &str, expected: &str, test: &str) {
    println!("{name}\n{expected}");
    // Tests of one program run at the same time.
    static DOCUMENT: Mutex<()> = Mutex::new(());
    let _guard = DOCUMENT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let text = std::fs::read_to_string(&path).expect("the document can be read");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let start = text.find(&begin).expect("the section begins") + begin.len();
    let length = text[start..].find(&end).expect("the section ends");
    if std::env::var_os("MERCER_UPDATE").is_some() {
        let updated = format!("{}{expected}{}", &text[..start], &text[start + length..]);
        std::fs::write(&path, updated).expect("the document can be written");
    } else {
        assert_eq!(
            &text[start..start + length],
            expected,
            "{document} is out of date: run `MERCER_UPDATE=1 cargo test --test {test}`"
        );
    }
}
