//! A failure at every protocol point: all points are there, and forks end as whole runs do.

mod support;

use aftermath_harness::Registry;
use aftermath_harness::sweep::{Sweep, Swept};
use aftermath_reports::record::Status;
use std::sync::atomic::AtomicBool;
use support::load;

fn swept(sweep: &Sweep) -> Swept {
    sweep.run(&AtomicBool::new(false), &|| {})
}

#[test]
fn speed() {
    let scenario = load("scenarios/sweep.toml");
    let registry = Registry::built_in();
    let only = std::env::var("ONLY").unwrap_or_default();
    let audit: u32 = std::env::var("AUDIT").map_or(10_000, |t| t.parse().unwrap());
    let limit = std::env::var("LIMIT").ok().map(|t| t.parse().unwrap());
    let pairs = std::env::var("PAIRS").ok().map(|t| t.parse().unwrap());
    for case in &scenario.cases {
        if !case.config.label().contains(&only) {
            continue;
        }
        let begin = std::time::Instant::now();
        let sweep = Sweep {
            case,
            registry: &registry,
            seed: 0,
            down_ns: 40_000_000,
            audit_millionths: audit,
            limit,
            pairs,
            jobs: 1,
        };
        let s = swept(&sweep);
        let t = begin.elapsed().as_secs_f64();
        let early = s.found.iter().filter(|f| f.early).count();
        let audited: Vec<_> = s.found.iter().filter_map(|f| Some((f, f.audit.as_ref()?))).collect();
        let bad: Vec<_> = audited.iter().filter_map(|(f, a)| Some((f, a.as_ref()?))).collect();
        println!(
            "{}: {} points, {} merged, {} kinds, {} runs, {} early, {} audited, {} disagree, {} unreached, {:.0}/s",
            case.config.label(),
            s.points.list.len(),
            s.merged,
            s.points.kinds.len(),
            s.found.len(),
            early,
            audited.len(),
            bad.len(),
            s.found.iter().filter(|f| f.verdict.is_none()).count(),
            s.found.len() as f64 / t
        );
        let mut stat = std::collections::BTreeMap::<_, usize>::new();
        for f in &s.found {
            if let Some(v) = &f.verdict {
                *stat.entry((format!("{:?}", v.status), v.seen(), f.early)).or_default() += 1;
            }
        }
        println!("  {stat:?}");
        for (f, a) in bad.iter().take(4) {
            println!("  {:?} {}\n{a}", f.failures, s.points.kinds[s.points.list[f.point].kind]);
        }
        for f in s
            .found
            .iter()
            .filter(|f| f.verdict.as_ref().is_some_and(|v| v.status == Status::Broken))
            .take(5)
        {
            println!(
                "  BROKEN {:?} {}: {:?}",
                f.failures, s.points.kinds[s.points.list[f.point].kind], f.verdict
            );
        }
    }
}
