// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hungry.c - a library that insists on BYTES of static TLS.
static _Thread_local volatile char Bytes[BYTES] __attribute__((tls_model("initial-exec")));

__attribute__((visibility("default"))) char hungry(int i) { return Bytes[i]; }
