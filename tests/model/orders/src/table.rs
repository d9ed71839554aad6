// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// table - records by thread id, read without a lock while the table is replaced. Mirrors runtime/access/table.c: fhi_table_find
// against make_room, next_table and insert.
//
// A thread whose record is in the table looks for it while another one, under the lock, puts a second table in place and then
// the first one again, emptied and filled anew. Checked: the record is found. Two slots a table: the record sought follows
// another one, or stands first.
use loom::sync::atomic::{fence, AtomicUsize, Ordering::*};
use loom::sync::Arc;
use loom::thread;

pub const MODEL: crate::Model =
    crate::Model { name: "table", mutations: &["NO_GENERATION", "NO_RELEASE_FENCE", "LOADS_RELAXED", "PUBLISH_FIRST"], run };

const MINE: usize = 1;
const OTHER: usize = 2;

struct World {
    tables: [[AtomicUsize; 2]; 2],
    current: AtomicUsize,
    generation: AtomicUsize,
    mutation: &'static str,
}

fn find(world: &World) -> bool {
    let relaxed = world.mutation == "LOADS_RELAXED";
    loop {
        let generation = world.generation.load(Acquire);
        let table = &world.tables[world.current.load(Acquire)];
        for slot in table {
            match slot.load(if relaxed { Relaxed } else { Acquire }) {
                0 => break,
                MINE => return true,
                _ => {}
            }
        }
        if !relaxed {
            fence(Acquire);
        }
        if world.mutation == "NO_GENERATION" || world.generation.load(Relaxed) == generation {
            return false;
        }
        thread::yield_now();
    }
}

fn replace(world: &World, other_first: bool) {
    let next = 1 - world.current.load(Relaxed);
    let table = &world.tables[next];
    if world.mutation != "NO_RELEASE_FENCE" {
        fence(Release);
    }
    for slot in table {
        slot.store(0, Relaxed);
    }
    if world.mutation == "PUBLISH_FIRST" {
        world.generation.fetch_add(1, Release);
        world.current.store(next, Release);
    }
    table[0].store(if other_first { OTHER } else { MINE }, Release);
    table[1].store(if other_first { MINE } else { OTHER }, Release);
    if world.mutation != "PUBLISH_FIRST" {
        world.current.store(next, Release);
        world.generation.fetch_add(1, Release);
    }
}

fn run(mutation: &'static str) {
    let world = Arc::new(World {
        tables: [[AtomicUsize::new(MINE), AtomicUsize::new(0)], [AtomicUsize::new(0), AtomicUsize::new(0)]],
        current: AtomicUsize::new(0),
        generation: AtomicUsize::new(0),
        mutation,
    });
    let writer = {
        let world = world.clone();
        thread::spawn(move || {
            replace(&world, false);
            replace(&world, true);
        })
    };
    assert!(find(&world), "a thread does not find its own record");
    writer.join().unwrap();
}
