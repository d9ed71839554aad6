// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reach.cpp - breadth first from the thread roots, strong ones before weak ones, objects in the order of their ids: the result is
// the same in every run, and From gives shortest chains.

#include "escape/Reach.h"
#include "Reasons.h"
#include "escape/Names.h"

using namespace llvm;

namespace freehold {

bool isGlobalRoot(const Program &P, const Solution &S, Index O) {
  const AbstractObject &A = S.Objects[O];
  return A.K == AbstractObject::Variable && !P.Objects[A.Source].ThreadLocal;
}

namespace {

class Closure {
public:
  Closure(const Program &P, const Solution &S) : P(P), S(S) {
    R.Of.resize(S.Objects.size(), Grade::None);
    R.From.resize(S.Objects.size(), None);
    R.Cause.resize(S.Objects.size());
  }
  Reach run() {
    for (Grade G : {Grade::Strong, Grade::Weak}) {
      seedThreadRoots(G);
      seedEscaped(G);
      if (G == Grade::Strong)
        seedGlobals();
      close(G);
    }
    return std::move(R);
  }

private:
  const Program &P;
  const Solution &S;
  Reach R;
  std::vector<Index> Queue;

  void seed(Index O, Grade G, RootCause Cause) {
    if (R.Of[O] != Grade::None)
      return;
    R.Of[O] = G;
    R.Cause[O] = std::move(Cause);
    Queue.push_back(O);
  }

  static Grade gradeOf(ReasonCode Code) { return isStrong(Code) ? Grade::Strong : Grade::Weak; }

  void seedThreadRoots(Grade G) {
    for (const ThreadRoot &T : S.Roots)
      if (gradeOf(T.Code) == G && T.Value != None)
        for (const Target &To : S.pointsTo(T.Value).known())
          seed(To.Object, G, {T.Code, T.Loc, T.Text});
  }

  void seedEscaped(Grade G) {
    for (Index O = 0; O < S.Objects.size(); ++O) {
      const AbstractObject &A = S.Objects[O];
      // A global is a root by its own right: that is the reason people understand.
      if (A.Escaped && gradeOf(A.EscapeCode) == G && !isGlobalRoot(P, S, O))
        seed(O, G, {A.EscapeCode ? A.EscapeCode : ReasonCode(203), A.EscapeLoc, A.EscapeText});
    }
  }

  void seedGlobals() {
    for (Index O = 0; O < S.Objects.size(); ++O)
      if (isGlobalRoot(P, S, O))
        seed(O, Grade::Strong, {101, P.Objects[S.Objects[O].Source].Loc, ""});
  }

  void close(Grade G) {
    for (size_t Next = 0; Next < Queue.size(); ++Next)
      for (Index To : S.knownContents(Queue[Next]))
        if (R.Of[To] == Grade::None) {
          R.Of[To] = G;
          R.From[To] = Queue[Next];
          Queue.push_back(To);
        }
    Queue.clear();
  }
};

} // namespace

Reach computeReach(const Program &P, const Solution &S) { return Closure(P, S).run(); }

} // namespace freehold
