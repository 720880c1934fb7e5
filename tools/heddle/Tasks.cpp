//===- Tasks.cpp - task programs as input -----------------------------------===//
//
// What:  a file with task.task and a mapping of it (--mapping) -> the tile program that every subcommand goes on with.
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include "heddle/Conversion/TaskToTile/Events.h"
#include "heddle/Conversion/TaskToTile/TaskToTile.h"
#include "heddle/Dialect/Task/Program.h"
#include "heddle/Simulator/Functional/ChainInterpreter.h"
#include "heddle/Simulator/Task/TaskInterpreter.h"
#include "heddle/Support/Files.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace heddle {

static cl::opt<std::string> mappingFile("mapping",
                                        cl::desc("where the tasks of a task program run: instances by name, with "
                                                 "their level, memories and tunables (docs/Mapping.md)"),
                                        cl::value_desc("file"), cl::sub(compileCommand), cl::sub(runCommand),
                                        cl::sub(scheduleCommand), cl::sub(explainCommand), cl::sub(verifyCommand),
                                        cl::sub(tuneCommand));

bool lacksMapping(Input &input, int &code) {
  if (input.module->getOps<task::TaskOp>().empty())
    return false;
  code = fail("expected --mapping with the task program '" + inputFile + "', got none");
  return true;
}

static std::string describe(const TensorPlace &place) {
  std::string text = place.parameter + (place.memory.empty() ? " left open, " : " in " + place.memory + ", ");
  if (!place.value.empty())
    return text + "no copy of '" + place.value + "'";
  if (!place.isLoaded && !place.isStored)
    return text + "no copy";
  return text + (place.isLoaded ? "loaded" : "") + (place.isLoaded && place.isStored ? " and " : "") +
         (place.isStored ? "stored" : "");
}

static void print(ArrayRef<InstancePlaces> places) {
  llvm::outs() << "tensors of each instance, in the mapping and in the kernel (equal loads are one):\n";
  for (const InstancePlaces &launched : places) {
    llvm::outs() << "  " << launched.instance << ": ";
    llvm::interleave(
        launched.tensors, llvm::outs(), [](const TensorPlace &place) { llvm::outs() << describe(place); }, "; ");
    llvm::outs() << "\n";
  }
  llvm::outs() << "\n";
}

/// The mapping that is given; none, with an exit code in `code`, where it is wrong.
static std::optional<Mapping> readMapping(Input &input, const Machine &machine, int &code) {
  Result<std::string> text = readFile(mappingFile);
  if (!text) {
    code = fail(text.error());
    return std::nullopt;
  }
  FailureOr<Mapping> mapping = Mapping::read(*text, mappingFile, machine, input.context.get());
  if (succeeded(mapping))
    return std::move(*mapping);
  code = diagnosed(input);
  return std::nullopt;
}

static std::optional<EventStage> stageOf(StringRef name) {
  return llvm::StringSwitch<std::optional<EventStage>>(name)
      .Case("dependences", EventStage::Dependences)
      .Case("vectorised", EventStage::Vectorised)
      .Case("copies", EventStage::Copies)
      .Cases({"memory", ""}, EventStage::Memory)
      .Default(std::nullopt);
}

int emitEvents(Input &input, StringRef stage) {
  std::optional<EventStage> chosen = stageOf(stage);
  if (!chosen)
    return fail("--emit=events:" + stage + ": expected dependences, vectorised, copies or memory, got '" + stage + "'");
  if (input.module->getOps<task::TaskOp>().empty())
    return fail("--emit=events: expected a task program, got '" + inputFile + "'");
  int code = ExitOk;
  if (mappingFile.empty())
    return lacksMapping(input, code), code;
  Result<Machine> machine = chosenMachine();
  if (!machine)
    return fail(machine.error());
  std::optional<Mapping> mapping = readMapping(input, *machine, code);
  if (!mapping)
    return code;
  FailureOr<EventGraph> graph = eventsOf(*input.module, *mapping, *machine, *chosen);
  if (failed(graph))
    return diagnosed(input);
  llvm::outs() << graph->str();
  return ExitOk;
}

bool convertTaskProgram(Input &input, int &code) {
  if (mappingFile.empty())
    return true;
  if (input.module->getOps<task::TaskOp>().empty()) {
    code = fail("--mapping: expected a task program with it, got '" + inputFile + "'");
    return false;
  }
  Result<Machine> machine = chosenMachine();
  if (!machine) {
    code = fail(machine.error());
    return false;
  }
  std::optional<Mapping> mapping = readMapping(input, *machine, code);
  if (!mapping)
    return false;
  std::vector<InstancePlaces> places;
  FailureOr<OwningOpRef<ModuleOp>> converted = convertTasks(*input.module, *mapping, *machine, &places, &input.labels);
  if (failed(converted)) {
    code = diagnosed(input);
    return false;
  }
  if (explainCommand)
    print(places);
  auto entry = cast<task::VariantOp>(SymbolTable::lookupSymbolIn(*input.module, mapping->entry().variant));
  input.task = task::taskOf(entry);
  input.source = std::move(input.module);
  input.module = std::move(*converted);
  input.mapping = std::move(mapping);
  return true;
}

int printMapping(const Input &input, const Machine &machine, StringRef plan) {
  if (!input.mapping)
    return fail("--emit=mapping: expected a task program with --mapping, got '" + inputFile + "'");
  FailureOr<Mapping> made = mappingOf(*input.mapping, input.labels, plan, "plan", machine, input.context.get());
  if (failed(made))
    return diagnosed(input);
  llvm::outs() << "// " << inputFile << " on machine '" << machine.name() << "'\n" << made->str();
  return ExitOk;
}

FailureOr<sim::Meaning> meaningOf(const Input &input, const sim::Bindings &bound) {
  if (input.chain && !input.whole)
    return sim::meaningOf(input.chain, bound);
  return input.task ? sim::meaningOf(input.task, bound)
                    : sim::meaningOf(input.whole ? input.whole : input.kernel, bound);
}

} // namespace heddle
