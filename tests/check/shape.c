// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The range of the address is tested inline; only inside the local range the owner is asked for. Stack and variables are not
// checked.
// RUN: mkdir -p %t && %S/../rewrite/Inputs/compile %clang %plugin -- -O1 %s -o %t/a.o
// RUN: %S/../rewrite/Inputs/link %clang %plugin %models %t/a check=1 -- -O1 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-LABEL: define {{.*}}@touch(ptr
// CHECK: %[[P:.*]] = ptrtoint ptr %0 to i64
// CHECK-NEXT: %[[R:.*]] = lshr i64 %[[P]], 40
// CHECK-NEXT: %[[C:.*]] = icmp eq i64 %[[R]],
// CHECK-NEXT: br i1 %[[C]]
// CHECK: call void @fh_check_access(ptr %0, i64 8, ptr @{{.*}}, i32 1)
// CHECK-NOT: fh_check_access
// CHECK: ret void
long Global;
__attribute__((noinline)) void touch(long *p) {
  *p = 1;
  Global = 2;
}
int main(void) {
  long *volatile other = &Global;
  touch(other);
  return 0;
}
