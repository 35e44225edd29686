//! The page of `mercer report` in a browser: on screens of several widths, light and dark, on
//! paper, with its script and without.

mod browser;
mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use browser::{browser, open_page, print_page};
use common::waves::{REPORT, report, waves};
use common::{skipped, succeed as ok};
use serde_json::Value;

/// Runs before what looks at pages in frames.
const TOOLS: &str = r#"
const numbers = colour => colour.match(/[\d.]+/g).map(Number);
const luminance = colour => {
  const [r, g, b] = numbers(colour).map(c => c / 255)
    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
// What an element stands on.
const ground = (view, element) => {
  for (let up = element; up; up = up.parentElement) {
    const colour = view.getComputedStyle(up).backgroundColor, parts = numbers(colour);
    if (parts.length < 4 || parts[3] > 0.5) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const said = value => document.querySelector('pre').textContent = JSON.stringify(value);
"#;

/// Whether everything has room and can be read.
const MEASURE: &str = r#"
// How far two boxes are into each other.
const overlap = (a, b) => Math.min(
  Math.min(a.right, b.right) - Math.max(a.left, b.left),
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const worst = boxes => Math.max(-1, ...boxes.flatMap((a, i) => boxes.slice(i + 1).map(b => overlap(a, b))));
window.onload = () => said([...document.querySelectorAll('iframe')].map(frame => {
  const page = frame.contentDocument, view = frame.contentWindow;
  const all = (within, choice) => [...within.querySelectorAll(choice)]
    .filter(element => element.getClientRects().length);
  const boxes = (within, choice) => all(within, choice).map(element => element.getBoundingClientRect());
  const texts = all(page, 'p, a, td, th, h1, h2, figcaption, dt, dd, li, .levels i, .times span, .times b, .number-of, .of, button:enabled, output, svg text');
  const colour = element => {
    const style = view.getComputedStyle(element);
    return element.namespaceURI.endsWith('svg') ? style.fill : style.color;
  };
  const faint = texts.map(element => [contrast(colour(element), ground(view, element)), element])
    .sort((a, b) => a[0] - b[0])[0];
  const wide = texts.map(element => [element.getBoundingClientRect(), element])
    .sort((a, b) => b[0].right - a[0].right)[0];
  return {
    width: view.innerWidth, content: page.documentElement.scrollWidth,
    dark: luminance(ground(view, page.body)) < 0.5,
    fetched: view.performance.getEntriesByType('resource').length,
    contrast: faint[0], faintest: faint[1].outerHTML.slice(0, 120),
    right: wide[0].right, widest: wide[1].outerHTML.slice(0, 120),
    left: Math.min(...texts.map(element => element.getBoundingClientRect().left)),
    times: Math.max(...all(page, '.times').map(row => worst(boxes(row, 'span')))),
    ticks: Math.min(...all(page, '.times').map(row => boxes(row, 'span').length)),
    levels: Math.max(...all(page, '.panel, .picture').map(panel => worst(boxes(panel, '.levels i')))),
    least_levels: Math.min(...all(page, '.panel').map(panel => boxes(panel, '.levels i').length)),
    marks: worst(boxes(page, '.number-of')),
    names: worst(boxes(page, '.panel .name')),
    panels: boxes(page, '.panel .trace').map(box => [box.left, box.width, box.height]),
    small: Math.min(...texts.map(element => parseFloat(view.getComputedStyle(element).fontSize)
      * (element.ownerSVGElement ? element.ownerSVGElement.getBoundingClientRect().width / element.ownerSVGElement.viewBox.baseVal.width : 1))),
    cut: Math.max(...all(page, 'svg text').map(text => {
      const [outer, inner] = [text.ownerSVGElement.getBoundingClientRect(), text.getBoundingClientRect()];
      return Math.max(outer.left - inner.left, inner.right - outer.right, outer.top - inner.top, inner.bottom - outer.bottom);
    })),
    tables: boxes(page, 'table').length, tools: all(page, '.tools button').length,
    plots: boxes(page, '.around').length, strips: boxes(page, '.spread').length,
  };
}));
"#;

/// Moves the pointer over the page, and zooms.
const TOUCH: &str = r#"
window.onload = () => {
  const frame = document.querySelector('iframe'), page = frame.contentDocument, view = frame.contentWindow;
  const score = page.querySelector('.score .plot'), box = score.getBoundingClientRect();
  const pointer = (type, share) => score.dispatchEvent(new view.PointerEvent(type, {
    clientX: box.left + share * box.width, clientY: box.top + 20, bubbles: true, button: 0 }));
  const state = () => ({
    where: page.querySelector('.tools output').textContent,
    values: [...page.querySelectorAll('.panel .name output')].map(output => output.textContent),
    view: [...new Set([...page.querySelectorAll('#timeline svg')].map(svg => svg.getAttribute('viewBox')))],
    ticks: [...page.querySelectorAll('.times')[0].querySelectorAll('span')]
      .filter(tick => tick.getClientRects().length).map(tick => tick.textContent),
    cursors: [...page.querySelectorAll('.cursor')].filter(cursor => view.getComputedStyle(cursor).display !== 'none').length,
  });
  const press = says => page.querySelector(`button[aria-label="${says}"]`).click();
  const key = name => page.querySelector('#timeline').dispatchEvent(new view.KeyboardEvent('keydown', { key: name }));
  const states = [state()];
  pointer('pointermove', 0.951); states.push(state());
  pointer('pointerdown', 0.75); pointer('pointermove', 1); pointer('pointerup', 1); states.push(state());
  pointer('pointermove', 0.5); key('ArrowRight'); states.push(state());
  press('zoom in'); states.push(state());
  press('earlier'); states.push(state());
  press('show all'); pointer('pointerleave', 0.5); states.push(state());
  pointer('pointerdown', 0); pointer('pointermove', 0.1); pointer('pointerup', 0.1);
  view.dispatchEvent(new view.Event('beforeprint')); states.push(state());
  said(states);
};
"#;

/// What a script finds in frames with the page, as wide as these, in dark or light.
fn look(
    (browser, folder): (&Path, &Path),
    html: &str,
    widths: &[u32],
    (dark, scripts): (bool, bool),
    script: &str,
) -> Value {
    let html = html.replace('&', "&amp;").replace('"', "&quot;");
    // A frame in which no script runs, but into which ours can look.
    let sandbox = if scripts { "" } else { " sandbox=\"allow-same-origin\"" };
    let frame = |width: &u32| {
        format!(
            "<iframe srcdoc=\"{html}\"{sandbox} style=\"width:{width}px;height:900px;border:0\"></iframe>"
        )
    };
    let frames: String = widths.iter().map(frame).collect();
    let wrapper = folder.join("wrapper.html");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><body><pre></pre><script>{TOOLS}{script}</script>{frames}</body>"
    );
    fs::write(&wrapper, text).unwrap();
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let dom = open_page(browser, &wrapper, &[&scheme, "--window-size=1600,1200"]);
    let found = dom.split("<pre>").nth(1).unwrap().split("</pre>").next().unwrap();
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&found).unwrap_or_else(|error| panic!("{error}: {found}"))
}

/// Holds a page to what every page must be.
fn require_readable(place: (&Path, &Path), html: &str, what: &str) {
    const WIDTHS: [u32; 4] = [360, 390, 800, 1400];
    for (dark, scripts) in [(false, true), (true, true), (false, false)] {
        let screens = look(place, html, &WIDTHS, (dark, scripts), MEASURE);
        for (screen, width) in screens.as_array().unwrap().iter().zip(WIDTHS) {
            let of = |name: &str| screen[name].as_f64().unwrap_or(f64::NAN);
            let about = format!("{what}, {width}, dark {dark}, scripts {scripts}: {screen}");
            assert_eq!(of("width"), f64::from(width), "{about}");
            assert!(of("content") <= f64::from(width), "{about}");
            assert!(of("left") >= 0.0 && of("right") <= f64::from(width), "{about}");
            assert_eq!(of("fetched"), 0.0, "{about}");
            assert_eq!(screen["dark"], dark, "{about}");
            // What people with weak eyes need of text: 4.5 to 1.
            assert!(of("contrast") >= 4.5, "{about}");
            assert!(of("small") > 10.0 && of("cut") <= 1.0, "{about}");
            // No two numbers beside an axis run into each other.
            for pair in ["times", "levels", "marks", "names"] {
                assert!(of(pair) <= 1.0, "{pair}, {about}");
            }
            assert!(of("ticks") >= 1.0 && of("least_levels") >= 2.0, "{about}");
            // All charts over time share their left and right ends.
            let panels = screen["panels"].as_array().unwrap();
            let ends = |panel: &Value| [panel[0].as_f64().unwrap(), panel[1].as_f64().unwrap()];
            for panel in panels {
                let apart = |k: usize| (ends(panel)[k] - ends(&panels[0])[k]).abs();
                assert!(apart(0) < 0.5 && apart(1) < 0.5, "{about}");
                assert!(
                    panel[1].as_f64().unwrap() > 0.65 * f64::from(width).min(1100.0),
                    "{about}"
                );
                assert!(panel[2].as_f64().unwrap() > 30.0, "{about}");
            }
            assert_eq!(of("tools"), if scripts { 5.0 } else { 0.0 }, "{about}");
        }
    }
}

#[test]
fn it_can_be_read_on_every_screen() {
    let Some(browser) = browser() else {
        skipped("no browser");
        return;
    };
    let (folder, _, html) = report();
    let path = folder.path();
    require_readable((&browser, path), &html, "waves");
    // One row; and no labels, no time, a name as long as names can be.
    let rows = fs::read_to_string(path.join("test.csv")).unwrap();
    let name = format!("{} {}", "W".repeat(120), "w".repeat(120));
    let train = fs::read_to_string(path.join("train.csv")).unwrap();
    fs::write(path.join("long.csv"), train.replacen(",a,", &format!(",{name},"), 1)).unwrap();
    let one: Vec<&str> = rows.lines().take(2).collect();
    fs::write(path.join("one.csv"), one.join("\n") + "\n").unwrap();
    ok(path, &["report", "m.mercer", "one.csv", "--out", "r.html"]);
    require_readable((&browser, path), &fs::read_to_string(path.join("r.html")).unwrap(), "one");
    ok(path, &["fit", "long.csv", "--drop", "when,state", "--out", "long.mercer"]);
    let dated: String = rows.replacen(",a,", &format!(",{name},"), 1).lines().enumerate().fold(
        String::new(),
        |text, (i, line)| match line.split_once(',') {
            Some((_, rest)) if i > 0 => {
                text + &format!("2024-03-09T{:02}:{:02}:30Z,{rest}\n", 10 + i / 60, i % 60)
            }
            _ => text + line + "\n",
        },
    );
    fs::write(path.join("dated.csv"), dated).unwrap();
    let dated = ["report", "long.mercer", "dated.csv", "--time", "when", "--out", "r.html"];
    ok(path, &dated);
    require_readable((&browser, path), &fs::read_to_string(path.join("r.html")).unwrap(), "dated");
}

#[test]
fn pointer_and_buttons_show_more() {
    let Some(browser) = browser() else {
        skipped("no browser");
        return;
    };
    let (folder, _, html) = report();
    let states = look((&browser, folder.path()), &html, &[1000], (false, true), TOUCH);
    let of = |state: usize, what: &str| &states[state][what];
    let whole = serde_json::json!(["0 0 10000 4000"]);
    assert_eq!(*of(0, "view"), whole);
    assert!(of(0, "where").as_str().unwrap().starts_with("Drag across a chart to zoom"));
    // 0.951 of the way from row 0 to 199 is row 189: there the third sensor has failed.
    assert_eq!(of(1, "where"), "when 38.9");
    assert_eq!(*of(1, "cursors"), 5);
    let text = fs::read_to_string(folder.path().join("test.csv")).unwrap();
    let row: Vec<&str> = text.lines().nth(190).unwrap().split(',').collect();
    assert_eq!(row[0], "38.9");
    for (shown, cell) in of(1, "values").as_array().unwrap()[1..].iter().zip(&row[2..]) {
        let [shown, cell] = [shown.as_str().unwrap(), cell].map(|x| x.parse::<f64>().unwrap());
        assert!((shown - cell).abs() <= 0.005 * cell.abs() + 0.01, "{shown} {cell}");
    }
    let score: f64 = of(1, "values")[0].as_str().unwrap().parse().unwrap();
    assert!(score > 1.0, "{score}");
    // The last quarter: all charts show the same part, with ticks of its own.
    assert_eq!(*of(2, "view"), serde_json::json!(["7500 0 2500 4000"]));
    let ticks: Vec<f64> = of(2, "ticks")
        .as_array()
        .unwrap()
        .iter()
        .map(|tick| tick.as_str().unwrap().parse().unwrap())
        .collect();
    assert!(ticks.len() >= 3 && ticks.is_sorted(), "{ticks:?}");
    assert!(ticks.iter().all(|tick| (34.9..=39.9).contains(tick)), "{ticks:?}");
    // Half of it is row 174; the next one by the keyboard.
    assert_eq!(of(3, "where"), "when 37.5");
    assert_eq!(*of(4, "view"), serde_json::json!(["8125 0 1250 4000"]));
    assert_eq!(*of(5, "view"), serde_json::json!(["7500 0 1250 4000"]));
    for back in [6, 7] {
        assert_eq!(*of(back, "view"), whole);
        assert_eq!(of(back, "ticks"), of(0, "ticks"));
    }
}

#[test]
fn texts_of_others_do_nothing() {
    let Some(browser) = browser() else {
        skipped("no browser");
        return;
    };
    let folder = waves();
    let path = folder.path();
    let harm = [
        "</script><script>document.title='harm'</script>",
        "<img src=x onerror=document.title='harm'>",
        "'\"><svg onload=document.title='harm'>",
        "]}\\u0022</figure>",
    ];
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for file in ["train.csv", "test.csv"] {
        let text = fs::read_to_string(path.join(file)).unwrap();
        let (_, rows) = text.split_once('\n').unwrap();
        let names: Vec<String> = harm.iter().map(|name| quoted(name)).collect();
        // Times that are no times, so that the script is given them as texts.
        let rows: String = rows.lines().enumerate().fold(String::new(), |all, (i, row)| {
            let cells: Vec<&str> = row.splitn(3, ',').collect();
            all + &format!("{},{},{}\n", quoted(harm[i % 4]), quoted(harm[(i / 99) % 4]), cells[2])
        });
        fs::write(path.join(file), format!("when,state,{}\n{rows}", names.join(","))).unwrap();
    }
    ok(path, &["fit", "train.csv", "--drop", "when,state", "--out", "m.mercer"]);
    ok(path, &REPORT);
    let dom = open_page(&browser, &path.join("report.html"), &["--window-size=900,900"]);
    assert_eq!(dom.matches("<script").count(), 1);
    assert!(!dom.contains("<img") && !dom.contains("<svg onload"));
    assert!(dom.contains("<title>m.mercer on test.csv</title>"), "no harm was done");
    // The page's own script has run.
    assert!(dom.contains("class=\"tools\""));
    // The policy alone would do: what is put into the page afterwards does not run.
    let html = fs::read_to_string(path.join("report.html")).unwrap();
    let forged = html.replace("</main>", "<script>document.title='harm'</script></main>");
    fs::write(path.join("forged.html"), forged).unwrap();
    let dom = open_page(&browser, &path.join("forged.html"), &[]);
    assert!(dom.contains("<title>m.mercer on test.csv</title>") && dom.contains("class=\"tools\""));
}

#[test]
fn paper_loses_nothing() {
    let Some(browser) = browser() else {
        skipped("no browser");
        return;
    };
    if Command::new("pdftotext").arg("-v").output().is_err() {
        skipped("no pdftotext (poppler-utils) to read what was printed");
        return;
    }
    let (folder, page, _) = report();
    let pdf = folder.path().join("page.pdf");
    print_page(&browser, &page, &pdf);
    let text = |options: &[&str]| {
        let run = Command::new("pdftotext").args(options).arg(&pdf).arg("-").output().unwrap();
        assert!(run.status.success());
        String::from_utf8(run.stdout).unwrap()
    };
    let words: Vec<String> = text(&[]).split_whitespace().map(String::from).collect();
    let all = words.join(" ");
    for expected in [
        "Over time",
        "Events",
        "By state",
        "Training beside here",
        "Projections",
        "The model",
        "On a device",
        "event",
        "from, to",
        "peak",
        "suspect",
        "the suspect around it",
        "moved by",
        "beyond training",
        "median score",
        "instructions a score, at the most",
        "in alarm",
        "<c> & \"c\"",
        "<i>bad</i>",
        "Cortex-M0, M0+, M1",
        "RV32IMAC",
        "threshold",
        "landmark",
    ] {
        assert!(all.contains(expected), "{expected}: {all}");
    }
    // Tools are for screens; and every word lies on its page, with a margin.
    assert!(!all.contains("Drag across"));
    let number = |line: &str, name: &str| -> f64 {
        let from = line.split(&format!("{name}=\"")).nth(1).unwrap();
        from.split('"').next().unwrap().parse().unwrap()
    };
    let (mut size, mut seen) = ((0.0, 0.0), 0);
    for line in text(&["-bbox"]).lines() {
        if line.contains("<page ") {
            size = (number(line, "width"), number(line, "height"));
        } else if line.contains("<word ") {
            let (left, right) = (number(line, "xMin"), number(line, "xMax"));
            let (top, bottom) = (number(line, "yMin"), number(line, "yMax"));
            assert!(left > 20.0 && right < size.0 - 20.0, "{line} of {size:?}");
            assert!(top > 20.0 && bottom < size.1 - 20.0, "{line} of {size:?}");
            seen += 1;
        }
    }
    assert!(seen > 400, "{seen} words");
}
