// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hungry.c - a library that insists on static TLS. `freehold doctor` loads copies of it whose TLS segment it has made larger, and
// so finds how much the loader has left.
static _Thread_local volatile char Bytes[8] __attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) char fh_probe_hungry(void) { return Bytes[0]; }
