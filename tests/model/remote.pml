// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.pml - remote frees, and heaps whose threads have ended. Mirrors runtime/heap/remote.c (push, drain, forward),
// runtime/heap/outbox.c (gather, flush), runtime/heap/orphans.c (add, visit, adopt, reclaim) and runtime/heap/threads.c (leave,
// reap).
//
// What outbox.c carries as addresses goes into the outbox at once: that is to gather and to pack in one step, one of the
// interleavings here.
//
// Threads allocate, free blocks of each other's heaps, drain, reclaim a dead thread's segment, leave, free on as destructors do,
// end, and are born again. A list of blocks is a set of bits: pushes by CAS and a take of everything commute, so their order says
// nothing. Each access of memory that others write is a step of its own, and all interleavings are tried. Memory is sequentially
// consistent here; the orders themselves are checked by loom.
//
// Checked: no block is in two places at once (asserts wherever one moves); only one thread at a time writes a page; when all
// threads have ended nothing lies on the list of an orphan without a note that it may; and after one more hold of the lock every
// freed block is in its page.
//
// short: THREADS=2 OPS=2 BLOCKS=2 LIVES=2
// long: THREADS=3 OPS=2 BLOCKS=2 LIVES=1
// long: THREADS=2 OPS=2 BLOCKS=3 LIVES=2
// long: THREADS=2 OPS=3 BLOCKS=2 LIVES=1
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
  byte gathered;     // what its thread has freed of others', and not put into an outbox: whose it is is asked when it is
  byte outbox[HEAPS]
};
heap heaps[HEAPS];
byte home = 0;         // blocks that are free in their pages
byte held = ALL;       // blocks that the program holds: any thread may free them
byte owner[SEGMENTS];  // page->fast, segment->heap
byte writer[SEGMENTS]; // who writes the plain fields of the segment's pages now
byte lock = NOBODY;
bool may_wait = false;  // something may wait for an orphan: the lock's next holder goes on with it
byte ended = 0;

#define acquire() atomic { lock == NOBODY -> lock = _pid }
#define release() lock = NOBODY
#ifdef REAP_AT_LEAVE
#define dead(h) ((heaps[h].gone || heaps[h].state == LEAVING) && heaps[h].state != ORPHAN)
#else
#define dead(h) (heaps[h].gone && heaps[h].state != ORPHAN)
#endif

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

// A push, and the look at the state. What the state asks for is done later: a visit, or, under the lock, a note for its next
// holder.
inline push(o, batch) {
  atomic {
    assert(!((heaps[o].remote | heaps[o].inbox | home | held) & (batch)));
    heaps[o].remote = heaps[o].remote | (batch);
    batch = 0
  }
#ifndef NO_VISIT
  if
  :: heaps[o].state == LEAVING || heaps[o].state == ORPHAN ->
     if
     :: lock == _pid -> may_wait = true
     :: else -> visits = visits | BIT(o)
     fi
  :: else
  fi
#endif
}

// Heap h's drain, by its owner or under the lock. A block whose page belongs to another heap goes there: into this thread's page,
// or is pushed.
inline drain(h) {
  if
  :: heaps[h].inbox == 0 -> atomic { heaps[h].inbox = heaps[h].remote; heaps[h].remote = 0 }
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
     if
#ifndef NO_FORWARD
     :: o != h && o != mine -> pending[o] = BIT(b); forward(o)
#endif
     :: else -> put_home(b)
     fi
  :: else -> break
  od
}
#ifdef FORWARD_BLIND
inline forward(o) { atomic { heaps[o].remote = heaps[o].remote | pending[o]; pending[o] = 0 } }
#else
inline forward(o) { push(o, pending[o]) }
#endif

// A block that heap h's thread gathered goes to its owner's outbox.
inline pack(h) {
  atomic {
    b = 0;
    do
    :: !(heaps[h].gathered & BIT(b)) -> b++
    :: else -> break
    od;
    heaps[h].gathered = heaps[h].gathered & ~BIT(b);
    o = owner[SEGMENT_OF(b)];
    heaps[h].outbox[o] = heaps[h].outbox[o] | BIT(b);
    b = 0;
    o = 0
  }
}
// What heap h's thread gathered, and its outboxes, are handed over.
inline flush(h) {
  do
  :: heaps[h].gathered != 0 -> pack(h)
  :: else -> break
  od;
  for (o : 0 .. HEAPS - 1) {
    if
    :: heaps[h].outbox[o] != 0 -> push(o, heaps[h].outbox[o])
    :: else
    fi
  }
  o = 0
}

// Reaps all whose life line is broken, takes back what waits for heap v if that is an orphan, and works on what was noted.
inline visit(v) {
  acquire();
  for (i : 0 .. HEAPS - 1) {
    if
    :: dead(i) -> // fhi_orphan_add
#ifndef NO_FLUSH_AT_REAP
       flush(i);
#endif
#ifndef STATE_AFTER_DRAIN
       heaps[i].state = ORPHAN;
#endif
       jobs = BIT(i);
       reaped = i
    :: else -> jobs = BIT(v); reaped = NO_HEAP
    fi;
    rounds = 0;
    do
    :: jobs != 0 ->
       atomic {
         j = 0;
         do
         :: !(jobs & BIT(j)) -> j++
         :: else -> break
         od;
         jobs = jobs & ~BIT(j)
       }
       if
       :: heaps[j].state == ORPHAN || j == reaped ->
          drain(j);
          may_wait = may_wait || heaps[j].remote != 0;
          heaps[j].state = ORPHAN // too late if it was not before
       :: else
       fi
    :: jobs == 0 && may_wait && rounds < 2 -> may_wait = false; rounds++; jobs = BIT(HEAPS) - 1 // work_on
    :: jobs == 0 && (!may_wait || rounds == 2) -> break
    od
  }
  i = 0;
  release()
}

// What this call still has to do before it returns.
inline settle() {
  do
  :: visits != 0 ->
     atomic {
       v = 0;
       do
       :: !(visits & BIT(v)) -> v++
       :: else -> break
       od;
       visits = visits & ~BIT(v)
     }
     visit(v)
  :: else -> break
  od;
  atomic { b = 0; i = 0; j = 0; o = 0; v = 0; rounds = 0; reaped = NO_HEAP }
}

proctype thread(byte mine) {
  byte pending[HEAPS];
  byte visits = 0;
  byte ops = OPS, lives = 1 + (_pid == 1) * (LIVES - 1);
  byte b = 0, i = 0, j = 0, o = 0, v = 0, jobs = 0, rounds = 0, reaped = NO_HEAP;
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
     // Free: into the page, an outbox, or pushed at once.
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
        :: o != mine && mine != NO_HEAP && stage == 0 -> heaps[mine].gathered = heaps[mine].gathered | BIT(b)
        // The table has no room for it: as if it had gone into the outbox at once.
        :: o != mine && mine != NO_HEAP && stage == 0 -> heaps[mine].outbox[o] = heaps[mine].outbox[o] | BIT(b)
        :: o != mine && (mine == NO_HEAP || stage != 0) -> pending[o] = BIT(b); push(o, pending[o])
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
        visits = 1
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
     // Malloc needs a segment: one of an orphan.
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

byte step;
inline check_orphans() {
  for (step : 0 .. HEAPS - 1) {
    assert(heaps[step].state != ORPHAN || (heaps[step].remote == 0 && heaps[step].inbox == 0) || may_wait)
  }
}
// What some later thread does: one hold of the lock.
proctype last() {
  byte pending[HEAPS];
  byte visits = 0, b = 0, i = 0, j = 0, o = 0, v = 0, jobs = 0, rounds = 0, reaped = NO_HEAP, mine = NO_HEAP, stage = 0;
  visit(v);
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
