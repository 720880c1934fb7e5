//===- SourceNames.cpp - see SourceNames.h -----------------------------------===//
#include "heddle/Dialect/Tile/SourceNames.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
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

static Location named(StringRef name, Location loc) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

OwningOpRef<ModuleOp> tile::parseWithNames(const llvm::SourceMgr &sources, MLIRContext *context) {
  AsmParserState definitions;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(context), &definitions)))
    return {};
  for (const AsmParserState::OperationDefinition &definition : definitions.getOpDefs()) {
    if (definition.op->getNumRegions()) // what a loop carries has its name from the block argument
      continue;
    for (const auto &group : definition.resultGroups) // of several groups, the first names the operation
      if (StringRef name = nameAt(group.definition.loc); !name.empty()) {
        definition.op->setLoc(named(name, definition.op->getLoc()));
        break;
      }
  }
  for (const AsmParserState::BlockDefinition &definition : definitions.getBlockDefs())
    for (auto [argument, text] : llvm::zip(definition.block->getArguments(), definition.arguments))
      if (StringRef name = nameAt(text.loc); !name.empty())
        argument.setLoc(named(name, argument.getLoc()));
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(sources.getMainFileID());
  Location file = FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0);
  return detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block, context, file);
}

StringRef tile::sourceName(Value value) {
  auto name = dyn_cast<NameLoc>(value.getLoc());
  return name ? name.getName().getValue() : StringRef();
}

void tile::keepName(Value from, Value to) {
  if (auto argument = dyn_cast<BlockArgument>(to); argument && !sourceName(from).empty())
    argument.setLoc(from.getLoc());
}
