//! Random runs beside a model that knows what must come of them, with a crash at any step.

use std::collections::BTreeMap;
use std::io::Write;

use super::*;

#[test]
fn each_settled_page_is_stored_once_wherever_a_crash_falls() {
    for seed in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        Model::new(dir.path(), seed).run();
    }
}

struct Model<'a> {
    dir: &'a Path,
    random: fastrand::Rng,
    packer: Packer,
    /// The next page to put; each is put once.
    next_page: usize,
    /// What was put under each number: the page, and whether there is more than an outcome.
    put: BTreeMap<u64, (usize, bool)>,
    /// Of each outcome that was sent, whether the scheduler took it; it never changes its mind.
    verdicts: BTreeMap<u64, bool>,
    /// What a loss of power cannot take: numbers, applied pages, and bytes of the newest segment.
    durable: u64,
    applied: u64,
    safe: (PathBuf, u64),
}

impl<'a> Model<'a> {
    fn new(dir: &'a Path, seed: u64) -> Self {
        Model {
            dir,
            random: fastrand::Rng::with_seed(seed),
            packer: Packer::new(&config(dir)),
            next_page: 0,
            put: BTreeMap::new(),
            verdicts: BTreeMap::new(),
            durable: 0,
            applied: 0,
            safe: (PathBuf::new(), 0),
        }
    }

    fn run(mut self) {
        for _ in 0..self.random.usize(2..7) {
            let mut spool = self.open();
            for _ in 0..self.random.usize(0..60) {
                self.step(&mut spool);
            }
            self.crash(spool);
            self.tear();
            self.scribble();
        }
        let mut spool = self.open();
        self.settle(&mut spool, self.durable);
        spool.finish().unwrap();
        drop(spool);
        let stored = self.put.iter().filter(|(seq, (_, has_page))| {
            **seq <= self.durable && *has_page && self.verdicts[*seq]
        });
        assert_exactly(self.dir, stored.map(|(_, (page, _))| *page));
    }

    /// Small files and small buffers, so that every boundary is met often.
    fn open(&mut self) -> Spool {
        let config = StoreConfig {
            warc_bytes: self.random.u64(2_000..40_000),
            rows_per_file: self.random.usize(3..25),
            write_buffer: self.random.usize(10..3_000),
            ..config(self.dir)
        };
        let (spool, pending) = Spool::open_with(config, self.random.u64(300..20_000)).unwrap();
        assert!(spool.applied() >= self.applied, "what was applied is forgotten");
        assert!(spool.last() >= self.durable, "what was durable is lost");
        let numbers: Vec<u64> = pending.iter().map(|pending| pending.seq).collect();
        assert_eq!(numbers, (spool.applied() + 1..=spool.last()).collect::<Vec<_>>());
        for Pending { seq, outcome } in pending {
            assert_eq!(outcome, outcome_of(self.put[&seq].0), "of page {seq}");
        }
        self.note_durable(&spool);
        spool
    }

    fn step(&mut self, spool: &mut Spool) {
        match self.random.u8(0..12) {
            0..=6 => self.put_one(spool),
            7 => spool.flush().unwrap(),
            8 | 9 => self.sync(spool),
            10 => {
                let upto = self.random.u64(0..=self.durable);
                self.settle(spool, upto);
            }
            _ if self.random.u8(0..8) == 0 => {
                spool.finish().unwrap();
                self.note_durable(spool);
            }
            _ => {}
        }
    }

    fn put_one(&mut self, spool: &mut Spool) {
        let page = self.next_page;
        self.next_page += 1;
        let packed = (self.random.u8(0..5) > 0).then(|| pack(&mut self.packer, page));
        let seq = spool.put(&outcome_of(page), packed.as_ref()).unwrap();
        assert!(seq > self.durable, "{seq} was given before");
        self.put.insert(seq, (page, packed.is_some()));
    }

    fn sync(&mut self, spool: &mut Spool) {
        if self.random.bool() {
            spool.flush().unwrap();
        }
        let length = newest(self.dir);
        let reached = spool.syncer().run().unwrap();
        assert!(reached >= self.durable);
        (self.durable, self.safe) = (reached, length);
    }

    /// The scheduler has what was durable, and answers for some of it.
    fn settle(&mut self, spool: &mut Spool, upto: u64) {
        let rejected = self.judge(upto);
        spool.settled(upto, &rejected).unwrap();
        if upto > self.applied {
            self.note_durable(spool);
        }
        assert_eq!(spool.applied(), self.applied);
    }

    /// All that is rejected up to `upto`, also of earlier messages.
    fn judge(&mut self, upto: u64) -> Vec<u64> {
        for seq in 1..=upto {
            self.verdicts.entry(seq).or_insert_with(|| self.random.u8(0..4) > 0);
        }
        let rejected = self.verdicts.range(..=upto).filter(|(_, taken)| !**taken);
        rejected.map(|(seq, _)| *seq).collect()
    }

    /// The spool has just made everything durable.
    fn note_durable(&mut self, spool: &Spool) {
        self.durable = spool.last();
        self.applied = spool.applied();
        self.safe = newest(self.dir);
    }

    /// Ends in the midst of settling, or of nothing.
    fn crash(&mut self, mut spool: Spool) {
        let how = self.random.u8(0..5);
        let upto = self.random.u64(0..=self.durable);
        if how == 0 || upto <= spool.applied() {
            return;
        }
        let rejected = self.judge(upto);
        let mark = spool.store_pages(upto, &rejected).unwrap();
        match how {
            1 => {}
            2 | 3 => {
                spool.log.put_journal(upto, mark.as_bytes());
                spool.log.flush().unwrap();
            }
            _ => {
                spool.journal(upto, &mark).unwrap();
                self.note_durable(&spool);
            }
        }
    }

    /// What was not durable is gone, or half there, or something else.
    fn tear(&mut self) {
        let (path, length) = newest(self.dir);
        let safe = match path == self.safe.0 {
            true => self.safe.1,
            false => begun(&path),
        };
        let mut bytes = fs::read(&path).unwrap();
        match self.random.u8(0..4) {
            0 => return,
            1 | 2 => bytes.truncate(self.random.u64(safe..=length) as usize),
            _ if safe < length => {
                let from = self.random.u64(safe..length) as usize;
                let to = self.random.usize(from..=bytes.len());
                bytes[from..to].fill(0);
            }
            _ => bytes.extend_from_slice(b"half of a record"),
        }
        fs::write(&path, bytes).unwrap();
        if self.random.u8(0..4) == 0 {
            self.begin_next(&path);
        }
    }

    /// A crash fell while the next segment was made.
    fn begin_next(&mut self, newest: &Path) {
        let bytes = fs::read(newest).unwrap();
        // The segment before is durable to its end by then.
        let (spool, _) = Spool::open_with(config(self.dir), 1 << 20).unwrap();
        self.durable = self.durable.max(spool.last());
        let name = newest.file_name().unwrap().to_str().unwrap();
        let number: u32 = name[6..12].parse().unwrap();
        let next = newest.with_file_name(format!("spool-{:06}.log", number + 1));
        fs::write(next, &bytes[..self.random.usize(0..50)]).unwrap();
    }

    /// Half of what a write to the store would have put there, had there been time.
    fn scribble(&mut self) {
        let last = |part: &str, suffix| files(&self.dir.join(part), suffix).pop();
        let known = [last("warc", "gz"), last("store", "jsonl"), last("store", "log")];
        for path in known.into_iter().flatten() {
            if self.random.bool() {
                let mut file = OpenOptions::new().append(true).open(path).unwrap();
                file.write_all(b"{\"url\":\"http://half").unwrap();
            }
        }
    }
}

fn outcome_of(page: usize) -> Vec<u8> {
    format!("outcome of page {page} ").repeat(page % 5).into_bytes()
}

fn newest(dir: &Path) -> (PathBuf, u64) {
    let path = segments(dir).pop().unwrap();
    let length = path.metadata().unwrap().len();
    (path, length)
}

/// The length of header and first journal record, which are durable before anything follows.
fn begun(path: &Path) -> u64 {
    let bytes = fs::read(path).unwrap();
    let mark = u32::from_le_bytes(bytes[36..40].try_into().unwrap());
    24 + 33 + u64::from(mark)
}
