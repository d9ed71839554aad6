// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --summaries prints what is known of each module before the link, stored in an object or made of a source.
// RUN: rm -rf %t && mkdir %t && %freehold-cc -O2 -c %s -o %t/a.o
// RUN: %freehold analyze --summaries %t/a.o | FileCheck %s
// RUN: %freehold analyze --summaries %s | FileCheck %s
// CHECK: summary of "{{.*}}summaries.c": format {{[0-9]+}}, {{[0-9]+}} bytes,
// CHECK: symbol {{[0-9]+}} "kept" external object [[KEPT:[0-9]+]]
// CHECK: object o[[KEPT]] variable name "kept" {{.*}} size 8
// CHECK: function {{[0-9]+}} "keep" source "keep"
// CHECK: store {{.*}} width 8 at "{{.*}}summaries.c":[[@LINE+10]]:
// CHECK: call symbol "malloc" result v{{[0-9]+}} site 0, - constant 24 at
// CHECK: initialisers
// CHECK: site 0 id {{[0-9a-f]+}} call {{[0-9]+}} callee "malloc" size 24
// RUN: %S/Inputs/code %freehold analyze --summaries --format=json %s | FileCheck %s --check-prefix=ALONE
// ALONE: {{^}}freehold: error: --summaries go to standard output
// ALONE-NEXT: exit code 2
#include <stdlib.h>
void *kept;
void keep(void) {
  kept = malloc(24);
}
// RUN: %S/Inputs/code %freehold explain x.c:1 --summaries %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: {{^}}freehold: error: --summaries is an option of analyze
// EXPLAIN-NEXT: exit code 2
