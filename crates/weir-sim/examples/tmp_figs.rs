fn main() {
    let out = std::env::args().nth(1).unwrap();
    for (name, _) in weir_sim::figures::list() {
        let t = std::time::Instant::now();
        let f = weir_sim::figures::figure(name).unwrap();
        eprintln!("{name} {:?}", t.elapsed());
        for (n, text) in f.files() {
            std::fs::write(format!("{out}/{n}"), text).unwrap();
        }
        println!("{name}");
        for t in &f.tables {
            println!("{}", t.plain());
        }
    }
}
