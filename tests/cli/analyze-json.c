// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON report equals its golden file byte for byte but for ids and LLVM's patch level, twice, and fits the schema.
// RUN: %freehold analyze --base=%S --format=json %S/Inputs/shared.c > %t.json
// RUN: %S/Inputs/golden %S/Inputs/shared.json < %t.json
// RUN: %freehold analyze --base=%S -o %t.2.json %S/Inputs/shared.c
// RUN: diff %t.json %t.2.json
// RUN: python3 %S/Inputs/validate.py %S/../../docs/report-schema.json %t.json
// RUN: %freehold analyze --timings --format=json %S/Inputs/shared.c > %t.3.json
// RUN: python3 %S/Inputs/validate.py %S/../../docs/report-schema.json %t.3.json
// RUN: FileCheck %s --check-prefix=TIMES < %t.3.json
// TIMES:      "timings": {
// TIMES-NEXT:   "read": {{[0-9.e-]+}},
// TIMES-NEXT:   "solve": {{[0-9.e-]+}},
// TIMES-NEXT:   "verdicts": {{[0-9.e-]+}},
// TIMES-NEXT:   "peak_rss_mb": {{[0-9]+$}}
