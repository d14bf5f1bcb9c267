use std::time::Instant;
use diagnostics::Source;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let text = value::json::compact(&sim::document(1, n));
    println!("text bytes/node {}", text.len() / n);
    for _ in 0..5 {
        let t0 = Instant::now();
        let v = value::json::read(&text).unwrap();
        let t1 = Instant::now();
        drop(v);
        let t1b = Instant::now();
        let source = Source::new("x", text.clone());
        let t2 = Instant::now();
        let mut r = frontends::read(&source, frontends::Format::Graph);
        let t3 = Instant::now();
        let g = graph::normalize(r.draft.take().unwrap(), &mut r.findings);
        let t4 = Instant::now();
        let f = graph::validate::validate(&g, graph::validate::Edges::Strict);
        let t5 = Instant::now();
        let h = graph::hash::Hashes::of(&g);
        let t6 = Instant::now();
        println!("parse {:?} drop {:?} read {:?} normalize {:?} validate {:?} hash {:?} total {:?} {}", t1-t0, t1b-t1, t3-t2, t4-t3, t5-t4, t6-t5, t6-t2, f.len());
        drop(h);
    }
}
