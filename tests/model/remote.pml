// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.pml - remote frees, and heaps whose threads have ended. Mirrors runtime/heap/remote.c (push, flush, visit, drain,
// forward) and runtime/heap/threads.c (leave, reap, adopt, reclaim); the letters F, P, R, C, D are those of remote.c.
//
// Threads allocate, free blocks of each other's heaps, drain, reclaim a dead thread's segment, leave, free on as destructors do,
// end, and are born again. A list of blocks is a set of bits: pushes by CAS and a take of everything commute, so their order says
// nothing. Each access of memory that others write is a step of its own, and all interleavings are tried. Memory is sequentially
// consistent here; the orders themselves are checked by loom.
//
// Checked: no block is in two places at once (asserts wherever one moves); only one thread at a time writes a page; when all
// threads have ended nothing lies on the list of an orphan; and once the dead are reaped, every freed block is in its page.
//
// short: THREADS=2 OPS=2 BLOCKS=2 LIVES=2
// long: THREADS=3 OPS=2 BLOCKS=2 LIVES=1
// long: THREADS=2 OPS=2 BLOCKS=3 LIVES=2
// long: THREADS=2 OPS=3 BLOCKS=2 LIVES=2
// mutation: NO_VISIT (pushes never look at the heap's state)
// mutation: STATE_AFTER_DRAIN (the reaper drains before it stores ORPHAN)
// mutation: NO_FORWARD (what lies on a list is put into its page, whoever owns the page now)
// mutation: NO_FLUSH_AT_REAP (the outboxes of a thread that ended are forgotten)
// mutation: REAP_AT_LEAVE (a heap is an orphan as soon as its thread's key destructor ran)
// mutation: ADOPT_UNLOCKED (an orphan is taken over without the lock)
// mutation: FORWARD_BLIND (what is forwarded is pushed without a look at that heap's state)

#define HEAPS 3
#define SEGMENTS 2
#define NO_HEAP 255
#define NOBODY 255
#define ALL ((1 << BLOCKS) - 1)
#define BIT(b) (1 << (b))
#define SEGMENT_OF(b) ((b) % SEGMENTS)

mtype = { NONE, OWNED, LEAVING, ORPHAN };
typedef heap {
  mtype state = NONE;
  bool gone; // its thread's life line is broken
  byte remote, inbox;
  byte outbox[HEAPS]
};
heap heaps[HEAPS];
byte home = 0;         // blocks that are free in their pages
byte held = ALL;       // blocks that the program holds: any thread may free them
byte owner[SEGMENTS];  // page->fast, segment->heap
byte writer[SEGMENTS]; // who writes the plain fields of the segment's pages now
byte lock = NOBODY;
byte ended = 0;

#define acquire() atomic { lock == NOBODY -> lock = _pid }
#define release() lock = NOBODY
#define dead(h) (heaps[h].gone && heaps[h].state != ORPHAN)

// Plain writes to a page take a while, and nobody else may be at it: its owner, or the lock's holder once that is gone.
inline write_begin(s) {
  atomic {
    assert(owner[s] == mine || (lock == _pid && heaps[owner[s]].gone));
    assert(writer[s] == NOBODY);
    writer[s] = _pid
  }
}
inline write_end(s) { assert(writer[s] == _pid); writer[s] = NOBODY }

inline put_home(x) {
  write_begin(SEGMENT_OF(x));
  atomic {
    assert(!((home | held) & BIT(x)));
    home = home | BIT(x);
    write_end(SEGMENT_OF(x))
  }
}

// Heap h's drain, by its owner or under the lock. A block whose page belongs to another heap goes there: into this thread's
// page, or to `pending`, which is pushed before the call returns.
inline drain(h) {
  if
  :: heaps[h].inbox == 0 -> atomic { heaps[h].inbox = heaps[h].remote; heaps[h].remote = 0 } // D1, R2
  :: else
  fi;
  do
  :: heaps[h].inbox != 0 ->
     atomic {
       b = 0;
       do
       :: !(heaps[h].inbox & BIT(b)) -> b++
       :: else -> break
       od;
       heaps[h].inbox = heaps[h].inbox & ~BIT(b);
       o = owner[SEGMENT_OF(b)]
     }
#ifdef NO_FORWARD
     put_home(b)
#else
     if
     :: o == h || o == mine -> put_home(b)
#ifdef FORWARD_BLIND
     :: o != h && o != mine && (mine == NO_HEAP || stage != 0) ->
        atomic { assert(!(heaps[o].remote & BIT(b))); heaps[o].remote = heaps[o].remote | BIT(b) }
     :: o != h && o != mine && mine != NO_HEAP && stage == 0 -> heaps[mine].outbox[o] = heaps[mine].outbox[o] | BIT(b)
#else
     :: else -> pending[o] = pending[o] | BIT(b)
#endif
     fi
#endif
  :: else -> break
  od
}

// All of heap h's outboxes become pending.
inline flush(h) {
  atomic {
    for (i : 0 .. HEAPS - 1) {
      pending[i] = pending[i] | heaps[h].outbox[i];
      heaps[h].outbox[i] = 0
    }
    i = 0
  }
}

#define PENDING (pending[0] | pending[1] | pending[2])

// What this call still has to do before it returns: pushes, and visits of heaps.
inline settle() {
  do
  :: PENDING ->
     atomic { // P1 to P3
       o = 0;
       do
       :: pending[o] == 0 -> o++
       :: else -> break
       od;
       assert(!((heaps[o].remote | heaps[o].inbox | home | held) & pending[o]));
       heaps[o].remote = heaps[o].remote | pending[o];
       pending[o] = 0
     }
#ifndef NO_VISIT
     if
     :: heaps[o].state == LEAVING || heaps[o].state == ORPHAN -> visits = visits | BIT(o) // P4, P5
     :: else
     fi
#endif
  :: !PENDING && visits != 0 ->
     atomic {
       v = 0;
       do
       :: !(visits & BIT(v)) -> v++
       :: else -> break
       od;
       visits = visits & ~BIT(v)
     }
     acquire();
     reaps = false;
     if
#ifdef REAP_AT_LEAVE
     :: heaps[v].state == LEAVING || dead(v) -> reaps = true
#else
     :: dead(v) -> reaps = true
#endif
     :: else
     fi;
     if
     :: reaps ->
#ifndef NO_FLUSH_AT_REAP
        flush(v);
#endif
#ifndef STATE_AFTER_DRAIN
        heaps[v].state = ORPHAN // R1
#endif
     :: else
     fi;
     if
     :: reaps || heaps[v].state == ORPHAN -> drain(v)
     :: else
     fi;
#ifdef STATE_AFTER_DRAIN
     if
     :: reaps -> heaps[v].state = ORPHAN
     :: else
     fi;
#endif
     release()
  :: !PENDING && visits == 0 -> break
  od;
  atomic { b = 0; i = 0; o = 0; v = 0; reaps = false }
}

proctype thread(byte mine) {
  byte pending[HEAPS];
  byte visits = 0;
  byte ops = OPS, lives = 1 + (_pid == 1) * (LIVES - 1);
  byte b = 0, i = 0, o = 0, v = 0;
  bool reaps = false;
  byte stage = 0; // 1: the key destructor runs, 2: other destructors, 3: gone
  do
  :: lives == 0 -> break
  :: lives != 0 ->
     settle();
     if
     :: stage == 1 ->
        if
        :: mine != NO_HEAP -> heaps[mine].state = LEAVING
        :: else
        fi;
        stage = 2
     // Free: F1 to F3.
     :: stage != 1 && ops > 0 && held != 0 ->
        atomic {
          if
          :: held & 1 -> b = 0
          :: held & 2 -> b = 1
          :: held & 4 -> b = 2
          :: held == 0 -> goto nothing
          fi;
          held = held & ~BIT(b);
          ops--
        }
        o = owner[SEGMENT_OF(b)];
        if
        :: o == mine -> put_home(b)
        :: o != mine && mine != NO_HEAP && stage == 0 -> heaps[mine].outbox[o] = heaps[mine].outbox[o] | BIT(b)
        :: o != mine && (mine == NO_HEAP || stage != 0) -> pending[o] = BIT(b)
        fi
     // Malloc from a page of one's own.
     :: stage != 1 && ops > 0 && mine != NO_HEAP && home != 0 ->
        atomic {
          if
          :: (home & 1) && owner[SEGMENT_OF(0)] == mine -> b = 0
          :: (home & 2) && owner[SEGMENT_OF(1)] == mine -> b = 1
          :: (home & 4) && owner[SEGMENT_OF(2)] == mine -> b = 2
          :: else -> goto nothing
          fi;
          ops--
        }
        write_begin(SEGMENT_OF(b));
        atomic {
          assert((home & BIT(b)) && !(held & BIT(b)));
          home = home & ~BIT(b);
          held = held | BIT(b);
          write_end(SEGMENT_OF(b))
        }
     // Malloc's slow path.
     :: stage != 1 && ops > 0 && mine != NO_HEAP ->
        ops--;
        flush(mine);
        drain(mine)
     // A slow path that reaps.
     :: stage != 1 && (dead(0) || dead(1) || dead(2)) ->
        atomic {
          for (i : 0 .. HEAPS - 1) {
            if
            :: dead(i) -> visits = visits | BIT(i)
            :: else
            fi
          }
          i = 0
        }
     // The first malloc: adopts an orphan, or makes a heap.
     :: stage == 0 && ops > 0 && mine == NO_HEAP ->
        ops--;
#ifndef ADOPT_UNLOCKED
        acquire();
#endif
        do
        :: i == HEAPS -> break
        :: i < HEAPS && (heaps[i].state == ORPHAN || heaps[i].state == NONE) ->
           mine = i;
           atomic { heaps[i].state = OWNED; heaps[i].gone = false }
           break
        :: i < HEAPS && heaps[i].state != ORPHAN && heaps[i].state != NONE -> i++
        od;
#ifndef ADOPT_UNLOCKED
        release()
#endif
     // Malloc needs a segment: C1, C2.
     :: stage == 0 && ops > 0 && mine != NO_HEAP ->
        ops--;
        acquire();
        do
        :: i == SEGMENTS -> break
        :: i < SEGMENTS && owner[i] != mine && heaps[owner[i]].state == ORPHAN ->
           write_begin(i);
           owner[i] = mine;
           write_end(i);
           break
        :: i < SEGMENTS && (owner[i] == mine || heaps[owner[i]].state != ORPHAN) -> i++
        od;
        release()
     // The key destructor; the last instruction and the next thread.
     :: stage == 0 ->
        stage = 1;
        if
        :: mine != NO_HEAP -> flush(mine)
        :: else
        fi
     :: stage != 1 ->
        atomic {
          if
          :: mine != NO_HEAP -> heaps[mine].gone = true
          :: else
          fi;
          mine = NO_HEAP;
          stage = 0;
          ops = OPS;
          lives--
        }
     fi;
   nothing:
     atomic { b = 0; o = 0; i = 0 }
  od;
  ended++
}

byte step, all;
inline check_orphans() {
  for (step : 0 .. HEAPS - 1) {
    assert(heaps[step].state != ORPHAN || (heaps[step].remote == 0 && heaps[step].inbox == 0))
  }
}
// The rest that some later thread does: reaps all, until nothing is left to push.
proctype last() {
  byte pending[HEAPS];
  byte visits = 0, b = 0, i = 0, o = 0, v = 0, mine = NO_HEAP, stage = 0;
  bool reaps = false;
  for (i : 0 .. HEAPS - 1) {
    if
    :: dead(i) -> visits = visits | BIT(i)
    :: else
    fi
  }
  settle();
  ended++
}

init {
  atomic {
    heaps[0].state = OWNED;
    heaps[1].state = OWNED;
    owner[0] = 0;
    owner[1] = 1;
    writer[0] = NOBODY;
    writer[1] = NOBODY;
    run thread(0);
    run thread(1);
#if THREADS > 2
    run thread(NO_HEAP);
#endif
  }
  ended == THREADS;
  check_orphans();
  run last();
  ended == THREADS + 1;
  check_orphans();
  assert((home | held) == ALL)
}
