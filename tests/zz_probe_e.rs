mod common;
mod evaluation;
use common::*;
use evaluation::*;
use mercer::*;
#[test]
fn probe() {
    let reference = read_shared("adbench/reference_kpca.csv");
    let splits = read_shared("adbench/splits.csv");
    for row in 0..reference.rows() {
        let name = reference.text(row, "data");
        let tag = format!("{name} {} {}", reference.text(row, "split"), reference.text(row, "recipe"));
        if !["Ionosphere 1 2m", "Ionosphere 1 8m", "Pima 3 2m", "thyroid 0 2m", "vowels 0 2m"].contains(&tag.as_str()) { continue; }
        let table = read_shared(&format!("adbench/{name}.csv"));
        let all = table.numbers();
        let labels = table.column("label");
        let x = Grid::<f64>::from_fn(all.rows, all.columns - 1, |i, j| all.at(i, j));
        let split = (0..splits.rows()).find(|&s| splits.text(s, "data") == name && splits.text(s, "split") == reference.text(row, "split")).unwrap();
        let training: Vec<u32> = splits.text(split, "train_rows").split(' ').map(|t| t.parse().unwrap()).collect();
        let scaled = standardised(&x, &training);
        let gamma = common::number(reference.text(row, "gamma"));
        let frac = common::number(reference.text(row, "frac"));
        println!("{tag} expected q {} auroc {}", reference.text(row, "q_pch32"), reference.text(row, "auroc_pch32_spe"));
        for first in 0..training.len() {
            let mut order: Vec<usize> = training.iter().map(|&r| r as usize).collect();
            let f = order.remove(first); order.insert(0, f);
            let s = scaled.pick(&order);
            let k = kernel::Rbf::new(gamma);
            let m = fit_landmarks(&k, &s.view(), Landmarks::Rank(32), Components::Share(frac), 32).unwrap();
            let points = s.pick(&m.points);
            let mut sc = [vec![], vec![]];
            for i in 0..all.rows { if !order.contains(&i) { sc[labels[i] as usize].push(m.score(&k, &points.view(), scaled.row(i)).unwrap().1.spe); } }
            let a = auroc(&sc[0], &sc[1]);
            if (a - common::number(reference.text(row, "auroc_pch32_spe"))).abs() < 1e-5 { println!("  first {first}: q {} {a}", m.report.components); }
        }
        // which rows have |x|^2+|x|^2-2x.x != 0 under plain summation orders
    }
}
