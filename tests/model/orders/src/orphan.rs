// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// orphan - a push that meets the end of the owner's thread. Mirrors fhi_remote_push against reap and fhi_orphan_visit
// (runtime/heap/remote.c, threads.c, orphans.c).
//
// The owner writes its heap and ends; a later thread finds its life line broken, makes the heap an orphan and drains it, while
// another thread pushes. Checked: whoever drains sees all that the owner did (its plain fields are a cell), and what was
// pushed is taken by the reaper or by the pusher's visit, never left behind.
use loom::cell::UnsafeCell;
use loom::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering::*};
use loom::sync::{Arc, Mutex};
use loom::thread;

pub const MODEL: crate::Model = crate::Model {
    name: "orphan",
    mutations: &["PUSHER_UNORDERED", "REAPER_UNORDERED", "STATE_AFTER_TAKE", "LINE_RELAXED", "VISIT_UNLOCKED"],
    run,
};

const OWNED: usize = 0;
const ORPHAN: usize = 1;

struct Heap {
    lock: Mutex<()>,
    state: AtomicUsize,
    remote: AtomicUsize,
    broken: AtomicBool, // the owner's life line
    fields: UnsafeCell<usize>,
    mutation: &'static str,
}
unsafe impl Sync for Heap {}

fn drain(heap: &Heap) {
    if heap.remote.load(Acquire) != 0 {
        let taken = heap.remote.swap(0, AcqRel);
        heap.fields.with_mut(|fields| unsafe { *fields += taken });
    }
}

fn reap(heap: &Heap) {
    let guard = heap.lock.lock().unwrap();
    let order = if heap.mutation == "LINE_RELAXED" { Relaxed } else { Acquire };
    if heap.broken.load(order) && heap.state.load(Relaxed) == OWNED {
        if heap.mutation == "STATE_AFTER_TAKE" {
            drain(heap);
        }
        heap.fields.with_mut(|fields| unsafe { *fields += 0 }); // the outboxes are flushed
        heap.state.store(ORPHAN, Release);
        if heap.mutation != "REAPER_UNORDERED" {
            fence(SeqCst);
        }
        if heap.mutation != "STATE_AFTER_TAKE" {
            drain(heap);
        }
    }
    drop(guard);
}

fn push(heap: &Heap) {
    let mut old = heap.remote.load(Relaxed);
    // Release only, so that the rest of the order comes from the fence.
    while let Err(now) = heap.remote.compare_exchange(old, old + 1, Release, Relaxed) {
        old = now;
    }
    if heap.mutation != "PUSHER_UNORDERED" {
        fence(SeqCst);
    }
    if heap.state.load(Relaxed) == ORPHAN {
        let guard = if heap.mutation == "VISIT_UNLOCKED" { None } else { Some(heap.lock.lock().unwrap()) };
        drain(heap);
        drop(guard);
    }
}

fn run(mutation: &'static str) {
    let heap = Arc::new(Heap {
        lock: Mutex::new(()),
        state: AtomicUsize::new(OWNED),
        remote: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
        fields: UnsafeCell::new(0),
        mutation,
    });
    let (owner, pusher) = (heap.clone(), heap.clone());
    let threads = [
        thread::spawn(move || {
            owner.fields.with_mut(|fields| unsafe { *fields = 0 });
            owner.broken.store(true, Release); // the kernel does, after the thread's last instruction
        }),
        thread::spawn(move || push(&pusher)),
    ];
    reap(&heap);
    for thread in threads {
        thread.join().unwrap();
    }
    if heap.state.load(Relaxed) == ORPHAN {
        assert_eq!(heap.remote.load(Relaxed), 0, "a push is left with an orphan");
    }
}
