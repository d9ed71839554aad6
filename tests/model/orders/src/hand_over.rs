// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hand_over - blocks on their way to their owner. Mirrors fhi_remote_push and fhi_remote_drain of runtime/heap/remote.c.
//
// Two threads use a block each, then push it; the owner takes what is there and uses the blocks again. Checked: what a thread did
// with its block, and the link that it wrote, come before the owner's reuse (loom stops at any unordered access of a cell), and
// no block is lost.
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering, Ordering::*};
use loom::sync::Arc;
use loom::thread;

pub const MODEL: crate::Model =
    crate::Model { name: "hand_over", mutations: &["PUSH_RELAXED", "TAKE_RELAXED", "PUSH_BY_STORE"], run };

struct Heap {
    remote: AtomicUsize, // 0: empty, else 1 + the block
    words: [UnsafeCell<usize>; 2],
    push: Ordering,
    take: Ordering,
    by_store: bool,
}
// All sharing of the cells is what is checked.
unsafe impl Sync for Heap {}

fn push(heap: &Heap, block: usize) {
    heap.words[block].with_mut(|word| unsafe { *word = 4711 }); // the program's last use
    let mut old = heap.remote.load(Relaxed);
    loop {
        heap.words[block].with_mut(|word| unsafe { *word = old });
        if heap.by_store {
            heap.remote.store(block + 1, Release);
            return;
        }
        match heap.remote.compare_exchange(old, block + 1, heap.push, Relaxed) {
            Ok(_) => return,
            Err(now) => old = now,
        }
    }
}

fn drain(heap: &Heap) -> usize {
    let mut count = 0;
    let mut next = heap.remote.swap(0, heap.take);
    while next != 0 {
        let block = next - 1;
        next = heap.words[block].with(|word| unsafe { *word });
        heap.words[block].with_mut(|word| unsafe { *word = 1 }); // used again
        count += 1;
    }
    count
}

fn run(mutation: &'static str) {
    let heap = Arc::new(Heap {
        remote: AtomicUsize::new(0),
        words: [UnsafeCell::new(0), UnsafeCell::new(0)],
        push: if mutation == "PUSH_RELAXED" { Relaxed } else { AcqRel },
        take: if mutation == "TAKE_RELAXED" { Relaxed } else { AcqRel },
        by_store: mutation == "PUSH_BY_STORE",
    });
    let threads: Vec<_> = (0..2)
        .map(|block| {
            let heap = heap.clone();
            thread::spawn(move || push(&heap, block))
        })
        .collect();
    let mut count = drain(&heap);
    for thread in threads {
        thread.join().unwrap();
    }
    count += drain(&heap);
    assert_eq!(count, 2, "a block is lost");
}
