// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// orders - runs each model under loom, which tries all interleavings and all values that the memory orders allow a load to
// return, and then each of its mutations, which must be found.
//
// Where the C code relies on the single order of four seq_cst accesses, the models use acquire/release accesses and a seq_cst
// fence between the two of each thread: loom knows the order of such fences only, and for these patterns both forbid the same
// outcomes.

mod depot;
mod hand_over;
mod orphan;
mod reclaim;
mod table;

use std::panic;

pub struct Model {
    pub name: &'static str,
    pub mutations: &'static [&'static str],
    /// The mutation to run with, "" for the real thing. Panics where the protocol breaks.
    pub run: fn(&'static str),
}

fn explore(model: &Model, mutation: &'static str) -> Result<(), String> {
    let run = model.run;
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 20_000;
    let result = panic::catch_unwind(panic::AssertUnwindSafe(|| builder.check(move || run(mutation))));
    result.map_err(|why| match why.downcast::<String>() {
        Ok(text) => *text,
        Err(why) => why.downcast::<&str>().map_or("a panic".into(), |text| text.to_string()),
    })
}

fn main() {
    let models = [depot::MODEL, hand_over::MODEL, orphan::MODEL, reclaim::MODEL, table::MODEL];
    let mut failed = 0;
    panic::set_hook(Box::new(|_| {}));
    for model in &models {
        for mutation in [""].iter().chain(model.mutations) {
            let start = std::time::Instant::now();
            let result = explore(model, mutation);
            let good = result.is_err() != mutation.is_empty();
            failed += !good as i32;
            let what = if mutation.is_empty() { "as it is".into() } else { format!("mutation {}", mutation) };
            let said = result.err().map_or("no error".into(), |why| why.lines().next().unwrap_or("").to_string());
            let mark = if good { "ok  " } else { "FAIL" };
            println!("{} {}: {}: {}, {:.1} s", mark, model.name, what, said, start.elapsed().as_secs_f32());
        }
    }
    std::process::exit(if failed == 0 { 0 } else { 1 });
}
