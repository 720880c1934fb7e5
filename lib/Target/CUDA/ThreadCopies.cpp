//===- ThreadCopies.cpp - copies by threads from global to shared memory -----===//
//
// Pieces of 16 bytes (hd::copyAsync), each with its bounds test, where they are known to be aligned or a run-time test
// finds them so; else two at a time through registers, element by element.
//
//===----------------------------------------------------------------------------===//
#include "GlobalAddress.h"

#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/HW/Limits.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cuda;

LogicalResult cuda::printThreadCopy(hw::ThreadCopyOp copy, EmitContext &ctx) {
  RankedTensorType type = copy.getTile();
  if (failed(checkMemoryElement(copy, type.getElementType())))
    return failure();
  FailureOr<NamedRows> rows = NamedRows();
  if (copy.getRows())
    rows = namedRows(copy, copy.getRows(), type, ctx);
  if (failed(rows))
    return failure();
  std::string owner = ownerCondition(ctx, hw::layoutOf(type));
  ctx.line(owner.empty() ? "{" : "if (" + owner + ") {");
  ctx.indent();
  auto place = piecesInShared(copy, type, ctx.smemTileOf(copy.getDest()), ctx);
  if (failed(place))
    return failure();
  SmallVector<int64_t> dims = copy.getView().getType().getTileDims(copy.getDims(), type.getRank());
  GlobalAddress address(ctx, type, copy.getView(), copy.getIndices(), dims,
                        copy.getExtent().value_or(ArrayRef<int64_t>()), true, *rows);
  int64_t elements = registerArrayOf(type).elements, piece = 8 * hw::copyBytes / type.getElementTypeBitWidth();
  SmallVector<int64_t> all, even, odd;
  for (int64_t e = 0; e < elements; e += piece) {
    all.push_back(e);
    (e / piece % 2 ? odd : even).push_back(e);
  }
  auto close = [&](StringRef line) {
    ctx.unindent();
    ctx.line(line);
  };
  bool wide = address.vector == piece;
  if (wide) {
    std::string aligned = address.aligned();
    if (!aligned.empty()) {
      ctx.line("if (" + aligned + ") {");
      ctx.indent();
    }
    printLoop(ctx, all.size(),
              {"hd::copyAsync(" + (*place)(all) + ", " + address.address(all) + ", " + address.condition(all) + ");"});
    close(aligned.empty() ? "}" : "} else {");
    if (aligned.empty())
      return success();
    ctx.indent();
  }
  std::vector<std::string> load, store;
  for (ArrayRef<int64_t> part :
       all.size() % 2 ? SmallVector<ArrayRef<int64_t>>{all} : SmallVector<ArrayRef<int64_t>>{even, odd}) {
    std::string name = ctx.fresh("piece");
    auto [column, columns] = address.columns(part);
    load.push_back("const auto " + name + " = hd::loadPiece(" + address.address(part) + ", " + column + ", " + columns +
                   ");");
    store.push_back("hd::stShared(" + (*place)(part) + ", " + name + ");");
  }
  load.insert(load.end(), store.begin(), store.end());
  printLoop(ctx, all.size() / store.size(), load);
  ctx.line("hd::fenceProxyAsync();");
  if (wide)
    close("}");
  close("}");
  return success();
}
