//===- ReadMachine.cpp - Read and validate machine files ------------------===//
//
// What:      JSON text -> Machine. Unknown keys, missing sources, zero capacities, formulas that do not parse and units
//            that an operation names but the machine lacks are errors at the place in the file.
// Base:      a file that names another one with "base" begins with all that that one states, and states what differs:
//            entries by their names, processors as a whole.
// Limits:    nlohmann::json throws; its exceptions end here.
//
//===----------------------------------------------------------------------===//
#include "heddle/Machine/Machine.h"

#include "heddle/Machine/Occupancy.h"
#include "heddle/Support/Resources.h"
#include "heddle/Support/Try.h"

#include "JsonPlaces.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace heddle {

using Json = nlohmann::ordered_json;

/// Lines and columns of what the text holds.
class Locator {
public:
  Locator(const std::string &text, const std::string &file) : text(text), file(file) {}
  void read(const Json &root) { places.emplace(text, root); }
  SourceLoc at(size_t offset) const {
    SourceLoc loc{file, 1, 1};
    for (size_t i = 0; i < offset && i < text.size(); ++i) {
      ++loc.col;
      if (text[i] == '\n') {
        ++loc.line;
        loc.col = 1;
      }
    }
    return loc;
  }
  /// Of a member its key.
  SourceLoc of(const Json &value) const { return at(places ? places->of(value) : 0); }
  const JsonPlaces &all() const { return *places; }

private:
  const std::string &text, &file;
  std::optional<JsonPlaces> places;
};

namespace {

Status checkKeys(const Json &object, std::initializer_list<const char *> known, const std::string &where,
                 const Locator &locator) {
  for (auto &[key, value] : object.items()) {
    bool found = false;
    for (const char *name : known)
      found |= key == name;
    if (!found)
      return userError("unknown key '" + key + "' in " + where, locator.of(value));
  }
  return Status::success();
}

/// The member of that key; null where there is none and it is not required.
Result<const Json *> member(const Json &object, const char *key, bool required, const std::string &where,
                            const Locator &locator) {
  auto it = object.find(key);
  if (it != object.end())
    return &*it;
  if (required)
    return userError("expected the key '" + std::string(key) + "' in " + where + ", got none", locator.of(object));
  return nullptr;
}

/// Reads an integer member within [low, high]; keeps `out` when the key is absent and not required.
Status readInt(const Json &object, const char *key, int64_t low, int64_t high, bool required, int64_t &out,
               const std::string &where, const Locator &locator) {
  Result<const Json *> it = member(object, key, required, where, locator);
  if (!it)
    return it.error();
  if (!*it)
    return Status::success();
  if (!(*it)->is_number_integer())
    return userError("expected an integer for '" + std::string(key) + "' in " + where + ", got " + (*it)->dump(),
                     locator.of(**it));
  int64_t value = (*it)->get<int64_t>();
  if (value < low || value > high)
    return userError("expected '" + std::string(key) + "' in " + where + " between " + std::to_string(low) + " and " +
                         std::to_string(high) + ", got " + std::to_string(value),
                     locator.of(**it));
  out = value;
  return Status::success();
}

Status readString(const Json &object, const char *key, bool required, std::string &out, const std::string &where,
                  const Locator &locator) {
  Result<const Json *> it = member(object, key, required, where, locator);
  if (!it)
    return it.error();
  if (!*it)
    return Status::success();
  if (!(*it)->is_string())
    return userError("expected a string for '" + std::string(key) + "' in " + where + ", got " + (*it)->dump(),
                     locator.of(**it));
  out = (*it)->get<std::string>();
  if (required && out.empty())
    return userError("expected a non-empty string for '" + std::string(key) + "' in " + where, locator.of(**it));
  return Status::success();
}

/// The properties that somebody asks for, with the least value that means anything (docs/MachineModel.md).
constexpr std::pair<const char *, int64_t> knownProperties[] = {{"sms", 1},
                                                                {"l2_bytes", 1},
                                                                {"smem_banks_bytes", 1},
                                                                {"tma_alignment", 1},
                                                                {"boost_mhz", 1},
                                                                {"memory_bytes_per_cycle", 1},
                                                                {"l2_lines_per_1000_cycles_sm", 1},
                                                                {"store_bytes_per_1000_cycles_sm", 1},
                                                                {"reduce_bytes_per_1000_cycles_sm", 1},
                                                                {"dot_queue_instructions", 1},
                                                                {"power_watts", 1},
                                                                {"idle_watts", 0},
                                                                {"smem_reserved_bytes", 0},
                                                                {"mbarrier_pass_cycles", 0},
                                                                {"fence_cycles", 0},
                                                                {"load_among_others_cycles", 0},
                                                                {"program_cycles", 0},
                                                                {"between_programs_cycles", 0},
                                                                {"launch_nanoseconds", 0},
                                                                {"multicast_per_mille", 0},
                                                                {"counter_memory_per_mille", 0},
                                                                {"flop_femtojoules", 0},
                                                                {"smem_byte_femtojoules", 0},
                                                                {"l2_byte_femtojoules", 0},
                                                                {"memory_byte_femtojoules", 0}};

/// Memories as a mapping names them, and the memory of the machine file that has to be there for it; "": none has.
constexpr std::pair<const char *, const char *> visibleMemories[] = {
    {"GLOBAL", ""}, {"SHARED", "smem"}, {"REGISTER", ""}, {"TENSOR", "tmem"}};

} // namespace

/// Reads the sections of one file into a machine, over what its base has stated.
class MachineReader {
public:
  MachineReader(const Json &root, const Locator &locator, Machine &machine)
      : root(root), locator(locator), machine(machine) {}

  Status capacities();
  Status processors();
  Status warps();
  Status properties();
  Status ops();

private:
  Status op(const std::string &name, const Json &entry);
  Status beside(const std::string &where, const Json &list, std::vector<BesideCost> &costs);
  /// Adds an entry, in the place of one of the same name.
  template <typename Entry> static void state(std::vector<Entry> &list, Entry entry) {
    for (Entry &other : list)
      if (other.name == entry.name) {
        other = std::move(entry);
        return;
      }
    list.push_back(std::move(entry));
  }

  const Json &root;
  const Locator &locator;
  Machine &machine;
};

Status MachineReader::capacities() {
  for (const char *section : {"units", "memories"}) {
    auto list = root.find(section);
    if (list == root.end())
      continue;
    if (!list->is_array())
      return userError("expected an array for '" + std::string(section) + "'", locator.of(*list));
    std::set<std::string> names;
    for (const Json &entry : *list) {
      if (!entry.is_object())
        return userError("expected an object in '" + std::string(section) + "'", locator.of(entry));
      HEDDLE_TRY(checkKeys(entry, {"name", "capacity", "per", "source"}, section, locator));
      std::string name, source;
      int64_t capacity = 0;
      HEDDLE_TRY(readString(entry, "name", true, name, section, locator));
      HEDDLE_TRY(readInt(entry, "capacity", 1, int64_t(1) << 40, true, capacity, "'" + name + "'", locator));
      HEDDLE_TRY(readString(entry, "source", true, source, "'" + name + "'", locator));
      if (!names.insert(name).second)
        return userError("duplicate name '" + name + "' in '" + section + "'", locator.of(entry));
      if (section[0] == 'u')
        state(machine.unitList, {name, capacity, source});
      else
        state(machine.memoryList, {name, capacity, source});
    }
  }
  return Status::success();
}

/// Levels from the outermost in, each with the memories that it sees.
Status MachineReader::processors() {
  auto found = root.find("processors");
  if (found == root.end())
    return Status::success();
  const Json &list = *found;
  if (!list.is_array())
    return userError("expected an array for 'processors'", locator.of(list));
  std::vector<MachineProcessor> levels;
  for (const Json &entry : list) {
    if (!entry.is_object())
      return userError("expected an object in 'processors'", locator.of(entry));
    HEDDLE_TRY(checkKeys(entry, {"name", "count", "sees", "source"}, "processors", locator));
    MachineProcessor level;
    HEDDLE_TRY(readString(entry, "name", true, level.name, "processors", locator));
    std::string where = "processor '" + level.name + "'";
    SourceLoc loc = locator.of(entry);
    HEDDLE_TRY(readInt(entry, "count", 1, 1024, false, level.count, where, locator));
    HEDDLE_TRY(readString(entry, "source", true, level.source, where, locator));
    for (const MachineProcessor &other : levels)
      if (other.name == level.name)
        return userError("duplicate " + where, loc);
    auto sees = entry.find("sees");
    if (sees == entry.end() || !sees->is_array())
      return userError("expected a list of memories for 'sees' of " + where, loc);
    for (const Json &memory : *sees) {
      auto known = std::find_if(std::begin(visibleMemories), std::end(visibleMemories),
                                [&](auto &m) { return memory.is_string() && m.first == memory.get<std::string>(); });
      if (known == std::end(visibleMemories) || (*known->second && !machine.memoryCapacity(known->second)))
        return userError("expected GLOBAL, REGISTER, SHARED (with the memory 'smem') or TENSOR (with 'tmem') for "
                         "'sees' of " +
                             where + ", got " + memory.dump(),
                         locator.of(memory));
      level.sees.push_back(memory.get<std::string>());
    }
    levels.push_back(std::move(level));
  }
  machine.processorList = std::move(levels);
  return Status::success();
}

Status MachineReader::warps() {
  auto warps = root.find("warps");
  if (warps == root.end())
    return Status::success();
  if (!warps->is_object())
    return userError("expected an object for 'warps'", locator.of(*warps));
  HEDDLE_TRY(checkKeys(*warps,
                       {"max_warps", "max_groups", "register_file", "max_regs_per_thread", "min_regs_per_thread",
                        "reg_granule", "source"},
                       "warps", locator));
  WarpLimits &w = machine.limits;
  HEDDLE_TRY(readInt(*warps, "max_warps", 1, 1024, false, w.maxWarps, "warps", locator));
  HEDDLE_TRY(readInt(*warps, "max_groups", 1, 1024, false, w.maxGroups, "warps", locator));
  HEDDLE_TRY(readInt(*warps, "register_file", 1, 1 << 30, false, w.registerFile, "warps", locator));
  HEDDLE_TRY(readInt(*warps, "max_regs_per_thread", 1, 4096, false, w.maxRegsPerThread, "warps", locator));
  HEDDLE_TRY(readInt(*warps, "min_regs_per_thread", 0, 4096, false, w.minRegsPerThread, "warps", locator));
  HEDDLE_TRY(readInt(*warps, "reg_granule", 1, 4096, false, w.regGranule, "warps", locator));
  if (Occupancy budgets(w); std::max(budgets.leastBudget(), budgets.granule()) > budgets.mostBudget())
    return userError("expected a multiple of 'reg_granule' (" + std::to_string(w.regGranule) +
                         ") from 'min_regs_per_thread' (" + std::to_string(w.minRegsPerThread) +
                         ") to 'max_regs_per_thread' (" + std::to_string(w.maxRegsPerThread) + ") in warps, got none",
                     locator.of(*warps));
  // A warp group that computes and one that loads.
  if (int64_t least = 2 * threadsPerGroup * std::max(w.minRegsPerThread, w.regGranule); w.registerFile < least)
    return userError("expected 'register_file' in warps of at least " + std::to_string(least) +
                         ", for two groups of four warps with the fewest registers, got " +
                         std::to_string(w.registerFile),
                     locator.of(warps->contains("register_file") ? (*warps)["register_file"] : *warps));
  std::string source;
  HEDDLE_TRY(readString(*warps, "source", true, source, "warps", locator));
  return Status::success();
}

Status MachineReader::properties() {
  auto props = root.find("properties");
  if (props == root.end())
    return Status::success();
  if (!props->is_object())
    return userError("expected an object for 'properties'", locator.of(*props));
  for (auto &[key, value] : props->items()) {
    if (!value.is_object())
      return userError("expected an object for the property '" + key + "'", locator.of(value));
    auto known = std::find_if(std::begin(knownProperties), std::end(knownProperties),
                              [&](auto &property) { return key == property.first; });
    if (known == std::end(knownProperties))
      return userError("unknown property '" + key + "'", locator.of(value));
    HEDDLE_TRY(checkKeys(value, {"value", "source"}, "'" + key + "'", locator));
    std::string source;
    HEDDLE_TRY(readInt(value, "value", known->second, int64_t(1) << 40, true, machine.properties[key], "'" + key + "'",
                       locator));
    HEDDLE_TRY(readString(value, "source", true, source, "'" + key + "'", locator));
    int64_t number = machine.properties[key];
    if (key == "tma_alignment" && (number & (number - 1)))
      return userError("expected a power of two for 'tma_alignment', got " + std::to_string(number), locator.of(value));
  }
  return Status::success();
}

Status MachineReader::ops() {
  auto ops = root.find("ops");
  if (ops == root.end() && root.contains("base"))
    return Status::success();
  if (ops == root.end() || !ops->is_object())
    return userError("expected an object for 'ops', got " + std::string(ops == root.end() ? "none" : ops->type_name()),
                     locator.of(ops == root.end() ? root : *ops));
  for (auto &[name, entry] : ops->items())
    HEDDLE_TRY(op(name, entry));
  return Status::success();
}

Status MachineReader::op(const std::string &name, const Json &entry) {
  std::string where = "op '" + name + "'";
  SourceLoc loc = locator.of(entry);
  if (!entry.is_object())
    return userError("expected an object for " + where, loc);
  HEDDLE_TRY(checkKeys(entry,
                       {"unit", "pipe", "issue", "hold", "latency", "async", "variable", "beside", "error", "source"},
                       where, locator));
  Machine::OpEntry op;
  HEDDLE_TRY(readString(entry, "unit", false, op.unit, where, locator));
  HEDDLE_TRY(readString(entry, "pipe", false, op.pipe, where, locator));
  HEDDLE_TRY(readString(entry, "source", true, op.source, where, locator));
  if (!op.unit.empty() && !machine.unitCapacity(op.unit))
    return userError("unknown unit '" + op.unit + "' in " + where, loc);
  if (!op.pipe.empty() && op.unit.empty())
    return userError("expected a unit beside the pipe '" + op.pipe + "' in " + where, loc);
  if (!op.pipe.empty() && machine.unitCapacity(op.pipe))
    return userError("expected a pipe of unit '" + op.unit + "' in " + where + ", got the unit '" + op.pipe + "'", loc);
  for (auto [key, out] : {std::pair{"issue", &op.issue}, {"hold", &op.hold}, {"latency", &op.latency}}) {
    auto it = entry.find(key);
    if (it != entry.end() && it->is_number_integer())
      *out = std::to_string(it->get<int64_t>());
    else
      HEDDLE_TRY(readString(entry, key, true, *out, where, locator));
    if (Status status = checkFormula(*out); !status)
      return userError(status.error().message() + " ('" + key + "' of " + where + ")", locator.of(*it));
    op.places[key] = locator.of(*it);
  }
  for (auto [key, out] : {std::pair{"async", &op.async}, {"variable", &op.variable}})
    if (auto it = entry.find(key); it != entry.end()) {
      if (!it->is_boolean())
        return userError("expected true or false for '" + std::string(key) + "' in " + where + ", got " + it->dump(),
                         loc);
      *out = it->get<bool>();
    }
  if (auto costs = entry.find("beside"); costs != entry.end())
    HEDDLE_TRY(beside(where, *costs, op.beside));
  // Percent by which measurements may differ (utils/fit_machine.py checks them); no cost depends on it.
  if (auto error = entry.find("error"); error != entry.end()) {
    if (!error->is_object())
      return userError("expected an object for 'error' in " + where + ", got " + error->dump(), loc);
    HEDDLE_TRY(checkKeys(*error, {"issue", "hold", "latency"}, "'error' of " + where, locator));
    int64_t percent = 0;
    for (const char *key : {"issue", "hold", "latency"})
      HEDDLE_TRY(readInt(*error, key, 0, 1000, false, percent, "'error' of " + where, locator));
  }
  machine.ops[name] = op;
  return Status::success();
}

Status MachineReader::beside(const std::string &where, const Json &list, std::vector<BesideCost> &costs) {
  SourceLoc loc = locator.of(list);
  if (!list.is_array())
    return userError("expected an array for 'beside' in " + where + ", got " + list.dump(), loc);
  for (const Json &one : list) {
    std::string what = "'beside' of " + where;
    if (!one.is_object())
      return userError("expected an object in " + what + ", got " + one.dump(), loc);
    HEDDLE_TRY(checkKeys(one, {"unit", "hold", "delay"}, what, locator));
    BesideCost cost;
    HEDDLE_TRY(readString(one, "unit", true, cost.unit, what, locator));
    if (!machine.unitCapacity(cost.unit))
      return userError("unknown unit '" + cost.unit + "' in " + what, loc);
    HEDDLE_TRY(readInt(one, "hold", 100, 10000, false, cost.hold, what, locator));
    HEDDLE_TRY(readInt(one, "delay", 0, 10000, false, cost.delay, what, locator));
    costs.push_back(cost);
  }
  return Status::success();
}

/// Files that name each other as base, one after the other.
static constexpr int mostBases = 4;

Result<Machine> Machine::load(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.error();
  return parse(*text, path);
}

Result<Machine> Machine::find(const std::string &nameOrPath) {
  std::error_code error;
  if (nameOrPath.find_first_of("/.") != std::string::npos || std::filesystem::is_regular_file(nameOrPath, error))
    return load(nameOrPath);
  Result<std::string> folder = findResource("machines");
  if (!folder)
    return folder.error();
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(*folder, error))
    if (entry.path().extension() == ".json")
      names.insert(entry.path().stem().string());
  if (names.count(nameOrPath))
    return load(*folder + "/" + nameOrPath + ".json");
  std::string known;
  for (const std::string &name : names)
    known += (known.empty() ? "" : ", ") + name;
  return userError("expected a machine file or one of " + known + ", got '" + nameOrPath + "'");
}

Result<Machine> Machine::parse(const std::string &text, const std::string &file) {
  return parse(text, file, mostBases);
}

Result<Machine> Machine::parse(const std::string &text, const std::string &file, int bases) {
  Locator locator(text, file);
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::parse_error &error) {
    std::string what = error.what();
    size_t colon = what.rfind("; "), last = what.rfind(": ");
    size_t cut = colon != std::string::npos ? colon + 2 : (last != std::string::npos ? last + 2 : 0);
    return userError("malformed machine file: " + what.substr(cut), locator.at(error.byte ? error.byte - 1 : 0));
  } catch (const std::exception &error) {
    return userError(std::string("malformed machine file: ") + error.what(), locator.at(0));
  }
  locator.read(root);
  if (auto &twice = locator.all().repeated())
    return userError("expected the key '" + twice->first + "' once in its object, got it twice",
                     locator.at(twice->second));
  if (!root.is_object())
    return userError("expected a JSON object, got " + std::string(root.type_name()), locator.at(0));
  HEDDLE_TRY(checkKeys(root,
                       {"name", "base", "description", "clock_mhz", "source", "units", "memories", "processors",
                        "warps", "properties", "ops"},
                       "the machine file", locator));
  Machine machine;
  bool based = root.contains("base");
  if (based) {
    std::string base;
    HEDDLE_TRY(readString(root, "base", true, base, "the machine file", locator));
    if (bases == 0)
      return userError("expected machine files whose bases end, got more than " + std::to_string(mostBases) +
                           ", each with another one",
                       locator.of(root["base"]));
    std::filesystem::path path = std::filesystem::path(file).parent_path() / base;
    if (!path.has_extension())
      path += ".json";
    std::error_code none;
    if (Result<std::string> shipped = findResource("machines"); shipped && !std::filesystem::exists(path, none))
      path = std::filesystem::path(*shipped) / path.filename();
    Result<std::string> stated = readFile(path.string());
    if (!stated)
      return userError("'base' of the machine file: " + stated.error().message(), locator.of(root["base"]));
    Result<Machine> read = parse(*stated, path.string(), bases - 1);
    if (!read)
      return read.error();
    machine = std::move(*read);
  }
  HEDDLE_TRY(readString(root, "name", true, machine.machineName, "the machine file", locator));
  HEDDLE_TRY(readInt(root, "clock_mhz", 1, 100000, !based, machine.clock, "the machine file", locator));
  MachineReader reader(root, locator, machine);
  HEDDLE_TRY(reader.capacities());
  HEDDLE_TRY(reader.processors());
  HEDDLE_TRY(reader.warps());
  HEDDLE_TRY(reader.properties());
  HEDDLE_TRY(reader.ops());
  if (!based && !root.contains("warps"))
    return userError("expected the key 'warps' in the machine file, got none", locator.at(0));
  // What a block takes beside its own of the memory that several share.
  if (int64_t smem = machine.memoryCapacity("smem"), reserved = machine.property("smem_reserved_bytes", 0);
      reserved > smem) {
    bool stated = root.contains("properties") && root["properties"].contains("smem_reserved_bytes");
    return userError("expected at most the " + std::to_string(smem) +
                         " bytes of the memory 'smem' for 'smem_reserved_bytes', got " + std::to_string(reserved),
                     locator.of(stated ? root["properties"]["smem_reserved_bytes"] : root));
  }
  return machine;
}

} // namespace heddle
