// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Report.cpp - counts, file formats by suffix, and the writing of a report file: beside its place, then renamed, so that nobody
// ever reads half a report and a failed run leaves the old one.

#include "Report.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace freehold {

unsigned Report::count(Verdict V) const {
  unsigned N = 0;
  for (const SiteReport &S : Sites)
    N += S.V == V;
  return N;
}

unsigned Report::rewritten() const {
  unsigned N = 0;
  for (const SiteReport &S : Sites)
    N += S.Rewritten;
  return N;
}

Expected<Format> formatOf(StringRef FileName) {
  StringRef Suffix = sys::path::extension(FileName);
  if (Suffix == ".txt")
    return Format::Text;
  if (Suffix == ".json")
    return Format::JSON;
  if (Suffix == ".sarif" || Suffix == ".html")
    return createStringError("report format '%s' is not built yet (use .txt or .json)", Suffix.str().c_str());
  return createStringError("cannot tell the report's format from '%s' (use .txt or .json)", FileName.str().c_str());
}

static Error cannotWrite(StringRef FileName, std::error_code EC) {
  return createStringError(EC, "cannot write report '%s': %s", FileName.str().c_str(), EC.message().c_str());
}

static void print(const Report &R, Format F, raw_ostream &OS) {
  if (F == Format::JSON)
    printJSON(R, OS);
  else
    printText(R, OS);
}

Error writeFile(StringRef FileName, function_ref<void(raw_ostream &)> Print) {
  // A link or device is written through, a plain file is replaced.
  SmallString<256> Target(FileName);
  sys::fs::file_status Status;
  bool Exists = !sys::fs::status(FileName, Status) && sys::fs::exists(Status);
  if (Exists) {
    if (std::error_code EC = sys::fs::real_path(FileName, Target))
      return cannotWrite(FileName, EC);
    if (Status.type() == sys::fs::file_type::directory_file)
      return cannotWrite(FileName, std::make_error_code(std::errc::is_a_directory));
  }
  bool InPlace = Exists && Status.type() != sys::fs::file_type::regular_file;
  int FD = -1;
  SmallString<256> Temporary;
  std::error_code EC = InPlace ? sys::fs::openFileForWrite(Target, FD, sys::fs::CD_OpenExisting)
                               : sys::fs::createUniqueFile(Target + ".%%%%%%%%.tmp", FD, Temporary);
  if (EC)
    return cannotWrite(FileName, EC);
  raw_fd_ostream OS(FD, /*shouldClose=*/true);
  Print(OS);
  OS.close();
  EC = OS.error();
  OS.clear_error();
  if (!EC && !InPlace)
    EC = sys::fs::rename(Temporary, Target);
  if (!EC)
    return Error::success();
  if (!InPlace)
    sys::fs::remove(Temporary);
  return cannotWrite(FileName, EC);
}

Error writeReport(const Report &R, StringRef FileName, std::optional<Format> Given) {
  Expected<Format> F = Given ? Expected<Format>(*Given) : formatOf(FileName);
  if (!F)
    return F.takeError();
  return writeFile(FileName, [&](raw_ostream &OS) { print(R, *F, OS); });
}

} // namespace freehold
