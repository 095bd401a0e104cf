use weir_sim::refresh::*;
fn main() {
    for m in [0, 1, 2, 4] {
        for b in [0.01, 0.03] {
            for w in [28.0, 112.0] {
                let f = |p: Peer| {
                    (0..2)
                        .map(|seed| {
                            let web = Web::new(&MIXES[m], seed);
                            run(&web, p, b * web.bytes(), w).freshness
                        })
                        .sum::<f64>()
                };
                print!("{}/{b}/{w}: {:.3}  ", MIXES[m].name, f(Peer::Ours) / f(Peer::Optimum));
            }
        }
        println!();
    }
}
