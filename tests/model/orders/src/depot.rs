// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// depot - chains of free blocks on their way from thread to thread. Mirrors fhi_depot_give and fhi_depot_take of
// runtime/heap/depot.c, with chains of one block each.
//
// One chain is there, and room for one more. Two threads use a block each and give it, where it is not refused; then each takes
// up to two, where there is one and nobody is in its way, and uses them. When both have ended all that is there is taken.
// Checked: what a thread did with a block before it gave it, and the links, come before the taker's use (loom stops at any
// unordered access of a cell); there are never more chains than places; none is taken twice, and none is lost.
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

pub const MODEL: crate::Model = crate::Model {
    name: "depot",
    mutations: &[
        "ENTER_RELAXED",
        "LEAVE_RELAXED",
        "ENTER_BY_LOAD",
        "GIVE_TRUSTS_COUNT",
        "GIVE_SAYS_DONE",
        "TAKE_TRUSTS_COUNT",
        "TAKE_UNENTERED",
    ],
    run,
};

const MOST: usize = 2;
const CHAINS: usize = 3;
const HELD: usize = 1; // what a block's word says: a thread has it
const GIVEN: usize = 2;

struct Depot {
    busy: AtomicBool,
    count: AtomicUsize,
    chains: UnsafeCell<usize>, // 0: none, else 1 + the chain
    links: [UnsafeCell<usize>; CHAINS],
    words: [UnsafeCell<usize>; CHAINS],
    enter: Ordering,
    leave: Ordering,
    mutation: &'static str,
}
// All sharing of the cells is what is checked.
unsafe impl Sync for Depot {}

fn get(cell: &UnsafeCell<usize>) -> usize {
    cell.with(|word| unsafe { *word })
}

fn set(cell: &UnsafeCell<usize>, value: usize) {
    cell.with_mut(|word| unsafe { *word = value });
}

// The C code's exchange writes true over true where another thread is there. Loom would let that come after the other's store of
// false (which no processor does, as the exchange read what was before), so here it writes nothing then.
fn enter(depot: &Depot) -> bool {
    if depot.mutation == "ENTER_BY_LOAD" {
        let busy = depot.busy.load(Acquire);
        if !busy {
            depot.busy.store(true, Relaxed);
        }
        return !busy;
    }
    depot.busy.compare_exchange(false, true, depot.enter, Relaxed).is_ok()
}

fn leave(depot: &Depot) {
    depot.busy.store(false, depot.leave);
}

fn give(depot: &Depot, chain: usize) -> bool {
    if depot.count.load(Relaxed) == MOST || !enter(depot) {
        return false;
    }
    let room = depot.mutation == "GIVE_TRUSTS_COUNT" || depot.count.load(Relaxed) < MOST;
    if room {
        set(&depot.links[chain], get(&depot.chains));
        set(&depot.chains, chain + 1);
        let count = depot.count.load(Relaxed) + 1;
        assert!(count <= MOST, "more chains than places");
        depot.count.store(count, Relaxed);
    }
    leave(depot);
    room || depot.mutation == "GIVE_SAYS_DONE"
}

fn take(depot: &Depot) -> Option<usize> {
    let unentered = depot.mutation == "TAKE_UNENTERED";
    if depot.count.load(Relaxed) == 0 || !(unentered || enter(depot)) {
        return None;
    }
    let first = get(&depot.chains);
    if first != 0 {
        set(&depot.chains, get(&depot.links[first - 1]));
        depot.count.store(depot.count.load(Relaxed) - 1, Relaxed);
    }
    assert!(first != 0 || depot.mutation != "TAKE_TRUSTS_COUNT", "a chain is taken that is not there");
    if !unentered {
        leave(depot);
    }
    first.checked_sub(1)
}

fn take_and_use(depot: &Depot) -> bool {
    let chain = match take(depot) {
        Some(chain) => chain,
        None => return false,
    };
    assert_eq!(get(&depot.words[chain]), GIVEN, "a chain is taken twice");
    set(&depot.words[chain], HELD);
    true
}

// How many chains the thread has in the end.
fn work(depot: &Depot, chain: usize) -> usize {
    set(&depot.words[chain], GIVEN);
    let mut held = !give(depot, chain) as usize;
    for _ in 0..2 {
        held += take_and_use(depot) as usize;
    }
    held
}

fn run(mutation: &'static str) {
    let cells = || [UnsafeCell::new(0), UnsafeCell::new(0), UnsafeCell::new(0)];
    let depot = Arc::new(Depot {
        busy: AtomicBool::new(false),
        count: AtomicUsize::new(0),
        chains: UnsafeCell::new(0),
        links: cells(),
        words: cells(),
        enter: if mutation == "ENTER_RELAXED" { Relaxed } else { Acquire },
        leave: if mutation == "LEAVE_RELAXED" { Relaxed } else { Release },
        mutation,
    });
    set(&depot.words[2], GIVEN);
    give(&depot, 2);
    let other = depot.clone();
    let thread = thread::spawn(move || work(&other, 1));
    let mut count = work(&depot, 0) + thread.join().unwrap();
    while take_and_use(&depot) {
        count += 1;
    }
    assert_eq!(count, CHAINS, "a chain is lost");
}
