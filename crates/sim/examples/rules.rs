fn main() {
    let n: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    for s in 0..n {
        let c = sim::rules::case(s);
        let q = |v: &Vec<String>| {
            v.iter()
                .map(|t| format!("\"{}\"", t.replace('\\', "\\\\").replace('"', "\\\"")))
                .collect::<Vec<_>>()
                .join(",")
        };
        println!(
            "{{\"constructs\":[{}],\"asserts\":[{}],\"limit\":{}}}",
            q(&c.constructs),
            q(&c.asserts),
            c.limit
        );
    }
}
