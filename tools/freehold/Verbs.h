// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verbs.h - what `freehold` can be asked to do: one file a verb. Exit codes are the same for all of them.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace freehold {

enum ExitCode : int { Done = 0, Findings = 1, BadUsage = 2, BadInput = 3, Internal = 4 };

/// A fault with the exit code it ends in.
class Fault : public llvm::ErrorInfo<Fault> {
public:
  static char ID;
  Fault(ExitCode Code, std::string Message) : Code(Code), Message(std::move(Message)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  const ExitCode Code;

private:
  std::string Message;
};

inline llvm::Error usageError(const llvm::Twine &Message) { return llvm::make_error<Fault>(BadUsage, Message.str()); }
inline llvm::Error inputError(const llvm::Twine &Message) { return llvm::make_error<Fault>(BadInput, Message.str()); }
inline llvm::Error internalError(const llvm::Twine &Message) { return llvm::make_error<Fault>(Internal, Message.str()); }

/// Each gets the arguments behind its name.
llvm::Error analyze(llvm::ArrayRef<llvm::StringRef> Args);
llvm::Error explain(llvm::ArrayRef<llvm::StringRef> Args);
llvm::Error doctor(llvm::ArrayRef<llvm::StringRef> Args);
/// The options of doctor as help text.
std::string doctorHelp();
/// Comes back only with a fault.
llvm::Error run(llvm::ArrayRef<llvm::StringRef> Args);
/// Options, environment and exit codes of run, as help text.
std::string runHelp();

} // namespace freehold
