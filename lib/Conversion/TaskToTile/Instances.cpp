//===- Instances.cpp - the task tree that a mapping picks --------------------===//
#include "Instances.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
namespace heddle {

FailureOr<Instances> Instances::check(ModuleOp program, const Mapping &mapping, const Machine &machine) {
  Instances tree;
  tree.program = program;
  tree.map = &mapping;
  tree.own = &machine;
  if (failed(tree.visit(mapping.entry())))
    return failure();
  const TaskInstance &entry = mapping.entry();
  for (const std::string &memory : entry.mems)
    if (memory != globalMemory)
      return emitError(entry.placeOf("mems"))
             << "mapping: expected the tensors of the entry in GLOBAL, where they come from, got " << memory;
  return tree;
}

const TaskInstance &Instances::callee(const TaskInstance &caller, task::LaunchOp launch) const {
  SmallVector<task::LaunchOp> launches = task::launchesOf(variantOf(caller));
  return *map->find(caller.calls[llvm::find(launches, launch) - launches.begin()]);
}

unsigned Instances::depthOf(StringRef level) const {
  return llvm::find_if(own->processors(), [&](const MachineProcessor &p) { return p.name == level; }) -
         own->processors().begin();
}

LogicalResult Instances::visit(const TaskInstance &instance) {
  if (llvm::is_contained(path, &instance))
    return emitError(instance.placeOf("calls"))
           << "mapping: expected a tree of tasks that ends, got instance '" << instance.name << "', which calls itself";
  if (variants.count(&instance))
    return success();
  task::VariantOp variant;
  std::string known;
  for (auto other : program.getOps<task::VariantOp>()) {
    known += (known.empty() ? "" : ", ") + other.getSymName().str();
    if (other.getSymName() == instance.variant)
      variant = other;
  }
  if (!variant)
    return emitError(instance.placeOf("variant"))
           << "mapping: expected a variant of the program (" << known << "), got '" << instance.variant << "'";
  if (failed(checkKeys(instance, variant)))
    return failure();
  variants[&instance] = variant;
  path.push_back(&instance);
  SmallVector<task::LaunchOp> launches = task::launchesOf(variant);
  if (instance.calls.size() != launches.size()) {
    InFlightDiagnostic diag = emitError(instance.placeOf("calls"))
                              << "mapping: expected an instance for each of the " << launches.size()
                              << " launches of variant '" << instance.variant << "', got " << instance.calls.size();
    diag.attachNote(launches.empty() ? variant.getLoc() : launches.back().getLoc()) << "the variant's last launch";
    return diag;
  }
  for (auto [launch, name] : llvm::zip(launches, instance.calls)) {
    const TaskInstance &callee = *map->find(name);
    if (failed(visit(callee)))
      return failure();
    if (variantOf(callee).getTask() != launch.getTask()) {
      InFlightDiagnostic diag = emitError(instance.placeOf("calls"))
                                << "mapping: expected an instance of task '" << launch.getTask() << "', got '" << name
                                << "' of task '" << variantOf(callee).getTask() << "'";
      diag.attachNote(launch.getLoc()) << "the launch";
      return diag;
    }
    if (depthOf(callee.proc) < depthOf(instance.proc)) {
      InFlightDiagnostic diag = emitError(callee.placeOf("proc"))
                                << "mapping: expected level " << instance.proc << " of '" << instance.name
                                << "', which calls it, or one inside, got " << callee.proc;
      diag.attachNote(launch.getLoc()) << "the launch";
      return diag;
    }
  }
  path.pop_back();
  return success();
}

LogicalResult Instances::checkKeys(const TaskInstance &instance, task::VariantOp variant) {
  task::TaskOp task = task::taskOf(variant);
  int64_t tensors = llvm::count_if(task.getParameters(),
                                   [](Attribute parameter) { return cast<task::ParameterAttr>(parameter).isTensor(); });
  if (!instance.mems.empty() && static_cast<int64_t>(instance.mems.size()) != tensors) {
    InFlightDiagnostic diag = emitError(instance.placeOf("mems"))
                              << "mapping: expected a memory for each of the " << tensors << " tensors of task '"
                              << task.getSymName() << "', got " << instance.mems.size();
    diag.attachNote(task.getLoc()) << "the task";
    return diag;
  }
  if (variant.isLeaf() && llvm::is_contained(instance.mems, noMemory)) {
    InFlightDiagnostic diag = emitError(instance.placeOf("mems"))
                              << "mapping: expected a memory in which leaf '" << instance.variant
                              << "' finds each tensor, got NONE, which cannot be eliminated: nothing below it holds it";
    diag.attachNote(variant.getLoc()) << "the leaf";
    return diag;
  }
  std::map<std::string, task::TunableOp> tunables;
  variant.walk([&](task::TunableOp tunable) { tunables[tunable.getTunable().str()] = tunable; });
  for (auto &[name, value] : instance.tunables) {
    auto it = tunables.find(name);
    if (it == tunables.end()) {
      std::string known;
      for (auto &other : tunables)
        known += (known.empty() ? "" : ", ") + other.first;
      InFlightDiagnostic diag = emitError(instance.placeOf("tunables"))
                                << "mapping: expected a tunable of variant '" << instance.variant << "' ("
                                << (known.empty() ? "none" : known) << "), got '" << name << "'";
      diag.attachNote(variant.getLoc()) << "the variant";
      return diag;
    }
    std::optional<ArrayRef<int64_t>> choices = it->second.getChoices();
    if (choices && !llvm::is_contained(*choices, value)) {
      std::string list;
      for (int64_t choice : *choices)
        list += (list.empty() ? "" : ", ") + std::to_string(choice);
      InFlightDiagnostic diag = emitError(instance.placeOf("tunables"))
                                << "mapping: expected " << name << " to be one of " << list << ", got " << value;
      diag.attachNote(it->second.getLoc()) << "the tunable";
      return diag;
    }
  }
  struct Use {
    const char *key;
    bool given;
    StringRef level; ///< at which it is of use; "": at any, of a leaf
  };
  for (const Use &use : {Use{"pipeline", instance.pipeline.has_value(), blockLevel},
                         {"warpspecialize", instance.warpspecialize.has_value(), blockLevel},
                         {"scale", instance.scale.has_value(), blockLevel},
                         {"smem", instance.smem.has_value(), blockLevel},
                         {"plan", static_cast<bool>(instance.plan), blockLevel},
                         {"persistent", instance.persistent.has_value(), hostLevel},
                         {"raster", instance.raster.has_value(), hostLevel},
                         {"order", !instance.order.empty(), hostLevel},
                         {"stage", instance.stage.has_value(), ""}}) {
    if (!use.given || (use.level.empty() ? variant.isLeaf() : instance.proc == use.level))
      continue;
    InFlightDiagnostic diag = emitError(instance.placeOf(use.key)) << "mapping: expected '" << use.key << "' of ";
    if (use.level.empty())
      return diag << "a leaf, got inner variant '" << instance.variant << "'";
    return diag << "an instance at level " << use.level << ", got one at " << instance.proc;
  }
  if (instance.proc == hostLevel && variant.isLeaf())
    return emitError(instance.placeOf("proc"))
           << "mapping: expected a leaf at a level inside HOST, got '" << instance.variant << "' at HOST";
  return success();
}

} // namespace heddle
