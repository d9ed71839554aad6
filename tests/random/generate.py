# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# generate.py - one random multithreaded C program a seed. Its behaviour is defined and it has no race: all code between start and
# end of a thread runs under one mutex, given back only around joins. A block is freed by the function that made it, unless its
# address was stored, returned or handed over (its count `refs` says so, and knows no pointers): then it lives for ever. Who
# touches a block checks its cookie. Slots hold null or a block of their kind, in a coding of their own, so whatever order the
# threads run in, every access is right.
import random

import channels
import shapes

HEAD = """// made by tests/random/generate.py, seed %d
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
%s
struct head { uint64_t cookie; int refs, kind, site, thread; };
extern pthread_mutex_t big;
extern int budget, threads;
extern unsigned dice;
unsigned roll(unsigned n);
static inline void sure(int c) { if (!c) abort(); }
static inline void kept(void *p) { if (p) ((struct head *)p)->refs++; }
static inline void begin(void *p, size_t size, int kind) {
  sure(p != NULL);
  memset(p, 0, size);
  ((struct head *)p)->cookie = 0x5eed000000000000u + kind;
  ((struct head *)p)->kind = kind;
  MADE(p);
}
static inline void touch(void *p, int kind) {
  struct head *h = p;
  if (h) { sure(h->cookie == 0x5eed000000000000u + kind && h->kind == kind); SEEN(h); }
}
"""

# With -DORACLE a program says which calls of allocators made a block that another thread saw: "crossed FILE:LINE CALLEE". All
# code that allocates or looks at blocks holds the lock.
ORACLE = """#ifdef ORACLE
#include <stdio.h>
#include <unistd.h>
struct fact { const char *file, *callee; int line, crossed; };
extern struct fact facts[1024];
extern struct made { char *from, *to; int fact; } made[64];
extern unsigned newest;
static inline void *noted(void *p, size_t n, const char *file, int line, const char *callee) {
  int f = 1;
  while (facts[f].file && (facts[f].line != line || strcmp(facts[f].file, file) || strcmp(facts[f].callee, callee))) f++;
  facts[f] = (struct fact){file, callee, line, facts[f].crossed};
  made[newest++ % 64] = (struct made){p, (char *)p + n, f};
  return p;
}
static inline int made_by(void *p) {
  for (unsigned i = newest; i-- && newest - i <= 64;)
    if (made[i % 64].from <= (char *)p && (char *)p < made[i % 64].to) {
      int fact = made[i % 64].fact;
      made[i % 64].from = made[i % 64].to = NULL;
      return fact;
    }
  return 0;
}
#define malloc(n) noted(malloc(n), n, __FILE__, __LINE__, "malloc")
#define calloc(n, m) noted(calloc(n, m), (n) * (m), __FILE__, __LINE__, "calloc")
#define realloc(p, n) noted(realloc(p, n), n, __FILE__, __LINE__, "realloc")
#define aligned_alloc(a, n) noted(aligned_alloc(a, n), n, __FILE__, __LINE__, "aligned_alloc")
#define posix_memalign(p, a, n) (posix_memalign(p, a, n) || !noted(*(p), n, __FILE__, __LINE__, "posix_memalign"))
#define MADE(p) (((struct head *)(p))->site = made_by(p), ((struct head *)(p))->thread = gettid())
#define SEEN(h) (void)((h)->thread != gettid() && (facts[(h)->site].crossed = 1))
#else
#define MADE(p) (void)0
#define SEEN(h) (void)0
#endif"""

ORACLE_STATE = """#ifdef ORACLE
struct fact facts[1024];
struct made made[64];
unsigned newest;
__attribute__((destructor)) static void say(void) {
  for (int f = 1; facts[f].file; f++)
    if (facts[f].crossed) printf("crossed %s:%d %s\\n", facts[f].file, facts[f].line, facts[f].callee);
}
#endif"""

COMMON = """
pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
int budget = 4000, threads;
unsigned dice = %d;
unsigned roll(unsigned n) { dice = dice * 1664525 + 1013904223; return (dice >> 16) %% n; }
"""

# Allocation functions: name, definition. All give zeroed or not memory of `size` bytes.
WRAPPERS = {
    "x_plain": "static void *x_plain(size_t n) { void *p = malloc(n); sure(p != NULL); return p; }",
    "x_zero": "static void *x_zero(size_t n) { return calloc(n, 1); }",
    "x_deep": "static void *x_deep(size_t n) { return x_plain(n + 8); }",
    "x_deeper": "static void *x_deeper(size_t n) { return x_deep(n); }",
    "x_header": "static void *x_header(size_t n) { char *p = x_plain(n + 16); *(size_t *)p = n; return p + 16; }",
    "x_again": "static void *x_again(size_t n) { return n % 3 ? x_again(n + 1) : malloc(n); }",
    "x_aligned": "static void *x_aligned(size_t n) { return aligned_alloc(64, (n + 63) / 64 * 64); }",
    "x_grown": "static void *x_grown(size_t n) { void *p = malloc(8); return realloc(p, n); }",
    "x_out": "static void out_of(size_t n, void **to) { *to = malloc(n); }\n"
             "static void *x_out(size_t n) { void *p = NULL; out_of(n, &p); return p; }",
    "x_posix": "static void *x_posix(size_t n) { void *p; sure(posix_memalign(&p, 32, n) == 0); return p; }",
}
# Allocators whose block is not the pointer they give, or that may give a block twice: never freed.
KEPT = {"x_header"}
CODINGS = ["plain", "plain", "plain", "array", "array", "number", "tagged", "xor", "negated", "union", "bytes", "memcpy", "atomic", "exchange",
           "double", "nested", "relative", "halves", "closure"]


class Program:
    def __init__(self, seed):
        self.seed, self.r = seed, random.Random(seed)
        r = self.r
        self.kinds = r.randint(2, 4)
        self.fields = []
        self.leak = r.choice([0.02, 0.05, 0.1, 0.2])
        # Open functions do anything; sealed ones use no parameter, give no result and publish nothing; secret ones work for
        # sealed ones. So some blocks never leave their thread, and the sites of sealed and secret functions should be local.
        self.open, self.sealed = r.randint(3, 5), r.randint(1, 3)
        self.functions = self.open + self.sealed + r.randint(1, 3)
        self.entries = r.randint(1, 3)
        self.two_files = r.random() < 0.4
        self.temporary = 0
        self.channels = channels.choose(r, self.kinds)

    def kind(self):
        return self.r.randrange(self.kinds)

    def types(self):
        out = ["struct k%d;" % k for k in range(self.kinds)]
        for k in range(self.kinds):
            own, body = [], []
            for i in range(self.r.randint(2, 6)):
                to, coding = self.kind(), self.r.choice(CODINGS)
                own.append((i, to, coding))
                target = f"struct k{to} *"
                body.append({"plain": f"{target}f{i};", "array": f"{target}f{i}[4];", "union": f"union {{ {target}p; double d; char c[8]; }} f{i};",
                             "bytes": f"char pad{i}; unsigned char f{i}[8];", "memcpy": f"char f{i}[16];", "atomic": f"{target}_Atomic f{i};",
                             "exchange": f"_Atomic uintptr_t f{i};", "double": f"double f{i};",
                             "nested": f"struct {{ int n; struct {{ long pad; {target}p; }} in[2]; }} f{i};",
                             "halves": f"uint32_t f{i}[2];", "closure": f"struct {{ void *(*get)(void *); void *p; }} f{i};"}.get(coding, f"uintptr_t f{i};"))
                if self.r.random() < 0.2:
                    body.append(f"int pad_{i}[{self.r.randint(1, 5)}];")
            self.fields.append(own)
            out.append("struct b%d { %s };" % (k, " ".join(body)))
            out.append(f"struct k{k} {{ struct head head; struct b{k} b; }};")
        return out

    def store(self, at, field, value):
        """Statements that put value (of the field's kind, maybe null) where the lvalue `at` of struct bK is."""
        i, to, coding = field
        f = f"{at}.f{i}"
        bits = f"(uintptr_t){value}"
        n = self.r.randrange(4)
        s = {"plain": f"{f} = {value};", "array": self.r.choice([f"{f}[{n}] = {value};", f"{f}[roll(4)] = {value};",
                                                                f"{{ struct k{to} **at = {f} + {n}; *at = {value}; }}"]),
             "number": f"{f} = {bits};", "tagged": f"{f} = {bits} | {self.r.randint(0, 7)};", "xor": f"{f} = {bits} ^ 0x5a5a;",
             "negated": f"{f} = -{bits};", "union": f"{f}.p = {value};",
             "bytes": f"{{ struct k{to} *v = {value}; for (int i = 0; i < 8; i++) {f}[i] = ((unsigned char *)&v)[i]; }}",
             "memcpy": f"{{ void *v = {value}; memcpy({f} + {n}, &v, 8); {f}[15] = {n}; }}",
             "atomic": f"atomic_store(&{f}, {value});", "exchange": f"(void)atomic_exchange(&{f}, {bits});",
             "double": f"{{ struct k{to} *v = {value}; memcpy(&{f}, &v, 8); }}", "nested": f"{f}.in[{n // 2}].p = {value};",
             "relative": f"{f} = {value} ? {bits} - (uintptr_t)&{f} : 0;",
             "closure": f"{f}.p = {value}; {f}.get = {self.r.choice(['identity', 'first_of'])};",
             "halves": f"{f}[0] = (uint32_t){bits}; {f}[1] = (uint32_t)({bits} >> 32);"}[coding]
        return f"kept({value}); {s}"

    def load(self, at, field, result):
        i, to, coding = field
        f, t = f"{at}.f{i}", f"(struct k{to} *)"
        n = self.r.randrange(4)
        return {"plain": f"{result} = {f};", "array": self.r.choice([f"{result} = {f}[{n}];", f"{result} = {f}[roll(4)];"]),
                "number": f"{result} = {t}{f};", "tagged": f"{result} = {t}({f} & ~(uintptr_t)7);",
                "xor": f"{result} = {t}({f} ? {f} ^ 0x5a5a : 0); if ((uintptr_t){result} == 0x5a5a) {result} = NULL;",
                "negated": f"{result} = {t}-{f};", "union": f"memcpy(&{result}, {f}.c, 8);",
                "bytes": f"for (int i = 0; i < 8; i++) ((unsigned char *)&{result})[i] = {f}[i];",
                "memcpy": f"memcpy(&{result}, {f} + {f}[15], 8);",
                "atomic": f"{result} = atomic_load(&{f});", "exchange": f"{result} = {t}atomic_fetch_add(&{f}, 0);",
                "double": f"memcpy(&{result}, &{f}, 8);", "nested": f"{result} = {f}.in[{n // 2}].p;",
                "relative": f"{result} = {f} ? {t}((uintptr_t)&{f} + {f}) : NULL;",
                "closure": f"{result} = {f}.get ? {f}.get({f}.p) : NULL;",
                "halves": f"{result} = {t}((uintptr_t){f}[1] << 32 | {f}[0]);"}[coding].replace("= (struct", "= (struct") + \
            (f" if ({result} == (struct k{to} *)0x5a5a) {result} = NULL;" if coding == "xor" else "")

    def visitors(self):
        """Functions that touch what a block leads to."""
        out = [f"static void visit{k}(struct k{k} *p, int depth);" for k in range(self.kinds)]
        for k in range(self.kinds):
            out.append(f"static void visit{k}(struct k{k} *p, int depth) {{")
            out.append(f"  if (!p || !depth || budget-- < 0) return; touch(p, {k});")
            for field in self.fields[k]:
                out.append(f"  {{ struct k{field[1]} *q = NULL; {self.load('p->b', field, 'q')} visit{field[1]}(q, depth - 1); }}")
            out.append("}")
        return out

    def name(self, prefix):
        self.temporary += 1
        return f"{prefix}{self.temporary}"

    def statement(self, f, variables, depth):
        """A list of lines; variables: (name, kind) that are in scope, extended as we go."""
        r = self.r
        pick = lambda k=None: r.choice([v for v in variables if k is None or v[1] == k] or [("NULL", k)])
        what = r.random()
        v = pick()
        if what < 0.17 or not variables:
            return self.allocate(variables)
        if what < 0.45 and v[0] != "NULL":
            field = r.choice(self.fields[v[1]])
            return [f"if ({v[0]}) {{ {self.store(v[0] + '->b', field, pick(field[1])[0])} }}"]
        if what < 0.63 and v[0] != "NULL":
            field, result = r.choice(self.fields[v[1]]), self.name("v")
            variables.append((result, field[1]))
            return [f"struct k{field[1]} *{result} = NULL;", f"if ({v[0]}) {{ {self.load(v[0] + '->b', field, result)} }}",
                    f"touch({result}, {field[1]});"]
        if what < 0.70:
            first = f + 1 if f < self.open else max(f + 1, self.open + self.sealed)
            later = list(range(first, self.open + self.sealed if f < self.open else self.functions))
            if later:
                return self.call(r.choice(later), variables, pick)
        if what < 0.70 + self.leak and f < self.open:
            return self.publish(f, v, variables, pick)
        if what < 0.92:
            return self.more(f, v, variables, depth, pick)
        return [f"touch({v[0]}, {v[1]});"]

    def allocate(self, variables):
        r, k = self.r, self.kind()
        o = self.name("o")
        way = r.choice(list(WRAPPERS) + ["malloc", "calloc"] * 5 + ["table", "ensure"])
        size = f"sizeof(struct k{k})"
        call = {"malloc": f"malloc({size})", "calloc": f"calloc(1, {size})", "table": f"table[roll(2)].make({size})",
                "ensure": f"ensure(NULL, {size})"}.get(way, f"{way}({size})")
        if way not in KEPT:
            self.owned.append(o)
        variables.append((o, k))
        self.declared.append(f"struct k{k} *{o} = NULL;")
        # In a loop the block of the turn before is given up: it leaks, unless nobody kept it.
        drop = f"if ({o} && {o}->head.refs == 0) free({o}); " if way not in KEPT else ""
        return [f"{drop}{o} = {call}; begin({o}, {size}, {k});"]

    def call(self, g, variables, pick):
        r = self.r
        result, kinds = self.name("v"), self.signature[g]
        args = ", ".join(pick(k)[0] for k in kinds[1:])
        how = r.random()
        callee = f"f{g}" if how < 0.7 else f"hooks.h{g}"
        variables.append((result, kinds[0]))
        return [f"struct k{kinds[0]} *{result} = budget-- > 0 ? {callee}({args}) : NULL;", f"touch({result}, {kinds[0]});"]

    def publish(self, f, v, variables, pick):
        r, k = self.r, self.kind()
        how, a = r.randrange(10), pick(k)[0]
        result = self.name("v")
        if how > 6:  # through libc or the kernel
            n, _, k = r.choice(self.channels)
            if how == 7:
                variables.append((result, k))
                return [f"struct k{k} *{result} = get{n}_();", f"touch({result}, {k});"]
            a = pick(k)[0]
            return [f"kept({a}); set{n}_({a});"]
        read = lambda e: [f"struct k{k} *{result} = {e};", f"touch({result}, {k});"]
        if how == 0:
            return [f"kept({a}); g{k} = {a};"]
        if how == 1:
            variables.append((result, k))
            return read(f"g{k}")
        if how == 2:
            return [f"kept({a}); ring{k}[roll(4)] = (uintptr_t){a} + 1;"]
        if how == 3:
            variables.append((result, k))
            return [f"uintptr_t {result}_ = ring{k}[roll(4)];"] + read(f"(struct k{k} *)({result}_ ? {result}_ - 1 : 0)")
        if how == 4:
            return [f"kept({a}); pthread_setspecific(key{k}, {a});"]
        if how == 5:
            variables.append((result, k))
            return read(f"pthread_getspecific(key{k})")
        e = r.randrange(self.entries)
        to, back = self.entry_kinds[e]
        variables.append((result, back))
        a, t = pick(to)[0], self.name("t")
        held = self.name("s")
        return [f"struct k{back} *{result} = NULL;", f"if (threads < 12) {{ pthread_t {t}; void *{held} = NULL; threads++; kept({a});",
                f"  sure(pthread_create(&{t}, NULL, entry{e}, {a}) == 0); pthread_mutex_unlock(&big);",
                f"  sure(pthread_join({t}, &{held}) == 0); pthread_mutex_lock(&big); {result} = {held}; }}", f"touch({result}, {back});"]

    def handed(self, name, share):
        """Lines that hand a block to some of the channels."""
        return [f"{{ struct k{k} *{name} = malloc(sizeof *{name}); begin({name}, sizeof *{name}, {k}); kept({name}); set{n}_({name}); }}"
                for n, _, k in self.channels if self.r.random() < share]

    def more(self, f, v, variables, depth, pick):
        r, k = self.r, self.kind()
        how = r.randrange(12)
        result = self.name("v")
        side = "" if f < self.open else "_secret"
        if how == 0:  # what is stored in thread-local memory
            a = pick(k)[0]
            return [f"kept({a}); own{k}{side} = {a};"]
        if how == 1:
            variables.append((result, k))
            return [f"struct k{k} *{result} = own{k}{side};", f"touch({result}, {k});"]
        if how == 2 and v[0] != "NULL":  # a copy of all fields; relative slots would change their meaning
            w = pick(v[1])[0]
            if w != "NULL" and all(c != "relative" for _, _, c in self.fields[v[1]]):
                return [f"if ({v[0]} && {w} && {v[0]} != {w}) " + r.choice([f"{v[0]}->b = {w}->b;", f"memcpy(&{v[0]}->b, &{w}->b, sizeof {w}->b);"])]
        if how == 3:  # a structure on the stack
            field = r.choice(self.fields[k])
            s = self.name("s")
            variables.append((result, field[1]))
            return [f"struct b{k} {s}; memset(&{s}, 0, sizeof {s}); struct k{field[1]} *{result} = NULL;", self.store(s, field, pick(field[1])[0]),
                    self.load(s, field, result), f"touch({result}, {field[1]});"]
        if how == 4 and depth < 2:
            inner = list(variables)
            lines = [x for _ in range(r.randint(1, 3)) for x in self.statement(f, inner, depth + 1)]
            return [r.choice([f"if (roll(2)) {{", f"for (int i{self.name('')} = 0, n = 2; n--; ) {{"])] + ["  " + x for x in lines] + ["}"]
        if how == 5:
            a = [pick(k)[0] for _ in range(2)]
            variables.append((result, k))
            return [f"struct k{k} *{result} = anyone{side}(2, {a[0]} ? {a[0]} : (struct k{k} *)NULL, (void *){a[1]});", f"touch({result}, {k});"]
        if how in (7, 8, 9):
            names = [pick(k)[0] for _ in range(3)]
            variables.append((result, k))
            return shapes.use(r, k, side, names, result, self.name("l")) + [f"touch({result}, {k});"]
        if how == 10:
            a = pick(k)[0]
            variables.append((result, k))
            return [f"struct k{k} *{result} = through{side}({a});", f"touch({result}, {k});"]
        a = pick(k)[0]
        variables.append((result, k))
        return [f"struct k{k} *{result} = identity{side}({a});", f"touch({result}, {k});"]

    def function(self, f):
        kinds = self.signature[f]
        sealed = self.open <= f < self.open + self.sealed
        variables = [] if sealed else [(f"a{i}", k) for i, k in enumerate(kinds[1:])]
        self.owned, self.declared = [], []
        lines = [x for _ in range(self.r.randint(6, 14)) for x in self.statement(f, variables, 0)]
        result = self.r.choice([v for v in variables if v[1] == kinds[0] and not sealed] or [("NULL", 0)])[0]
        parameters = ", ".join(f"struct k{k} *a{i}" for i, k in enumerate(kinds[1:]))
        end = [f"kept({result});"] + [f"if ({o} && {o}->head.refs == 0) free({o});" for o in self.owned] + [f"return {result};"]
        return [f"{self.linkage}struct k{kinds[0]} *f{f}({parameters}) {{"] + ["  " + x for x in self.declared + lines + end] + ["}"]

    def files(self):
        """Name to text."""
        r = self.r
        self.linkage = "" if self.two_files else "static "
        head = [HEAD % (self.seed, ORACLE), channels.HELPERS] + self.types()
        self.signature = [[self.kind() for _ in range(r.randint(2, 4))] for _ in range(self.functions)]
        self.entry_kinds = [(self.kind(), self.kind()) for _ in range(self.entries)]
        extern = "extern " if self.two_files else ""
        state = []
        for k in range(self.kinds):
            state += [f"struct k{k} *g{k};", f"uintptr_t ring{k}[4];", f"pthread_key_t key{k};", f"__thread struct k{k} *own{k};", f"__thread struct k{k} *own{k}_secret;"]
        state += channels.state(self.channels)
        prototypes = ["static void *identity(void *p);", "static void *first_of(void *p);"]
        for f, kinds in enumerate(self.signature):
            prototypes.append(f"{self.linkage}struct k{kinds[0]} *f{f}(" + ", ".join(f"struct k{k} *" for k in kinds[1:]) + ");")
        for e in range(self.entries):
            prototypes.append(f"{self.linkage}void *entry{e}(void *);")
        members = " ".join(f"struct k{kinds[0]} *(*h{f})(" + ", ".join(f"struct k{k} *" for k in kinds[1:]) + ");"
                           for f, kinds in enumerate(self.signature))
        hooks = f"struct hooks {{ {members} }};"
        filled = "struct hooks hooks = {" + ", ".join(f"f{f}" for f in range(self.functions)) + "};"
        helpers = list(WRAPPERS.values()) + [
            "static void *ensure(void *p, size_t n) { return p ? p : x_plain(n); }",
            "struct maker { void *(*make)(size_t); };", "static struct maker table[2] = {{x_plain}, {malloc}};",
            "static void *identity(void *p) { return p; }", "static void *first_of(void *p) { void *a[2] = {p, NULL}; return *a; }", "static void *identity_secret(void *p) { return p; }"] + [
            f"static void *anyone{side}(int n, ...) {{ va_list l; va_start(l, n); void *p = NULL; for (int i = 0; i < n; i++) {{ void *q = va_arg(l, void *); "
            "if (q && (!p || roll(2))) p = q; } va_end(l); return p; }" for side in ("", "_secret")] + channels.functions(r, self.channels) + shapes.helpers(self.kinds) + self.visitors()
        bodies = [self.function(f) for f in range(self.functions)]
        entries = []
        for e, (to, back) in enumerate(self.entry_kinds):
            self.owned, self.declared = [], []
            variables = [("a", to)]
            look = [f"visit{to}(a, 3);"] + [f"visit{k}(g{k}, 3);" for k in range(self.kinds)] + \
                   [f"for (int i = 0; i < 4; i++) visit{k}((struct k{k} *)(ring{k}[i] ? ring{k}[i] - 1 : 0), 2);" for k in range(self.kinds)]
            look += [f"visit{k}(get{n}_(), 2);" for n, _, k in self.channels] + self.handed("y", 0.5)
            f = r.randrange(self.open)
            lines = [x for _ in range(r.randint(3, 8)) for x in self.statement(f, variables, 0)]
            result = r.choice([v for v in variables if v[1] == back] or [("NULL", 0)])[0]
            end = [f"kept({result});"] + [f"if ({o} && {o}->head.refs == 0) free({o});" for o in self.owned]
            leave = r.choice([f"return {result};", f"return {result};", f"pthread_exit({result});"])
            entries.append([f"{self.linkage}void *entry{e}(void *arg) {{", f"  struct k{to} *a = arg;", "  pthread_mutex_lock(&big);", f"  touch(a, {to});"] + ["  " + x for x in look]
                           + ["  " + x for x in self.declared + lines + end] + ["  pthread_mutex_unlock(&big);", "  " + leave, "}"])
        drops = [f"static void drop{k}(void *p) {{ pthread_mutex_lock(&big); touch(p, {k}); pthread_mutex_unlock(&big); }}" for k in range(self.kinds)]
        start = ["int main(void) {"] + [f"  sure(pthread_key_create(&key{k}, drop{k}) == 0);" for k in range(self.kinds)] + ["  pthread_t t[4];"]
        start += channels.start(self.channels) + ["  pthread_mutex_lock(&big);"] + ["  " + x for x in self.handed("z", 0.8)]
        for i in range(r.randint(2, 4)):
            e = r.randrange(self.entries)
            to = self.entry_kinds[e][0]
            start.append(f"  struct k{to} *x{i} = malloc(sizeof *x{i}); begin(x{i}, sizeof *x{i}, {to}); kept(x{i});")
            field = r.choice([x for x in self.fields[to]])
            start.append(f"  {{ struct k{field[1]} *y = malloc(sizeof *y); begin(y, sizeof *y, {field[1]}); {self.store(f'x{i}->b', field, 'y')} }}")
            start.append(f"  sure(pthread_create(&t[{i}], NULL, entry{e}, x{i}) == 0);")
            start.append(f"  (void)f{r.randrange(self.open)}({{}});".replace("{}", "%s"))
            kinds = self.signature[int(start[-1].split("f", 1)[1].split("(")[0])]
            start[-1] = start[-1] % ", ".join("NULL" for _ in kinds[1:])
        count = sum("pthread_create(&t[" in x for x in start)
        start += ["  pthread_mutex_unlock(&big);", f"  for (int i = 0; i < {count}; i++) {{ void *p; sure(pthread_join(t[i], &p) == 0); }}", "  pthread_mutex_lock(&big);"]
        start += [f"  visit{k}(get{n}_(), 2);" for n, _, k in self.channels] + ["  pthread_mutex_unlock(&big);", "  return 0;", "}"]
        flat = lambda groups: [x for g in groups for x in g]
        if not self.two_files:
            own = ["static " + x for x in state]
            text = head + own + prototypes + [hooks, "static " + filled] + helpers + [ORACLE_STATE, COMMON % (self.seed + 7)] + drops + flat(bodies + entries) + start
            return {"main.c": "\n".join(text) + "\n"}
        shared = head + ["extern " + x for x in state] + prototypes + [hooks, "extern struct hooks hooks;"] + helpers
        first = ['#include "program.h"', ORACLE_STATE, COMMON % (self.seed + 7)] + state + [filled] + drops + flat(bodies[::2] + entries[1::2]) + start
        second = ['#include "program.h"'] + flat(bodies[1::2] + entries[::2])
        return {"program.h": "\n".join(shared) + "\n", "main.c": "\n".join(first) + "\n", "other.c": "\n".join(second) + "\n"}


def generate(seed):
    return Program(seed).files()
