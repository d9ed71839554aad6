// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CommandLine.cpp - reading a clang command line (see CommandLine.h).
//
// Tables over code: the options that take a separate value (else the value would pass for an input), the options that end a
// command before an object is made, and the ones Freehold cannot go along with.
#include "CommandLine.h"

#include <cstring>

namespace freehold::cc {

static Strings splitGnu(const std::string &Text) {
  Strings Result;
  std::string Word;
  bool In = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && I + 1 < Text.size()) {
      Word += Text[++I];
      In = true;
    } else if (C == '"' || C == '\'') {
      In = true;
      for (++I; I < Text.size() && Text[I] != C; ++I) {
        if (Text[I] == '\\' && I + 1 < Text.size())
          ++I;
        Word += Text[I];
      }
    } else if (isspace(static_cast<unsigned char>(C))) {
      if (In)
        Result.push_back(Word);
      Word.clear();
      In = false;
    } else {
      Word += C;
      In = true;
    }
  }
  if (In)
    Result.push_back(Word);
  return Result;
}

static void expandInto(const std::string &Argument, Strings &Result, int Depth) {
  std::string Text;
  if (Argument.size() > 1 && Argument[0] == '@' && Depth < 20 && readFile(Argument.substr(1), Text)) {
    for (const std::string &Inner : splitGnu(Text))
      expandInto(Inner, Result, Depth + 1);
    return;
  }
  Result.push_back(Argument);
}

Strings expandResponseFiles(const Strings &Args) {
  Strings Result;
  for (const std::string &A : Args)
    expandInto(A, Result, 0);
  return Result;
}

std::string quoted(const std::string &Argument) {
  std::string Result = "\"";
  for (char C : Argument) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + "\"";
}

/// Options whose value is the next argument.
static bool takesNext(const std::string &A) {
  return isWord(A, "-o -x -I -D -U -L -l -B -F -T -u -z -e -A -y -G -J -include -imacros -isystem -iquote -idirafter "
                   "-iprefix -iwithprefix -iwithprefixbefore -isysroot -iframework -iframeworkwithsysroot -isystem-after "
                   "-cxx-isystem -stdlib++-isystem -ivfsoverlay -include-pch -MF -MT -MQ -Xlinker -Xclang -Xassembler "
                   "-Xpreprocessor -Xanalyzer -Xcuda-ptxas -Xcuda-fatbinary -Xopenmp-target -Xoffload-linker -target "
                   "-arch -framework -mllvm -rpath -dumpdir -serialize-diagnostics --serialize-diagnostics "
                   "-index-store-path -working-directory --sysroot --param -gcc-toolchain -install_name -undefined "
                   "-current_version -compatibility_version -exported_symbols_list -weak_framework -weak_library "
                   "-seg1addr -bundle_loader -filelist -sectcreate -image_base -soname -allowable_client -client_name "
                   "-multiply_defined -umbrella -unexported_symbols_list -ObjC-xref -module-dependency-dir --config "
                   "--output --include-directory --define-macro --undefine-macro --library-directory --language --prefix "
                   "--for-linker --entry --imacros --include -mthread-model");
}

/// The command ends before an object is made, or only prints: nothing for Freehold to do.
static bool endsEarly(const std::string &A) {
  return isWord(A, "-E --preprocess -M -MM --dependencies --user-dependencies -S --assemble -fsyntax-only -### "
                   "--precompile -emit-ast --analyze -analyze -rewrite-objc -rewrite-legacy-objc -verify-pch "
                   "-emit-interface-stubs -emit-merged-ifs -extract-api --emit-static-lib -dumpversion -dumpmachine "
                   "-dumpfullversion -dumpspecs -cc1 -cc1as -cc1gen-reproducer --help-hidden -fdriver-only "
                   "-module-file-info -fthinlto-index --autocomplete -ccc-print-phases -ccc-print-bindings") ||
         begins(A, "-print-") || begins(A, "--print-") || begins(A, "--autocomplete=") || begins(A, "-fopenmp-targets=") ||
         begins(A, "--offload-arch") || begins(A, "--cuda-") || begins(A, "-fthinlto-index=") || begins(A, "--driver-mode=");
}

static bool otherTarget(const std::string &Triple) {
  return !(begins(Triple, "x86_64") && Triple.find("linux") != std::string::npos && Triple.find("gnux32") == std::string::npos &&
           Triple.find("musl") == std::string::npos && Triple.find("android") == std::string::npos);
}

enum class Kind { Source, Object, Header, Other };

static Kind kindOfLanguage(const std::string &Language) {
  if (Language.find("-header") != std::string::npos)
    return Kind::Header;
  return isWord(Language, "c c++ cpp-output c++-cpp-output") ? Kind::Source : Kind::Other;
}

/// By suffix, as clang sees it: what it does not know is for the linker.
static Kind kindOfFile(const std::string &Path) {
  std::string Name = fileName(Path);
  size_t Dot = Name.rfind('.');
  if (Dot == std::string::npos)
    return Kind::Object;
  std::string Suffix = Name.substr(Dot + 1);
  if (isWord(Suffix, "c i ii C cc CC cp cpp CPP cxx CXX c++ C++ iicpp"))
    return Kind::Source;
  if (isWord(Suffix, "s S sx asm")) // assembled, then linked as a plain object
    return Kind::Object;
  if (isWord(Suffix, "h H hh hpp hxx"))
    return Kind::Header;
  return isWord(Suffix, "ll bc m mm M mi mii cu hip cl cppm ixx ccm cxxm c++m pcm pch gch ast cui f f90 F90 "
                        "ifs rs swift")
             ? Kind::Other
             : Kind::Object;
}

namespace {
struct Reader {
  CommandLine Line;
  bool Ends = false, CompileOnly = false;
  std::string OtherLanguage, Target; // an input in it; the option that chose another target than ours
  std::string Language, Lto, Linker, Sanitizer, SplitUnit, Steps;
  bool NoLto = false, EmitLlvm = false;

  void debug(const std::string &A);
  void option(const std::string &A, const std::string &Next);
  void input(const std::string &A);
  void decide();
};
} // namespace

/// -g options: the last one that sets a level counts; those that only shape the information do not ask for it.
void Reader::debug(const std::string &A) {
  if (A == "-g0" || A == "-ggdb0")
    Line.WantsDebug = false;
  else if (isWord(A, "-g --debug -g1 -g2 -g3 -ggdb -ggdb1 -ggdb2 -ggdb3 -glldb -gsce -gdbx -gmlt -gline-tables-only "
                     "-gline-directives-only -gfull -gused -gstabs -gcodeview -gmodules") ||
           (begins(A, "-gdwarf") && !begins(A, "-gdwarf32") && !begins(A, "-gdwarf64") && A != "-gdwarf-aranges"))
    Line.WantsDebug = true;
}

void Reader::option(const std::string &A, const std::string &Next) {
  if (endsEarly(A))
    Ends = true;
  else if (A == "-c" || A == "--compile")
    CompileOnly = true;
  else if (A == "-r")
    Line.Relocatable = true;
  else if (A == "-o" || A == "--output")
    Line.Output = Next;
  else if (begins(A, "--output="))
    Line.Output = A.substr(9);
  else if (begins(A, "-o") && A.size() > 2 && !begins(A, "-objc") && !begins(A, "-object"))
    Line.Output = A.substr(2);
  else if (A == "-x" || A == "--language")
    Language = Next;
  else if (begins(A, "--language="))
    Language = A.substr(11);
  else if (begins(A, "-x") && A.size() > 2)
    Language = A.substr(2);
  else if (A == "-target")
    Target = otherTarget(Next) ? A + " " + Next : "";
  else if (begins(A, "--target="))
    Target = otherTarget(A.substr(9)) ? A : "";
  else if (isWord(A, "-m32 -mx32 -m16 -arch"))
    Target = A;
  else if (A == "-m64" && begins(Target, "-m"))
    Target.clear();
  else if (A == "-flto")
    Lto = "full", NoLto = false, Line.LtoAsked = true;
  else if (begins(A, "-flto="))
    Lto = A.substr(6), NoLto = false, Line.LtoAsked = true;
  else if (A == "-fno-lto")
    NoLto = true;
  else if (A == "-emit-llvm")
    EmitLlvm = true;
  else if (begins(A, "-fembed-bitcode") || begins(A, "-save-temps") || begins(A, "--save-temps"))
    Steps = A;
  else if (isWord(A, "-fwhole-program-vtables -fsplit-lto-unit") || begins(A, "-fsanitize=cfi"))
    SplitUnit = A;
  else if (begins(A, "-fuse-ld="))
    Linker = A.substr(9), Line.LldAsked = Linker == "lld";
  else if (begins(A, "--ld-path="))
    Linker = A;
  else if (begins(A, "-fsanitize=") || begins(A, "-fno-sanitize=")) {
    for (const char *Name : {"address", "hwaddress", "memory", "leak", "thread", "kernel-address", "fuzzer"})
      if (("," + A.substr(A.find('=') + 1) + ",").find("," + std::string(Name) + ",") != std::string::npos) {
        if (begins(A, "-fsanitize="))
          Sanitizer = Name;
        else if (Sanitizer == Name)
          Sanitizer.clear();
      }
  } else if (begins(A, "-g") || A == "--debug")
    debug(A);
}

void Reader::input(const std::string &A) {
  Kind K = !Language.empty() && Language != "none" ? kindOfLanguage(Language) : kindOfFile(A);
  Ends |= K == Kind::Header; // precompiled
  if (K == Kind::Other && !begins(Language, "assembler"))
    OtherLanguage = A;
  Line.Inputs.push_back({A, K == Kind::Source});
}

void Reader::decide() {
  bool Produces = !Ends && !Line.Inputs.empty();
  Line.Links = Produces && !CompileOnly && !EmitLlvm;
  if (!Produces || !OtherLanguage.empty() || !Target.empty() || Line.Output == "-") {
    if (EmitLlvm && !Line.Inputs.empty())
      Line.Aside = "-emit-llvm: this is plain bitcode, without Freehold";
    else if (Line.Links && !Target.empty()) // objects stay silent: the one line belongs to the program
      Line.Aside = Target + ": this is done without Freehold, which is for x86-64 Linux with glibc";
    else if (Line.Links && !OtherLanguage.empty())
      Line.Aside = fileName(OtherLanguage) + ": this is done without Freehold, which takes C, C++ and objects";
    return;
  }
  if (CompileOnly && !Line.hasSources())
    return;
  if (EmitLlvm)
    Line.Aside = "-emit-llvm: this is plain bitcode, without Freehold";
  else if (NoLto)
    Line.Aside = "-fno-lto: this step is done without Freehold, which works at the link";
  else if (Lto == "thin")
    Line.Aside = "-flto=thin: this step is done without Freehold, which needs full LTO (-flto)";
  else if (!Linker.empty() && Linker != "lld")
    Line.Aside = (Linker[0] == '-' ? Linker : "-fuse-ld=" + Linker) + ": this step is done without Freehold, which needs lld";
  else if (!Steps.empty()) // the kept files and the sections would be those of our half as well
    Line.Aside = Steps + ": this step is done without Freehold, whose objects hold bitcode of their own";
  else if (!SplitUnit.empty()) // splitting takes the vtables out of the native half (tried on 19.1.7)
    Line.Aside = SplitUnit + ": this step is done without Freehold, which cannot split a unit's bitcode";
  else if (!Sanitizer.empty()) {
    if (Line.Links) // objects stay silent: the one line belongs to the program
      Line.Aside = "-fsanitize=" + Sanitizer + ": the sanitizer owns the heap, this is done without Freehold";
    return;
  }
  if (Line.Aside.empty())
    Line.What = CompileOnly ? Step::Compile : Step::Link;
}

CommandLine readCommandLine(int Argc, char **Argv) {
  Reader R;
  Strings Args = expandResponseFiles(Strings(Argv + 1, Argv + Argc));
  for (size_t I = 0; I < Args.size(); ++I) {
    const std::string &A = Args[I];
    std::string Error;
    if (takeOption(A, R.Line.Own, Error)) {
      if (R.Line.Error.empty())
        R.Line.Error = Error;
      continue;
    }
    R.Line.Args.push_back(A);
    if (A == "--version")
      R.Line.Version = true;
    else if (A == "--help" || A == "-help")
      R.Line.Help = true;
    else if (A == "--") {
      for (++I; I < Args.size(); ++I) {
        R.Line.Args.push_back(Args[I]);
        R.input(Args[I]);
      }
    } else if (A.size() > 1 && A[0] == '-') {
      bool Next = takesNext(A) && I + 1 < Args.size();
      R.option(A, Next ? Args[I + 1] : "");
      if (Next)
        R.Line.Args.push_back(Args[++I]);
    } else
      R.input(A);
  }
  R.decide();
  bool Probe = isProbe(R.Line.Output);
  for (const Input &I : R.Line.Inputs)
    Probe |= I.IsSource && isProbe(I.Path);
  if (Probe)
    R.Line.Own.Reports.clear();
  return R.Line;
}

bool CommandLine::hasSources() const {
  for (const Input &I : Inputs)
    if (I.IsSource)
      return true;
  return false;
}

Strings CommandLine::objects() const {
  Strings Result;
  for (const Input &I : Inputs)
    if (I.IsSource) {
      std::string Name = fileName(I.Path);
      size_t Dot = Name.rfind('.');
      Result.push_back(!Output.empty() ? Output : (Name == "-" ? Name : Name.substr(0, Dot)) + ".o");
    }
  return Result;
}

} // namespace freehold::cc
