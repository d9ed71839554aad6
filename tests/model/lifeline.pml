// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lifeline.pml - records of threads, and when a thread's heap may be given on. Mirrors runtime/heap/threads.c: attach, leave,
// fhi_threads_reap, scan_all, reap, fork_child.
//
// Threads make a heap at any moment of their lives, or never, or so late that no key destructor of ours runs any more; other
// destructors use the heap after ours; the kernel breaks the life line after the last instruction. Any thread may fork; then it
// goes on alone, in the child.
//
// Checked: whoever uses a heap is the only one that has it, to the last destructor; the lists of leaving and of unused records
// hold each record once; when all threads have ended and one more has come, every heap is an orphan.
//
// short: THREADS=2 LIVES=2
// long: THREADS=3 LIVES=1
// long: THREADS=2 LIVES=3
// mutation: REAP_AT_LEAVE (the key destructor gives the heap on)
// mutation: NO_SCAN (threads that never marked themselves are not looked for)
// mutation: SCAN_LEAVING (the scan reaps records that are on the list of leaving ones)
// mutation: LINE_UNLOCKED (a new record's life line is held only after the lock is given back)
// mutation: FORK_UNLOCKED (fork does not wait for the lock)

#define RECORDS (THREADS - 1 + LIVES) // and heaps: the first thread is born LIVES times
#define NONE 255

mtype = { FREE, HELD, BROKEN };
typedef record {
  bool alive, leaving;
  mtype line = FREE;
  byte heap = NONE;
  byte next_leaving = NONE, next_unused = NONE
};
record records[RECORDS];
byte made = 0; // records that exist; the heap of the same number came with it
byte leaving_list = NONE, unused_list = NONE;
bool orphan[RECORDS];
byte user[RECORDS]; // who has the heap: a thread, NONE
byte lock = NONE;
byte ended = 0;
byte survivor = NONE; // in a forked child: its only thread

#define acquire() atomic { lock == NONE -> lock = _pid }
#define release() lock = NONE

inline use_heap() {
  assert(records[mine].heap != NONE && user[records[mine].heap] == _pid && !orphan[records[mine].heap])
}

// Under the lock. The heap becomes an orphan, the record is used again.
inline reap(r) {
  if
  :: records[r].heap != NONE ->
     assert(!orphan[records[r].heap]);
     orphan[records[r].heap] = true;
     user[records[r].heap] = NONE
  :: else
  fi;
  records[r].heap = NONE;
  records[r].alive = false;
  records[r].next_unused = unused_list;
  unused_list = r
}

inline reap_leaving() {
  list = leaving_list;
  leaving_list = NONE;
  steps = 0;
  do
  :: list == NONE -> break
  :: else ->
     atomic {
       assert(steps < RECORDS); // else the list has a ring
       steps++;
       after = records[list].next_leaving;
       if
       :: !records[list].alive
       :: records[list].alive && records[list].line == BROKEN -> records[list].line = FREE; reap(list)
       :: records[list].alive && records[list].line != BROKEN ->
          records[list].next_leaving = leaving_list;
          leaving_list = list
       fi;
       list = after
     }
  od
}

// A line that nobody holds looks like a broken one: trylock succeeds.
inline scan_all() {
#ifndef NO_SCAN
  list = 0;
  do
  :: list >= made -> break
  :: else ->
     atomic {
       if
#ifdef SCAN_LEAVING
       :: records[list].alive && records[list].line != HELD -> reap(list)
#else
       :: records[list].alive && !records[list].leaving && records[list].line != HELD -> reap(list)
#endif
       :: else
       fi;
       list++
     }
  od;
  list = 0
#else
  skip
#endif
}

inline attach() {
  acquire();
  reap_leaving();
  if
  :: scan_all()
  :: true // not at each attach
  fi;
  atomic {
    if
    :: unused_list != NONE -> mine = unused_list; unused_list = records[mine].next_unused
    :: unused_list == NONE -> assert(made < RECORDS); mine = made; made++
    fi
  }
  atomic {
    records[mine].alive = true;
    records[mine].leaving = false;
    records[mine].heap = NONE
  }
#ifndef LINE_UNLOCKED
  records[mine].line = HELD;
#endif
  release();
#ifdef LINE_UNLOCKED
  records[mine].line = HELD;
#endif
  // adopt_or_make
  acquire();
  atomic {
    heap = 0;
    do
    :: heap < RECORDS && orphan[heap] -> break
    :: heap < RECORDS && !orphan[heap] -> heap++
    :: heap == RECORDS -> break
    od;
    if
    :: heap < RECORDS -> orphan[heap] = false
    :: else ->
       heap = 0;
       do
       :: user[heap] == NONE && !lost[heap] -> break
       :: else -> heap++
       od
    fi;
    assert(user[heap] == NONE);
    user[heap] = _pid;
    records[mine].heap = heap
  }
  release()
}

bool lost[RECORDS]; // in a forked child: heaps of the threads that stayed behind

inline fork_child() {
  atomic {
#ifdef FORK_UNLOCKED
    lock = NONE;
#else
    lock == NONE ->
#endif
    survivor = _pid;
    leaving_list = NONE;
    if
    :: mine != NONE && records[mine].leaving -> records[mine].next_leaving = NONE; leaving_list = mine
    :: else
    fi;
    for (list : 0 .. RECORDS - 1) {
      if
      :: list < made && list != mine && records[list].alive ->
         if
         :: records[list].heap != NONE -> lost[records[list].heap] = true
         :: else
         fi;
         records[list].heap = NONE;
         records[list].alive = false;
         records[list].next_unused = unused_list;
         unused_list = list
      :: else
      fi
    }
    list = 0
  }
}

proctype thread() {
  byte mine = NONE, lives = 1 + (_pid == 1) * (LIVES - 1), list = 0, after = 0, steps = 0, heap = 0;
  byte stage = 0; // 0: runs, 1: destructors, ours may still run, 2: ours will not run any more
  {
    do
    :: lives == 0 -> break
    :: lives != 0 && mine == NONE -> attach() // in any stage
    :: lives != 0 && mine != NONE -> use_heap()
    :: lives != 0 && stage < 2 -> stage++
    :: lives != 0 && stage == 1 && mine != NONE && !records[mine].leaving -> // leave
       acquire();
       atomic {
         records[mine].leaving = true;
         records[mine].next_leaving = leaving_list;
         leaving_list = mine
       }
#ifdef REAP_AT_LEAVE
       orphan[records[mine].heap] = true;
       user[records[mine].heap] = NONE;
#endif
       release()
    :: lives != 0 && survivor == NONE -> fork_child()
    :: lives != 0 -> // the last instruction
       atomic {
         if
         :: mine != NONE -> records[mine].line = BROKEN
         :: else
         fi;
         mine = NONE;
         stage = 0;
         lives--
       }
    od;
  } unless { survivor != NONE && survivor != _pid }; // stays behind in the parent
  ended++
}

// One more thread, whose attach scans: nothing is left behind.
proctype last() {
  byte list = 0, after = 0, steps = 0, i = 0;
  acquire();
  reap_leaving();
  scan_all();
  release();
  assert(leaving_list == NONE);
  for (i : 0 .. RECORDS - 1) {
    assert(user[i] == NONE || lost[i]);
    assert(i >= made || !records[i].alive)
  }
  list = unused_list;
  steps = 0;
  do
  :: list == NONE -> break
  :: else -> steps++; assert(steps <= made); list = records[list].next_unused
  od;
  assert(steps == made)
}

init {
  byte i;
  atomic {
    for (i : 0 .. RECORDS - 1) {
      user[i] = NONE
    }
    for (i : 1 .. THREADS) {
      run thread()
    }
  }
  ended == THREADS;
  run last()
}
