//===- SourceNames.cpp - see SourceNames.h -----------------------------------===//
#include "heddle/Dialect/Tile/SourceNames.h"

#include "heddle/Dialect/Tile/Call.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace heddle;

/// The name in the text at `range` ("%acc", "%acc:2"); empty for numbers.
static StringRef nameAt(SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text = text.ltrim('%').split(':').first;
  return text.empty() || llvm::isDigit(text.front()) ? StringRef() : text;
}

/// `loc` with a name, where `loc` is a place in `file` itself: a text that was printed with locations says in them what
/// its values were called.
static Location named(StringRef name, Location loc, StringRef file) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place || place.getFilename() != file)
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

/// Loops print no locations of their block arguments: their names, one after the other, empty for none.
static constexpr StringLiteral namesAttr = "heddle.names";

template <typename Fn> static void forEachInnerArgument(Operation *op, Fn fn) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        fn(argument);
}

void tile::noteNames(Operation *root) {
  root->walk([](Operation *op) {
    SmallVector<StringRef> names;
    if (!isa<FunctionOpInterface>(op)) // these print them
      forEachInnerArgument(op, [&](BlockArgument argument) { names.push_back(sourceName(argument)); });
    if (llvm::any_of(names, [](StringRef name) { return !name.empty(); }))
      op->setAttr(namesAttr, Builder(op).getStrArrayAttr(names));
  });
}

/// Gives the names that noteNames has written down back to their block arguments.
static void applyNotedNames(Operation *root, StringRef file) {
  root->walk([&](Operation *op) {
    auto names = op->getAttrOfType<ArrayAttr>(namesAttr);
    auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
    bool printed = names || (place && place.getFilename() != file && !isa<FunctionOpInterface>(op));
    size_t at = 0;
    forEachInnerArgument(op, [&](BlockArgument argument) {
      auto name = names && at < names.size() ? dyn_cast<StringAttr>(names[at++]) : StringAttr();
      if (name && !name.empty())
        argument.setLoc(NameLoc::get(name, op->getLoc()));
      else if (printed)
        argument.setLoc(op->getLoc());
    });
    op->removeAttr(namesAttr);
  });
}

OwningOpRef<ModuleOp> tile::parseWithNames(const llvm::SourceMgr &sources, MLIRContext *context) {
  ParsedBodies bodies;
  AsmParserState definitions;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(context), &definitions)))
    return {};
  StringRef file = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  for (const AsmParserState::OperationDefinition &definition : definitions.getOpDefs()) {
    if (definition.op->getNumRegions()) // what a loop carries has its name from the block argument
      continue;
    for (const auto &group : definition.resultGroups) // of several groups, the first names the operation
      if (StringRef name = nameAt(group.definition.loc); !name.empty()) {
        definition.op->setLoc(named(name, definition.op->getLoc(), file));
        break;
      }
  }
  for (const AsmParserState::BlockDefinition &definition : definitions.getBlockDefs())
    for (auto [argument, text] : llvm::zip(definition.block->getArguments(), definition.arguments))
      if (StringRef name = nameAt(text.loc); !name.empty())
        argument.setLoc(named(name, argument.getLoc(), file));
  for (Operation &op : block)
    applyNotedNames(&op, file);
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block, context,
                                                                          FileLineColLoc::get(context, file, 0, 0));
}

StringRef tile::sourceName(Value value) {
  auto name = dyn_cast<NameLoc>(value.getLoc());
  return name ? name.getName().getValue() : StringRef();
}

void tile::keepName(Value from, Value to) {
  if (auto argument = dyn_cast<BlockArgument>(to); argument && !sourceName(from).empty())
    argument.setLoc(from.getLoc());
}
