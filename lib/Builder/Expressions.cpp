//===- Expressions.cpp - Operators of the tile builder --------------------===//
#include "heddle/Builder/TileBuilder.h"

#include "heddle/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::builder;

namespace {
/// Two operands brought to one type.
struct Pair {
  Pair(const Operand &a, const Operand &b) : kernel(a.expr ? a.expr->owner() : b.expr->owner()) {
    Type left = a.expr ? a.expr->value().getType() : Type(), right = b.expr ? b.expr->value().getType() : Type();
    Type like = !left || (right && isa<RankedTensorType>(right)) ? right : left;
    x = kernel.materialize(a, like);
    y = kernel.materialize(b, like);
    element = getElementTypeOrSelf(like);
  }
  bool isFloat() const { return isa<FloatType>(element); }
  bool isIndex() const { return element.isIndex(); }
  template <typename Op> Expr make() const { return Expr(&kernel, Op::create(kernel.ir(), kernel.loc(), x, y)); }
  Expr compare(arith::CmpFPredicate forFloat, arith::CmpIPredicate forSigned, arith::CmpIPredicate forIndex) const {
    if (isFloat())
      return Expr(&kernel, arith::CmpFOp::create(kernel.ir(), kernel.loc(), forFloat, x, y));
    return Expr(&kernel, arith::CmpIOp::create(kernel.ir(), kernel.loc(), isIndex() ? forIndex : forSigned, x, y));
  }
  BodyBuilder &kernel;
  Value x, y;
  Type element;
};
} // namespace

Expr heddle::builder::operator+(const Operand &a, const Operand &b) {
  Pair p(a, b);
  return p.isFloat() ? p.make<arith::AddFOp>() : p.make<arith::AddIOp>();
}
Expr heddle::builder::operator-(const Operand &a, const Operand &b) {
  Pair p(a, b);
  return p.isFloat() ? p.make<arith::SubFOp>() : p.make<arith::SubIOp>();
}
Expr heddle::builder::operator*(const Operand &a, const Operand &b) {
  Pair p(a, b);
  return p.isFloat() ? p.make<arith::MulFOp>() : p.make<arith::MulIOp>();
}
Expr heddle::builder::operator/(const Operand &a, const Operand &b) {
  Pair p(a, b);
  if (p.isFloat())
    return p.make<arith::DivFOp>();
  return p.isIndex() ? p.make<arith::DivUIOp>() : p.make<arith::DivSIOp>();
}
Expr heddle::builder::maximum(const Operand &a, const Operand &b) {
  Pair p(a, b);
  if (p.isFloat())
    return p.make<arith::MaximumFOp>();
  return p.isIndex() ? p.make<arith::MaxUIOp>() : p.make<arith::MaxSIOp>();
}
Expr heddle::builder::minimum(const Operand &a, const Operand &b) {
  Pair p(a, b);
  if (p.isFloat())
    return p.make<arith::MinimumFOp>();
  return p.isIndex() ? p.make<arith::MinUIOp>() : p.make<arith::MinSIOp>();
}
Expr heddle::builder::ceilDiv(const Operand &a, const Operand &b, Where where) {
  Pair p(a, b);
  p.kernel.setLocation(where);
  return p.isIndex() ? p.make<arith::CeilDivUIOp>() : p.make<arith::CeilDivSIOp>();
}

Expr heddle::builder::operator<(const Operand &a, const Operand &b) {
  return Pair(a, b).compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, arith::CmpIPredicate::ult);
}
Expr heddle::builder::operator<=(const Operand &a, const Operand &b) {
  return Pair(a, b).compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, arith::CmpIPredicate::ule);
}
Expr heddle::builder::operator>(const Operand &a, const Operand &b) {
  return Pair(a, b).compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, arith::CmpIPredicate::ugt);
}
Expr heddle::builder::operator>=(const Operand &a, const Operand &b) {
  return Pair(a, b).compare(arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge, arith::CmpIPredicate::uge);
}

Expr heddle::builder::select(Expr condition, const Operand &a, const Operand &b, Where where) {
  BodyBuilder &kernel = condition.owner();
  kernel.setLocation(where);
  Type like = a.expr ? a.expr->value().getType() : b.expr->value().getType();
  // Scalars repeat over a tile condition.
  if (auto tile = dyn_cast<RankedTensorType>(condition.value().getType()); tile && !isa<RankedTensorType>(like))
    like = RankedTensorType::get(tile.getShape(), like);
  if (b.expr && isa<RankedTensorType>(b.expr->value().getType()))
    like = b.expr->value().getType();
  return Expr(&kernel, arith::SelectOp::create(kernel.ir(), kernel.loc(), condition.value(),
                                               kernel.materialize(a, like), kernel.materialize(b, like)));
}

template <typename Op> static Expr unary(Expr x, Where where) {
  BodyBuilder &kernel = x.owner();
  kernel.setLocation(where);
  return Expr(&kernel, Op::create(kernel.ir(), kernel.loc(), x.value()));
}
Expr heddle::builder::exp(Expr x, Where where) { return unary<math::ExpOp>(x, where); }
Expr heddle::builder::exp2(Expr x, Where where) { return unary<math::Exp2Op>(x, where); }
Expr heddle::builder::log(Expr x, Where where) { return unary<math::LogOp>(x, where); }
Expr heddle::builder::log2(Expr x, Where where) { return unary<math::Log2Op>(x, where); }
Expr heddle::builder::sqrt(Expr x, Where where) { return unary<math::SqrtOp>(x, where); }
Expr heddle::builder::rsqrt(Expr x, Where where) { return unary<math::RsqrtOp>(x, where); }
Expr heddle::builder::tanh(Expr x, Where where) { return unary<math::TanhOp>(x, where); }
Expr heddle::builder::abs(Expr x, Where where) { return unary<math::AbsFOp>(x, where); }

Expr heddle::builder::cast(Expr x, Element element, Where where) {
  BodyBuilder &kernel = x.owner();
  kernel.setLocation(where);
  Type from = x.value().getType(), to = kernel.typeOf(element);
  Type fromElement = getElementTypeOrSelf(from), toElement = to;
  if (auto tile = dyn_cast<RankedTensorType>(from))
    to = RankedTensorType::get(tile.getShape(), toElement);
  if (from == to)
    return x;
  auto make = [&](auto *op) {
    using Op = std::remove_pointer_t<decltype(op)>;
    return Expr(&kernel, Op::create(kernel.ir(), kernel.loc(), to, x.value()));
  };
  bool fromFloat = isa<FloatType>(fromElement), toFloat = isa<FloatType>(toElement);
  if (fromFloat && toFloat)
    return fromElement.getIntOrFloatBitWidth() < toElement.getIntOrFloatBitWidth()
               ? make(static_cast<arith::ExtFOp *>(nullptr))
               : make(static_cast<arith::TruncFOp *>(nullptr));
  if (fromFloat)
    return make(static_cast<arith::FPToSIOp *>(nullptr));
  if (toFloat)
    return make(static_cast<arith::SIToFPOp *>(nullptr));
  if (fromElement.isIndex() || toElement.isIndex())
    return make(static_cast<arith::IndexCastOp *>(nullptr));
  if (fromElement.getIntOrFloatBitWidth() > toElement.getIntOrFloatBitWidth())
    return make(static_cast<arith::TruncIOp *>(nullptr));
  return fromElement.isInteger(1) ? make(static_cast<arith::ExtUIOp *>(nullptr))
                                  : make(static_cast<arith::ExtSIOp *>(nullptr));
}

//===----------------------------------------------------------------------===//
// Tiles: wrong ranks and axes are built as they are, for the verifiers to report
//===----------------------------------------------------------------------===//

Expr heddle::builder::dot(Expr a, Expr b, Expr acc, Where where) {
  BodyBuilder &kernel = a.owner();
  kernel.setLocation(where);
  return Expr(&kernel,
              tile::DotOp::create(kernel.ir(), kernel.loc(), acc.value().getType(), a.value(), b.value(), acc.value()));
}

static SmallVector<int64_t> shapeOf(Expr x) {
  auto tile = dyn_cast<RankedTensorType>(x.value().getType());
  return tile ? SmallVector<int64_t>(tile.getShape()) : SmallVector<int64_t>();
}

static RankedTensorType tileOf(Expr like, ArrayRef<int64_t> shape) {
  return like.owner().tileType(shape, getElementTypeOrSelf(like.value().getType()));
}

Expr heddle::builder::transpose(Expr tile, Where where) {
  BodyBuilder &kernel = tile.owner();
  kernel.setLocation(where);
  SmallVector<int64_t> shape = shapeOf(tile);
  std::reverse(shape.begin(), shape.end());
  return Expr(&kernel, tile::TransposeOp::create(kernel.ir(), kernel.loc(), tileOf(tile, shape), tile.value()));
}

Expr heddle::builder::reduce(const std::string &fold, Expr tile, int64_t axis, Where where) {
  BodyBuilder &kernel = tile.owner();
  kernel.setLocation(where);
  SmallVector<int64_t> shape = shapeOf(tile);
  if (axis >= 0 && axis < static_cast<int64_t>(shape.size()))
    shape.erase(shape.begin() + axis);
  return Expr(&kernel,
              tile::ReduceOp::create(kernel.ir(), kernel.loc(), tileOf(tile, shape), fold, tile.value(), axis));
}

Expr heddle::builder::broadcast(Expr tile, int64_t axis, int64_t extent, Where where) {
  BodyBuilder &kernel = tile.owner();
  kernel.setLocation(where);
  SmallVector<int64_t> shape = shapeOf(tile);
  shape.insert(shape.begin() + std::clamp<int64_t>(axis, 0, shape.size()), extent);
  return Expr(&kernel, tile::BroadcastOp::create(kernel.ir(), kernel.loc(), tileOf(tile, shape), tile.value(), axis));
}

Expr heddle::builder::splat(Expr scalar, std::vector<int64_t> shape, Where where) {
  BodyBuilder &kernel = scalar.owner();
  kernel.setLocation(where);
  return Expr(&kernel, tensor::SplatOp::create(kernel.ir(), kernel.loc(), scalar.value(), tileOf(scalar, shape)));
}
