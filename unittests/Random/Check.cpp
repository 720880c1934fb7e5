//===- Check.cpp - what becomes of one program ----------------------------===//
#include "Check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cctype>
#include <chrono>

using namespace llvm;
namespace heddle::random_programs {

namespace {
struct Ended {
  int code = 0;       ///< below 0: not by itself
  double seconds = 0; ///< of the processor
  std::string output;
};
} // namespace

static Ended runTool(const std::vector<std::string> &command, unsigned seconds) {
  SmallString<64> log;
  Ended result;
  if (sys::fs::createTemporaryFile("heddle-random", "log", log))
    return {-1, 0, "error: cannot create a temporary file"};
  SmallVector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string message;
  bool failed = false;
  std::optional<sys::ProcessStatistics> used;
  result.code =
      sys::ExecuteAndWait(command[0], arguments, std::nullopt, redirects, seconds, 0, &message, &failed, &used);
  if (used)
    result.seconds = std::chrono::duration<double>(used->UserTime).count();
  if (auto text = MemoryBuffer::getFile(log))
    result.output = (*text)->getBuffer().str();
  sys::fs::remove(log);
  if (result.code < 0 || failed)
    result.output += "\nerror: " + (message.empty() ? "did not end" : message);
  return result;
}

/// The first error line without its place, with every number as N.
static std::string firstError(StringRef output, bool *located = nullptr) {
  SmallVector<StringRef> lines;
  output.split(lines, '\n');
  for (StringRef line : lines) {
    size_t at = line.find("error: ");
    if (at == StringRef::npos)
      continue;
    if (located) // "<path>:<line>:<column>: error: "
      *located =
          line.take_front(at).count(':') >= 3 && at > 3 && std::isdigit(static_cast<unsigned char>(line[at - 3]));
    std::string kind;
    for (char c : line.drop_front(at + 7)) {
      bool digit = std::isdigit(static_cast<unsigned char>(c));
      if (!digit || kind.empty() || kind.back() != 'N')
        kind += digit ? 'N' : c;
    }
    return kind;
  }
  return "no message";
}

/// True where the error speaks of what the compiler made, which no user can mend.
static bool blamesTheCompiler(const std::string &kind) {
  return llvm::any_of(ArrayRef<const char *>{"'warp.", "'hw.", "unrealized_conversion_cast", "!hw.", "#hw.", "dot_wait",
                                             "does not dominate", "internal error"},
                      [&](const char *word) { return StringRef(kind).contains(word); });
}

Verdict checkProgram(const std::string &path, const CheckOptions &options) {
  auto failed = [](StringRef step, const Ended &ended, const std::string &what) {
    return Verdict{Outcome::Failed, step.str(), what + firstError(ended.output), ended.output};
  };
  std::vector<std::string> command = {options.heddle, "compile", path, "--emit=cuda"};
  llvm::append_range(command, options.compile);
  Ended ended = runTool(command, options.seconds);
  if (ended.code < 0 || ended.code > 3)
    return failed("compile", ended, "");
  if (ended.seconds > options.processorSeconds)
    return {Outcome::Failed, "compile", "took too long", ended.output + "\n" + std::to_string(ended.seconds) + " s"};
  if (ended.code) {
    bool located = false;
    std::string kind = firstError(ended.output, &located);
    if (!located)
      return failed("compile", ended, "no place: ");
    if (blamesTheCompiler(kind))
      return failed("compile", ended, "not the user's words: ");
    return {Outcome::Refused, "compile", kind, ended.output};
  }
  std::vector<std::string> devices = {"sim"};
  if (options.emulate)
    devices.push_back("emulate");
  for (const std::string &device : devices) {
    command = {options.heddle, "run", path, "--device=" + device};
    llvm::append_range(command, options.compile);
    ended = runTool(command, options.seconds);
    // nothing proved: right as far as these inputs tell; a limit that compiling again reached
    if (ended.code == 6 || ended.code == 3)
      return {Outcome::Refused, device, firstError(ended.output), ended.output};
    if (ended.code)
      return failed(device, ended, "");
  }
  return {Outcome::Right, "", "", ended.output};
}

std::vector<std::string> scheduling(uint64_t seed) {
  switch (seed % 6) {
  case 0:
  case 3: return {"--scheduler=heuristic"};
  case 1:
  case 4: return {"--scheduler=random", "--schedule-seed=" + std::to_string(seed)};
  case 2: return {"--scheduler=random", "--free-groups", "--schedule-seed=" + std::to_string(seed)};
  }
  return {"--time-limit=1"};
}

} // namespace heddle::random_programs
