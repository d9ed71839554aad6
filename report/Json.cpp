// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Json.cpp - freehold-report/1 out and in. The order of keys is part of the schema (docs/report-schema.md), so that two reports
// of equal inputs are equal byte for byte. Names come from the user's files: bytes that are no UTF-8 are replaced.

#include "llvm/Support/JSON.h"
#include "Reasons.h"
#include "Report.h"
#include "llvm/Config/llvm-config.h"

using namespace llvm;

namespace freehold {

static constexpr char Schema[] = "freehold-report/1";

static json::Value text(StringRef S) { return json::isUTF8(S) ? json::Value(S.str()) : json::Value(json::fixUTF8(S)); }

static const char *name(Verdict V) { return V == Verdict::Local ? "local" : V == Verdict::Shared ? "shared" : "unknown"; }

static void printReason(const Reason &Why, json::OStream &J) {
  J.attributeObject("reason", [&] {
    J.attribute("code", text(Why.Code));
    J.attribute("text", text(Why.Text));
    J.attributeArray("path", [&] {
      for (const Step &S : Why.Path)
        J.object([&] {
          J.attribute("file", text(S.File));
          J.attribute("line", S.Line);
          J.attribute("what", text(S.What));
        });
    });
  });
}

static void printSite(const SiteReport &S, json::OStream &J) {
  J.attribute("id", text(S.Id));
  J.attribute("file", text(S.File));
  J.attribute("line", S.Line);
  J.attribute("column", S.Column);
  J.attribute("function", text(S.Function));
  J.attribute("callee", text(S.Callee));
  J.attribute("size", S.Size ? json::Value(*S.Size) : json::Value(nullptr));
  J.attributeArray("context", [&] {
    for (const Frame &F : S.Context)
      J.object([&] {
        J.attribute("file", text(F.File));
        J.attribute("line", F.Line);
        J.attribute("column", F.Column);
        J.attribute("function", text(F.Function));
      });
  });
  J.attribute("verdict", name(S.V));
  J.attribute("rule", S.Rule.empty() ? json::Value(nullptr) : text(S.Rule));
  J.attribute("rewritten", S.Rewritten);
  if (!S.NotRewritten.empty())
    J.attribute("not_rewritten", text(S.NotRewritten));
  if (S.Why)
    printReason(*S.Why, J);
  else
    J.attribute("reason", nullptr);
}

/// What every verdict rests on alike, so that no place can be counted: docs/soundness.md has them in full.
static constexpr struct {
  const char *Code, *Text;
} Assumed[] = {
    {"FH902",
     "a pointer stays in its object, constant objects are not written; indeterminate values and data races decide nothing"},
    {"FH902", "no address is found by comparing it with other addresses, its bytes with strings, or by the length of a string"},
    {"FH904", "library functions are glibc's and do what their models say; what dies in one comes back from none"},
    {"FH905", "nobody writes this process's memory from outside, or takes an address from /proc"},
};

static void printTool(const Report &R, json::OStream &J) {
  J.attributeObject("tool", [&] {
    J.attribute("version", text(R.Version.empty() ? FREEHOLD_VERSION : R.Version));
    J.attribute("llvm", text(R.LLVMVersion.empty() ? LLVM_VERSION_STRING : R.LLVMVersion));
  });
}

static void printHead(const Report &R, json::OStream &J) {
  J.attribute("schema", Schema);
  printTool(R, J);
  J.attributeObject("program", [&] {
    J.attribute("name", text(R.ProgramName));
    J.attribute("functions", R.Functions);
  });
  J.attributeObject("settings", [&] {
    J.attribute("points_to", text(R.PointsTo));
    if (!R.Degraded.empty())
      J.attribute("degraded", text(R.Degraded));
    J.attribute("escape", text(R.Escape));
    J.attributeArray("assumed", [&] {
      for (const auto &[Code, What] : Assumed)
        J.object([&, Code = Code, What = What] {
          J.attribute("code", Code);
          J.attribute("text", What);
        });
    });
  });
  if (R.Aside)
    J.attributeObject("aside", [&] { J.attribute("text", text(*R.Aside)); });
  J.attributeObject("summary", [&] {
    J.attribute("sites", int64_t(R.Sites.size()));
    J.attribute("local", R.count(Verdict::Local));
    J.attribute("shared", R.count(Verdict::Shared));
    J.attribute("unknown", R.count(Verdict::Unknown));
    J.attribute("rewritten", R.rewritten());
    J.attribute("frees", R.Frees);
    J.attribute("frees_rewritten", R.FreesRewritten);
    J.attribute("unreachable", R.Unreachable);
  });
}

void printJSON(const Report &R, raw_ostream &OS) {
  json::OStream J(OS, 2);
  J.object([&] {
    printHead(R, J);
    J.attributeArray("sites", [&] {
      for (const SiteReport &S : R.Sites)
        J.object([&] { printSite(S, J); });
    });
    J.attributeArray("assumptions", [&] {
      for (const Assumption &A : R.Assumptions)
        J.object([&] {
          J.attribute("code", text(A.Code));
          J.attribute("text", text(A.Text));
          J.attribute("count", A.Count);
          J.attributeArray("where", [&] {
            for (const std::string &W : A.Where)
              J.value(text(W));
          });
        });
    });
    if (R.Timings)
      J.attributeObject("timings", [&] {
        J.attribute("read", R.Timings->Read);
        J.attribute("solve", R.Timings->Solve);
        J.attribute("verdicts", R.Timings->Verdicts);
        J.attribute("peak_rss_mb", R.Timings->PeakRSSMB);
      });
  });
  OS << '\n';
}

/// The edge without which the path does not exist.
static void printCut(const SiteReport &S, json::OStream &J) {
  if (!S.Why || S.Why->Path.empty())
    return J.attribute("cut", nullptr);
  const Step &Last = S.Why->Path.back();
  const ReasonInfo *Info = findReason(S.Why->Code);
  J.attributeObject("cut", [&] {
    J.attribute("file", text(Last.File));
    J.attribute("line", Last.Line);
    J.attribute("what", text(Last.What));
    J.attribute("help", Info && *Info->Cut ? json::Value(Info->Cut) : json::Value(nullptr));
  });
}

void printExplanation(const Report &R, ArrayRef<const SiteReport *> Sites, raw_ostream &OS) {
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("schema", "freehold-explain/1");
    printTool(R, J);
    J.attribute("program", text(R.ProgramName));
    J.attributeArray("sites", [&] {
      for (const SiteReport *S : Sites)
        J.object([&] {
          printSite(*S, J);
          printCut(*S, J);
        });
    });
  });
  OS << '\n';
}

// Reading. json::ObjectMapper checks kinds and names the place of a fault; keys it does not know are passed over, since the
// schema grows by new keys only.

static bool number(json::ObjectMapper &O, StringLiteral Key, unsigned &Out) {
  uint64_t Wide = 0;
  bool Good = O.map(Key, Wide);
  Out = unsigned(std::min<uint64_t>(Wide, UINT32_MAX));
  return Good;
}

static bool fromJSON(const json::Value &V, Step &S, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("file", S.File) && number(O, "line", S.Line) && O.map("what", S.What);
}

static bool fromJSON(const json::Value &V, Frame &F, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("file", F.File) && number(O, "line", F.Line) && number(O, "column", F.Column) &&
         O.map("function", F.Function);
}

static bool fromJSON(const json::Value &V, Reason &R, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("code", R.Code) && O.map("text", R.Text) && O.map("path", R.Path);
}

static bool fromJSON(const json::Value &V, Verdict &Out, json::Path P) {
  for (Verdict Candidate : {Verdict::Local, Verdict::Shared, Verdict::Unknown})
    if (V.getAsString() == StringRef(name(Candidate))) {
      Out = Candidate;
      return true;
    }
  P.report("expected local, shared or unknown");
  return false;
}

static bool fromJSON(const json::Value &V, SiteReport &S, json::Path P) {
  json::ObjectMapper O(V, P);
  std::optional<std::string> Rule, NotRewritten;
  if (!O || !O.map("id", S.Id) || !O.map("file", S.File) || !number(O, "line", S.Line) || !number(O, "column", S.Column) ||
      !O.map("function", S.Function) || !O.map("callee", S.Callee) || !O.map("size", S.Size) || !O.map("context", S.Context) ||
      !O.map("verdict", S.V) || !O.map("rule", Rule) || !O.map("rewritten", S.Rewritten) || !O.map("reason", S.Why) ||
      !O.map("not_rewritten", NotRewritten))
    return false;
  S.NotRewritten = NotRewritten.value_or("");
  S.Rule = Rule.value_or("");
  return true;
}

static bool fromJSON(const json::Value &V, Assumption &A, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("code", A.Code) && O.map("text", A.Text) && number(O, "count", A.Count) && O.map("where", A.Where);
}

static bool fromJSON(const json::Value &V, Report::Times &T, json::Path P) {
  json::ObjectMapper O(V, P);
  return O && O.map("read", T.Read) && O.map("solve", T.Solve) && O.map("verdicts", T.Verdicts) &&
         number(O, "peak_rss_mb", T.PeakRSSMB);
}

static bool readHead(const json::Object &Top, Report &R, json::Path P) {
  auto Read = [&](StringRef Key, auto Map) {
    const json::Value *V = Top.get(Key);
    if (!V) {
      P.field(Key).report("missing value");
      return false;
    }
    json::ObjectMapper O(*V, P.field(Key));
    return O && Map(O);
  };
  return Read("tool", [&](json::ObjectMapper &O) { return O.map("version", R.Version) && O.map("llvm", R.LLVMVersion); }) &&
         Read("program",
              [&](json::ObjectMapper &O) { return O.map("name", R.ProgramName) && number(O, "functions", R.Functions); }) &&
         Read("settings",
              [&](json::ObjectMapper &O) {
                return O.map("points_to", R.PointsTo) && O.mapOptional("degraded", R.Degraded) && O.map("escape", R.Escape);
              }) &&
         Read("summary", [&](json::ObjectMapper &O) {
           return number(O, "frees", R.Frees) && number(O, "frees_rewritten", R.FreesRewritten) &&
                  number(O, "unreachable", R.Unreachable);
         });
}

static bool fromJSON(const json::Value &V, Report &R, json::Path P) {
  json::ObjectMapper O(V, P);
  std::string Found;
  if (!O || !O.map("schema", Found))
    return false;
  if (Found != Schema) {
    P.field("schema").report("expected freehold-report/1");
    return false;
  }
  const json::Object &Top = *V.getAsObject();
  if (!readHead(Top, R, P) || !O.map("sites", R.Sites) || !O.map("assumptions", R.Assumptions) || !O.map("timings", R.Timings))
    return false;
  if (const json::Object *Aside = Top.getObject("aside"))
    R.Aside = Aside->getString("text").value_or("").str();
  return true;
}

Expected<Report> readJSON(StringRef Text) {
  Expected<json::Value> V = json::parse(Text);
  if (!V)
    return V.takeError();
  Report R;
  json::Path::Root Root("report");
  if (!fromJSON(*V, R, Root))
    return Root.getError();
  return R;
}

} // namespace freehold
