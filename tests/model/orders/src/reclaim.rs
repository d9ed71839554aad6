// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reclaim - a page changes its owner while others free its blocks. Mirrors the reclaiming and adopting of orphans
// (runtime/heap/orphans.c) and the reads of page->fast in every free.
//
// Heap X is an orphan and has one page. One thread takes the page over for its heap M, and writes it; another adopts X, drains
// it and frees a block of its own; a third frees a block wherever the page's owner may be read to be. page->fast is read
// relaxed. Checked: whoever reads its own heap as the owner is the only one to write the page (its plain fields are a cell),
// and each freed block reaches the page or a list.
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering::*};
use loom::sync::{Arc, Mutex};
use loom::thread;

pub const MODEL: crate::Model =
    crate::Model { name: "reclaim", mutations: &["ADOPT_UNLOCKED", "TAKE_UNLOCKED", "NO_FORWARD"], run };

const X: usize = 0;
const M: usize = 1;
const OWNED: usize = 0;
const ORPHAN: usize = 1;

struct World {
    lock: Mutex<()>,
    state: AtomicUsize, // of X
    remote: [AtomicUsize; 2],
    fast: AtomicUsize,
    page: UnsafeCell<usize>, // blocks that came back
    mutation: &'static str,
}
unsafe impl Sync for World {}

/// A free by the thread that owns heap `mine`.
fn free(world: &World, mine: Option<usize>) {
    let owner = world.fast.load(Relaxed);
    if Some(owner) == mine {
        world.page.with_mut(|page| unsafe { *page += 1 });
    } else {
        world.remote[owner].fetch_add(1, AcqRel);
    }
}

fn drain(world: &World, mine: usize) {
    for _ in 0..world.remote[mine].swap(0, AcqRel) {
        if world.mutation == "NO_FORWARD" {
            world.page.with_mut(|page| unsafe { *page += 1 });
        } else {
            free(world, Some(mine));
        }
    }
}

fn take_over(world: &World) {
    let guard = if world.mutation == "TAKE_UNLOCKED" { None } else { Some(world.lock.lock().unwrap()) };
    if world.state.load(Relaxed) == ORPHAN {
        world.page.with_mut(|page| unsafe { *page += 0 }); // from list to list
        world.fast.store(M, Relaxed);
    }
    drop(guard);
    drain(world, M);
}

fn adopt(world: &World) {
    let guard = if world.mutation == "ADOPT_UNLOCKED" { None } else { Some(world.lock.lock().unwrap()) };
    let mine = world.state.load(Relaxed) == ORPHAN;
    if mine {
        world.state.store(OWNED, Relaxed);
    }
    drop(guard);
    free(world, Some(X));
    drain(world, X);
}

fn run(mutation: &'static str) {
    let world = Arc::new(World {
        lock: Mutex::new(()),
        state: AtomicUsize::new(ORPHAN),
        remote: [AtomicUsize::new(0), AtomicUsize::new(0)],
        fast: AtomicUsize::new(X),
        page: UnsafeCell::new(0),
        mutation,
    });
    let (taker, freer) = (world.clone(), world.clone());
    let threads = [thread::spawn(move || take_over(&taker)), thread::spawn(move || free(&freer, None))];
    adopt(&world);
    for thread in threads {
        thread.join().unwrap();
    }
    let page = world.page.with(|page| unsafe { *page });
    let listed = world.remote[X].load(Relaxed) + world.remote[M].load(Relaxed);
    assert_eq!(page + listed, 2, "a block is lost");
}
