// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// no_fsgsbase.c - preloaded, it makes the machine one whose kernel does not let programs set %gs by an instruction.
__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type) {
  (void)type;
  return 0; // nothing else of these tests asks
}
