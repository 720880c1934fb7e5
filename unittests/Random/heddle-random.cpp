//===- heddle-random.cpp - random programs by hand --------------------------===//
//
//   heddle-random print SEED                      the program of a seed
//   heddle-random check HEDDLE FROM COUNT [DIR]   checks seeds; failing programs go to DIR; ends with a table
//   heddle-random file HEDDLE FILE [OPTION...]    checks one file
//   heddle-random reduce HEDDLE FILE [OPTION...]  prints a smaller program with the same verdict
//   heddle-random meaning FILE DIR                inputs and results of a program (for bench/gpu/stage_programs.py)
//   heddle-random options SEED                    how `check` schedules a seed
//
// Options after FILE are those of `heddle compile`. HEDDLE_RANDOM_EMULATE=0 leaves the emulation out.
// Exit: 0 all right or refused, 1 a usage error, 5 a failure.
//
//===----------------------------------------------------------------------===//
#include "Check.h"
#include "Generate.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>

using namespace heddle::random_programs;
using llvm::errs;
using llvm::outs;

static CheckOptions optionsFor(const std::string &heddle) {
  CheckOptions options;
  options.heddle = heddle;
  const char *emulate = std::getenv("HEDDLE_RANDOM_EMULATE");
  options.emulate = !emulate || std::string(emulate) != "0";
  return options;
}

static void write(const std::string &path, const std::string &text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << text;
}

static const char *name(Outcome outcome) {
  return outcome == Outcome::Right ? "right" : outcome == Outcome::Refused ? "refused" : "FAILED";
}

static int checkSeeds(const std::string &heddle, uint64_t from, uint64_t count, const std::string &dir) {
  std::map<std::string, std::pair<int64_t, uint64_t>> table; // how many, the first seed
  int64_t failed = 0;
  llvm::SmallString<64> path;
  if (llvm::sys::fs::createTemporaryFile("heddle-random", "mlir", path))
    return 1;
  for (uint64_t seed = from; seed < from + count; ++seed) {
    std::string text = generateProgram(seed);
    Verdict verdict{Outcome::Failed, "generate", "no valid program", ""};
    if (!text.empty()) {
      write(path.str().str(), text);
      CheckOptions options = optionsFor(heddle);
      options.compile = scheduling(seed);
      verdict = checkProgram(path.str().str(), options);
    }
    std::string line = std::string(name(verdict.outcome)) + " " + verdict.step + " " + verdict.message;
    outs() << seed << " " << line << "\n";
    outs().flush();
    auto [entry, isNew] = table.insert({line, {0, seed}});
    ++entry->second.first;
    if (verdict.outcome != Outcome::Failed)
      continue;
    ++failed;
    if (!dir.empty())
      write(dir + "/" + std::to_string(seed) + ".mlir", text);
  }
  llvm::sys::fs::remove(path);
  outs() << "\n";
  for (const auto &[line, entry] : table)
    outs() << entry.first << "\t" << line << "\t(seed " << entry.second << ")\n";
  return failed ? 5 : 0;
}

static int onFile(const std::string &mode, const std::string &heddle, const std::string &file,
                  std::vector<std::string> compile) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) {
    errs() << "error: cannot read '" << file << "'\n";
    return 1;
  }
  CheckOptions options = optionsFor(heddle);
  options.compile = std::move(compile);
  Verdict verdict = checkProgram(file, options);
  if (mode == "file") {
    outs() << verdict.output << name(verdict.outcome) << " " << verdict.step << " " << verdict.message << "\n";
    return verdict.outcome == Outcome::Failed ? 5 : 0;
  }
  llvm::SmallString<64> path;
  if (llvm::sys::fs::createTemporaryFile("heddle-reduce", "mlir", path))
    return 1;
  outs() << reduceProgram((*buffer)->getBuffer().str(), [&](const std::string &text) {
    write(path.str().str(), text);
    return checkProgram(path.str().str(), options) == verdict;
  });
  llvm::sys::fs::remove(path);
  return 0;
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "print") {
    outs() << generateProgram(std::strtoull(arguments[1].c_str(), nullptr, 10));
    return 0;
  }
  if (arguments.size() == 2 && arguments[0] == "options") {
    outs() << llvm::join(scheduling(std::strtoull(arguments[1].c_str(), nullptr, 10)), " ") << "\n";
    return 0;
  }
  if (arguments.size() == 3 && arguments[0] == "meaning")
    return writeMeaning(arguments[1], arguments[2]) ? 0 : 1;
  if (arguments.size() >= 4 && arguments[0] == "check")
    return checkSeeds(arguments[1], std::strtoull(arguments[2].c_str(), nullptr, 10),
                      std::strtoull(arguments[3].c_str(), nullptr, 10), arguments.size() > 4 ? arguments[4] : "");
  if (arguments.size() >= 3 && (arguments[0] == "file" || arguments[0] == "reduce"))
    return onFile(arguments[0], arguments[1], arguments[2], {arguments.begin() + 3, arguments.end()});
  errs() << "error: expected print SEED, check HEDDLE FROM COUNT [DIR], file HEDDLE FILE, reduce HEDDLE FILE, meaning "
            "FILE DIR or options SEED\n";
  return 1;
}
