// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plugin.cpp - where Freehold's passes sit in clang's and lld's pipelines; nothing else.
//
//   compile  PipelineEarlySimplification  ids, summary, fh_site_* callees (before inlining, at -O0 too)
//            OptimizerLast                before the bitcode is written or embedded: callees get their names back
//            OptimizerEarly               with -ffat-lto-objects for the native half behind it: ids and summary go
//   link     FullLinkTimeOptimizationEarly  verdicts, report, rewriting
//            FullLinkTimeOptimizationLast   owner check, inlined fast path
//
// Without a configuration in the environment no pass is added.

#include "Compile.h"
#include "Config.h"
#include "Link.h"
#include "SiteNames.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>

using namespace llvm;

namespace freehold {
namespace {

/// A pass that also runs at -O0 and is never skipped.
struct ModuleStep : PassInfoMixin<ModuleStep> {
  std::function<bool(llvm::Module &)> Run;
  explicit ModuleStep(std::function<bool(llvm::Module &)> R) : Run(std::move(R)) {}
  PreservedAnalyses run(llvm::Module &M, ModuleAnalysisManager &) {
    return Run(M) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void registerCompile(PassBuilder &PB, const Config &C) {
  bool Check = C.Check, Debug = C.Debug;
  PB.registerPipelineEarlySimplificationEPCallback([Check, Debug](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(ModuleStep([Check, Debug](llvm::Module &M) { return compileModule(M, Check, Debug); }));
  });
  // A fat object's native half goes through the late passes at -O0 too, where a plain compile has none.
  auto Finished = std::make_shared<bool>(false);
  PB.registerOptimizerEarlyEPCallback([Finished, Debug](ModulePassManager &MPM, OptimizationLevel Level) {
    MPM.addPass(ModuleStep([Finished, Debug, Level](llvm::Module &M) {
      *Finished = Level == OptimizationLevel::O0 && M.getNamedGlobal("llvm.embedded.object");
      return restoreNativeHalf(M, Debug);
    }));
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(ModuleStep([](llvm::Module &M) { return restoreSites(M); }));
  });
  if (PassInstrumentationCallbacks *Callbacks = PB.getPassInstrumentationCallbacks())
    Callbacks->registerShouldRunOptionalPassCallback([Finished](StringRef, Any) { return !*Finished; });
}

void registerLink(PassBuilder &PB, Config C) {
  auto State = std::make_shared<LinkState>();
  State->C = std::move(C);
  PB.registerFullLinkTimeOptimizationEarlyEPCallback([State](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(ModuleStep([State](llvm::Module &M) { return linkEarly(M, *State), true; }));
  });
  PB.registerFullLinkTimeOptimizationLastEPCallback([State](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(ModuleStep([State](llvm::Module &M) { return linkLast(M, *State), true; }));
  });
}

void registerPasses(PassBuilder &PB) {
  std::string Problem;
  Config C = readConfig(Problem);
  if (!Problem.empty())
    errs() << "freehold: warning: " << Problem << "\n";
  if (C.M == Config::Mode::Compile)
    registerCompile(PB, C);
  if (C.M == Config::Mode::Link)
    registerLink(PB, std::move(C));
}

} // namespace
} // namespace freehold

extern "C" LLVM_ATTRIBUTE_WEAK LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Freehold", FREEHOLD_VERSION, freehold::registerPasses};
}
