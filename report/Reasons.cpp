// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons.cpp - the table of reason codes. A code is never given a second meaning; new ones are added at the end of their group.

#include "Reasons.h"

using namespace llvm;

namespace freehold {

static const ReasonInfo Table[] = {
    // FH1xx: reaches another thread.
    {101, "in a global that several threads may access", "make the global thread-local, or keep the pointer in a local variable"},
    {102, "the argument of a new thread", "give the thread a copy made by itself, or pass the data by value"},
    {103, "the result of a thread", "let the thread that needs the block allocate it"},
    {104, "the payload of a signal, timer, message or asynchronous request", "hand over an index instead of the pointer"},
    {105, "published through another thread's stack or thread-local storage",
     "keep the address of thread-local storage inside its thread"},
    {106, "part of an exception, future or coroutine that may move to another thread", "copy the data out before it moves"},
    {107, "reached by a handler or destructor that another thread may run", "free it before the thread ends"},
    {108, "accessed by another class of threads, or by one that may have many instances", "let one thread do all accesses"},
    {109, "shared by the threads of an OpenMP team or task", "make it private to the team's member"},
    // FH2xx: not understood.
    {201, "hidden in an integer or in bytes", "keep the pointer in a variable of pointer type"},
    {202, "given to inline or module assembly", "move the assembly out of the pointer's way, or write it in C"},
    {203, "given to an instruction, intrinsic or constant that is not modelled", "use a plainer construct"},
    {204, "given to a call through an unknown pointer", "call the function directly"},
    {205, "from an allocator that the program replaces or wraps", "leave malloc to Freehold"},
    {206, "in reach of code that switches stacks", "keep it out of fibres"},
    {207, "not decided within the budget", "raise the limit"},
    {208, "made inside a library, so its call cannot be rewritten", "allocate it in the program"},
    {209, "from a call whose id the optimiser lost or merged", "tell apart the two allocations that were merged"},
    {210, "in a set of more objects behind one pointer than are told apart", "keep apart what has nothing to do with each other"},
    // FH3xx: an external keeps it.
    {301, "passed to a function without a model", "add a model for the function (models/), or build its source with freehold-cc"},
    {302, "kept by a library", "give the library a copy"},
    {303, "in reach of an exported symbol or of a plain object in the link",
     "hide the symbol, or build that object with freehold-cc"},
    {304, "written to a file, pipe, socket or shared memory", "write the data, not the pointer"},
    {305, "kept by the kernel", "give the kernel memory of a shared site"},
    {306, "passed to code in the link that has no bitcode", "compile that file with freehold-cc"},
    // FH9xx: assumptions.
    {901, "only main and exported symbols are entered from outside", ""},
    {902, "no out-of-bounds access, use after free, data race or uninitialised read decides a pointer", ""},
    {903, "calls match the signature of the function they reach", ""},
    {904, "strong definitions are not interposed", ""},
    {905, "nobody writes this process's memory from outside", ""},
};

ArrayRef<ReasonInfo> reasonTable() { return Table; }

const ReasonInfo *findReason(unsigned Code) {
  for (const ReasonInfo &R : Table)
    if (R.Code == Code)
      return &R;
  return nullptr;
}

const ReasonInfo *findReason(StringRef Code) {
  unsigned N = 0;
  if (!Code.consume_front("FH") || Code.getAsInteger(10, N))
    return nullptr;
  return findReason(N);
}

StringRef reasonPage(StringRef Code) {
  static const std::pair<StringLiteral, StringLiteral> Pages[] = {
#include "ReasonPages.inc"
  };
  for (const auto &[Name, Text] : Pages)
    if (Name == Code)
      return Text;
  return "";
}

std::string reasonName(unsigned Code) { return "FH" + std::to_string(Code); }

} // namespace freehold
