// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reuse.pml - stacks and records that are used again. Mirrors runtime/heap/threads.c: attach, register_exit, leave,
// fhi_threads_reap, scan_all; and glibc: the key's value lies in the stack, is taken out before a destructor is called, and is
// not cleared when the stack goes to a new thread.
//
// A thread uses the heap whenever it likes: before its destructors, in them, or after the last, when libc frees the vectors of
// other stacks under its cache's lock. Then its stack is another thread's, and its record, once the life line is seen broken,
// too.
//
// Checked: `leave` runs on the caller's own record alone; a thread that used the heap before its destructors ran marks its
// record; who gets a record, or is reaped, has no thread behind it; when all have ended and one more has come, no record is left.
//
// short: STACKS=2 LIVES=3
// long: STACKS=2 LIVES=5
// long: STACKS=3 LIVES=3
// mutation: UNLESS_NULL (the value is stored only where there is none, as if one that is there were the thread's own)
// mutation: LEAVE_ANY (leave believes its argument)
// mutation: LINE_UNASKED (a record is given on once its thread has marked itself, life line or not)

#define RECORDS (STACKS + LIVES)
#define NONE 255

typedef record {
  bool alive, leaving, held
};
record records[RECORDS];
byte made = 0;
byte value[STACKS]; // of our key, in the stack
byte owner[RECORDS]; // the life whose record it is
bool busy[STACKS];   // a thread runs on it, to the kernel's last word
byte lives = 0, ended = 0;
byte lock = NONE;

#define acquire() atomic { lock == NONE -> lock = _pid }
#define release() lock = NONE

inline reap_and_take() {
  acquire();
  atomic {
    r = 0;
    do
    :: r >= made -> break
    :: else ->
       if
#ifdef LINE_UNASKED
       :: records[r].alive && (records[r].leaving || !records[r].held) ->
#else
       :: records[r].alive && !records[r].held -> // on the list of leaving ones, or found by the scan
#endif
          assert(owner[r] == NONE);
          records[r].alive = false
       :: else
       fi;
       r++
    od;
    r = 0;
    do
    :: r < made && records[r].alive -> r++
    :: else -> break
    od;
    if
    :: r == made -> assert(made < RECORDS); made++
    :: else
    fi;
    assert(owner[r] == NONE);
    mine = r;
    owner[mine] = _pid;
    records[mine].alive = true;
    records[mine].leaving = false;
    records[mine].held = true;
    r = 0
  }
  release()
}

// pthread_getspecific, then pthread_setspecific: of the thread's own stack, so one step is as good.
inline register_exit() {
  atomic {
    if
    :: records[mine].leaving
#ifdef UNLESS_NULL
    :: !records[mine].leaving && value[stack] == NONE -> value[stack] = mine
    :: !records[mine].leaving && value[stack] != NONE
#else
    :: !records[mine].leaving -> value[stack] = mine
#endif
    fi
  }
}

inline leave(argument) {
  if
#ifndef LEAVE_ANY
  :: argument != mine // left on this stack by another
#endif
  :: else ->
     assert(argument == mine && owner[argument] == _pid);
     if
     :: !records[argument].leaving -> acquire(); records[argument].leaving = true; release()
     :: else
     fi
  fi
}

// Stages: 0 runs; 1 destructors, two rounds of them; 2 after the last one.
proctype thread(byte stack) {
  byte mine = NONE, r = 0, stage = 0, rounds = 0, argument = NONE;
  bool early = false; // it used the heap before its destructors
  do
  :: mine == NONE -> // a malloc or a free
     reap_and_take();
     register_exit();
     early = stage == 0
  :: stage == 0 -> stage = 1
  :: stage == 1 && value[stack] != NONE && rounds < 2 -> // our key's turn in a round
     atomic { argument = value[stack]; value[stack] = NONE; rounds++ }
     leave(argument)
  :: stage == 1 && (value[stack] == NONE || rounds == 2) -> // no value is left, or it was the last round, and all are cleared
     atomic { value[stack] = NONE; stage = 2 }
     assert(!early || records[mine].leaving)
  :: stage == 2 ->
     atomic { // the kernel: the life line, then the id. From here on the stack may be used again.
       if
       :: mine != NONE -> records[mine].held = false; owner[mine] = NONE
       :: else
       fi;
       busy[stack] = false;
       ended++
     }
     break
  od
}

// One more thread, whose attach looks at all: nothing is left behind.
proctype last() {
  byte mine = NONE, r = 0, stack = 0, i = 0;
  reap_and_take();
  for (i : 0 .. RECORDS - 1) {
    assert(i == mine || !records[i].alive)
  }
}

init {
  byte s = 0;
  atomic {
    for (s : 0 .. RECORDS - 1) {
      owner[s] = NONE
    }
    for (s : 0 .. STACKS - 1) {
      value[s] = NONE
    }
  }
  do
  :: lives == LIVES -> break
  :: lives < LIVES -> // on any stack that is free
     atomic {
       s = 0;
       do
       :: s < STACKS - 1 -> s++
       :: break
       od;
       if
       :: !busy[s] -> busy[s] = true; lives++; run thread(s)
       :: else
       fi
     }
  od;
  ended == LIVES;
  run last()
}
