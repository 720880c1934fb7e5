//===- Compiler.h - the compiler as one function ---------------------------===//
//
// What:   a sequential tile kernel -> every level down to CUDA text and manifest, with the schedules and their proofs.
// Levels: tile -> (sub-tiled, instructions) -> problem -> schedule -> warp -> hw -> cuda. Pipelines.cpp is the compiler
//         on one page. A program can also begin at the warp or the hw level.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_PIPELINES_COMPILER_H
#define HEDDLE_PIPELINES_COMPILER_H

#include "heddle/Analysis/Chains.h"
#include "heddle/Analysis/LoopProblem.h"
#include "heddle/Analysis/Plan.h"
#include "heddle/Certificate/Certificate.h"
#include "heddle/Conversion/TileToWarp/TileToWarp.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Machine/Machine.h"
#include "heddle/Scheduling/Policy/Policy.h"
#include "heddle/Transforms/FormClusters.h"
#include "heddle/Transforms/OrderPrograms.h"
#include "heddle/Transforms/Parameters.h"
#include "heddle/Transforms/Persist.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class Level { Tile, Problem, Schedule, Warp, HW, Cuda };
enum class Persistence { Never, WhereItGains, Always }; ///< see Transforms/Persist.h
enum class SchedulerKind { Exact, Heuristic, Random };
/// By the name that options have; none: there is no such one.
std::optional<SchedulerKind> findScheduler(llvm::StringRef name);

/// Which warp group runs which sub-tile.
enum class Grouping {
  Fixed,         ///< a sub-tile is a warp group: no decision
  SubtilesFirst, ///< a sub-tile is a warp group, where that meets the lower bound over all assignments; else others are
                 ///< searched below its interval. Schedulers other than the exact one: as Fixed.
  Free,          ///< every assignment from the start, which other schedulers than the exact one draw
};

/// What a user asks for; what the compiler tries beside it is its own (lib/Pipelines/FormOptions.h).
struct CompileOptions {
  std::string file;           ///< what is compiled, for the kernel's header; empty: as the kernel's location says
  ParameterValues parameters; ///< values of the program's parameters; those left out are as it is written
  int64_t groups = 0;         ///< compute warp groups; 0: the kernel's attribute, else the most that fits its rows
  Persistence persistent = Persistence::WhereItGains; ///< at most one program a multiprocessor, tile after tile
  std::optional<TileSource> tileSource;               ///< of a persistent kernel; none: the stride
  int64_t tilesInFlight = 0; ///< of a persistent kernel, each on groups of its own (see TakeTurns.h); 0: two where
                             ///< the loop over programs then takes less time, else one
  std::optional<bool>
      specialize;               ///< copies are issued by a warp of their own; false: by groups that compute; none: yes
  std::vector<int64_t> cluster; ///< neighbouring programs that run as a cluster: along each dimension of the grid, or
                                ///< one number for the best of them (see FormClusters.h); empty: none
  SchedulerKind scheduler = SchedulerKind::Exact;
  Effort effort = Effort::Budget; ///< of the exact scheduler
  std::string cache;              ///< directory of solved problems; empty: none
  uint64_t seed = 0;              ///< of the random scheduler
  Grouping grouping = Grouping::SubtilesFirst;
  bool chains = true; ///< element-wise operations that can run as one are one node (see Chains.h)
  ExtractOptions extract = {.resolution = defaultResolution}; ///< the grouping decides its `freeGroups`
  SolveOptions solve;
  /// false: a computation of one iteration ends before that of the next begins (no software pipelining; loads stream
  /// ahead).
  bool overlap = true;
  std::vector<std::string> scheduleFiles; ///< replay: one solution file per scheduled loop, in program order
  std::string planText, planFile;         ///< a plan file and its name (empty: none); see Plan.h
  TileToWarpOptions warp;
  bool shortText = false;      ///< groups that share a function run one instance of it where registers suffice: half of
                               ///< the text for ptxas
  bool scheduleAround = false; ///< the loop over programs is scheduled, too (see OuterProblem.h)
  int64_t trips = 16;          ///< of the loops inside, for that
  std::function<void(const std::string &)> progress; ///< what is done now; empty when it is done
};

/// One scheduled loop with its problem and what the scheduler said.
struct ScheduledLoop {
  LoopProblem extracted;
  SolveResult result;
  bool replayed = false; ///< by another scheduler than the exact one, or from a file
  CertificateFiles
      certificate; ///< of an optimal result, for exactly the problem and the schedule above; heddle-check accepts it
  bool gaveUpChains = false;    ///< no schedule has its chains as nodes, with room for their elements or without
  bool fewAddresses = false;    ///< no schedule leaves all registers for addresses: half of them
  bool stoppedChoosing = false; ///< the time limit was reached before all schedules of this interval were compared
};

/// The loop over the programs of a persistent kernel, given the schedules of the loops inside and how often these run.
struct ScheduledPrograms {
  Problem problem;
  SolveResult result;
  CertificateFiles certificate;
  int64_t turns = 1; ///< programs in an iteration
  int64_t trips = 1; ///< of each loop inside
  /// Cycles for one program.
  double cycles() const { return double(result.schedule.ii * problem.scale) / turns; }
};

/// Everything one compilation made, as far as it went. The modules hold one kernel each.
struct Compilation {
  ParameterValues parameters;             ///< the value of each parameter of the program
  mlir::OwningOpRef<mlir::ModuleOp> tile; ///< the program with these values
  ClusterShape cluster;                   ///< empty: none
  int64_t spareRegisters = 0;             ///< of the extraction of its loops (ExtractOptions)
  ProgramOrder order;                     ///< in which programs begin
  /// What programs store alike is computed by one of them (StoreOnce.h); none: they store nothing alike.
  std::optional<bool> once;
  /// Reductions over threads run behind their loops (DeferReductions.h); none: there are none that could.
  std::optional<bool> defers;
  /// Left operands computed outside their products' loops stand in shared memory; none: there are no such operands.
  std::optional<bool> stageOuter;
  /// What threads load for products alone they copy to shared memory, without registers; none: there are no such tiles.
  std::optional<bool> threadCopies;
  /// Columns of the parts of an epilogue that loads, and slots for them, where no plan says so; empty: it runs whole.
  llvm::SmallVector<int64_t, 2> parts;
  bool mayKeepOuter = false;      ///< left operands do, and no plan says so
  int64_t roomForGroups = 0;      ///< compute groups that the machine has room for, where the program would have more
  bool mayLeaveProducts = false;  ///< products are transposed, and no plan says so
  bool mayHoldLoads = false;      ///< threads copy, and no plan says so
  bool onceOpen = false;          ///< no plan says `once`
  bool mayDefer = false;          ///< a plan that tells places of operations does not say it
  Rows rows = Rows::Held;         ///< how chains get the rows that loops load
  bool rowsGiven = false;         ///< as the plan or the options say
  std::optional<int64_t> retiled; ///< blocks of these loops, as plans say it; none: it says nothing to them
  bool narrowed = false;          ///< longer ones were cut to that, too
  bool oneCode = false;           ///< groups that share a function run one instance of it
  std::optional<bool> skipOnes;   ///< factors that are often one are tested; none: there are none
  std::optional<bool> startSums;  ///< products begin with what is added to them; none: there are none
  std::optional<bool> transposeProducts;          ///< those whose right operand threads make are; none: there are none
  mlir::OwningOpRef<mlir::ModuleOp> subtiled;     ///< sequential, split over groups
  mlir::OwningOpRef<mlir::ModuleOp> instructions; ///< what the loops' problems refer to
  mlir::OwningOpRef<mlir::ModuleOp> warp;
  mlir::OwningOpRef<mlir::ModuleOp> hw;
  std::vector<ScheduledLoop> loops;
  WarpDecisions decisions; ///< what the lowering decided, once there is a warp program
  std::string plan;        ///< every decision and who made it, once there is a warp program; a plan file that replays
  std::optional<ScheduledPrograms> programs; ///< of a persistent kernel, where scheduleAround was asked for
  std::string cuda, manifest;
  std::shared_ptr<SolvedLoops> solved; ///< for other forms of the same kernel
};

/// Compiles `kernel` (left unchanged) down to `upTo`. Diagnostics go to the context; failure leaves what was made so
/// far in `out`.
mlir::LogicalResult compileKernel(tile::KernelOp kernel, const Machine &machine, const CompileOptions &options,
                                  Level upTo, Compilation &out);

/// The same from a warp program, whose protocol is verified and in which nothing is changed, or from an hw program. Of
/// `options` they read `file` and `progress`.
mlir::LogicalResult compileKernel(warp::KernelOp kernel, const Machine &machine, const CompileOptions &options,
                                  Level upTo, Compilation &out);
mlir::LogicalResult compileKernel(hw::KernelOp kernel, const Machine &machine, const CompileOptions &options,
                                  Level upTo, Compilation &out);

/// `text` with its times, which are in units of `unit` cycles, in cycles.
std::string inCycles(llvm::StringRef text, int64_t unit);
/// The lower bound of `result` in cycles, and the unit of its times: it is one of problems whose costs are whole units.
std::string boundText(const SolveResult &result, int64_t unit);

/// "interval 1024 cycles (lower bound 1024, optimal): unit TC ..." for each loop.
std::string describeSchedules(const Compilation &compilation);

/// The kernel's loops as a tree, a line each: what was scheduled, by what, and what runs as it is written.
std::string describeRegions(const Compilation &compilation);

/// Registers every dialect that the levels use.
void registerHeddleDialects(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_PIPELINES_COMPILER_H
