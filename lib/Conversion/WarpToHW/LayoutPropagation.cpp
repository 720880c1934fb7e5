//===- LayoutPropagation.cpp - see LayoutPropagation.h ---------------------------===//
#include "LayoutPropagation.h"

#include "LayoutRules.h"
#include "heddle/Dialect/HW/HW.h"
#include "heddle/Dialect/HW/Layout.h"
#include "heddle/Dialect/Tile/Reshape.h"

using namespace mlir;
using namespace heddle;

LinearLayout heddle::layoutAround(tensor::InsertSliceOp insert, const LinearLayout &layout) {
  if (planWindow(layout, insert.getStaticOffsets(), insert.getStaticSizes()))
    return layout;
  return defaultLayout(insert.getType(), layout.numWarps(), insert.getStaticSizes());
}

LinearLayout heddle::windowLayout(tensor::ExtractSliceOp slice, const LinearLayout &layout) {
  int warps = layout.numWarps();
  std::optional<Window> window = planWindow(layout, slice.getStaticOffsets(), slice.getStaticSizes());
  if (!window)
    window = planWindow(defaultLayout(slice.getSourceType(), warps, slice.getStaticSizes()), slice.getStaticOffsets(),
                        slice.getStaticSizes());
  // the verifier reports what is no window of any layout
  return window ? window->layout : defaultLayout(slice.getResult().getType(), warps);
}

void LayoutPropagation::assign(Value value, const LinearLayout &layout) {
  if (!isa<RankedTensorType>(value.getType()) || !layouts.try_emplace(value, layout).second)
    return;
  pending.push_back(value);
  // What a variable of control flow is called inside and behind has one layout, before anything else reaches either.
  std::optional<VariableRef> variable = variableOf(value);
  if (!variable)
    return;
  PassedVariable passed = passedVariables(variable->op)[variable->number];
  for (Value name : passed.names)
    if (layouts.try_emplace(name, layout).second)
      pending.push_back(name);
}

void LayoutPropagation::propagate() {
  while (!pending.empty()) {
    Value value = pending.front();
    pending.pop_front();
    LinearLayout layout = layouts.at(value); // a copy: the map grows
    visitDefinition(value, layout);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    for (OpOperand *use : llvm::reverse(uses))
      visitUse(*use, layout);
  }
}

/// A variable of control flow has one layout, wherever its values come from.
void LayoutPropagation::join(VariableRef variable, const LinearLayout &layout) {
  PassedVariable passed = passedVariables(variable.op)[variable.number];
  for (Value name : passed.names)
    assign(name, layout);
  for (OpOperand *given : llvm::reverse(passed.given)) // what an iteration makes, then what enters
    assign(given->get(), layout);
}

void LayoutPropagation::visitUse(OpOperand &use, const LinearLayout &layout) {
  Operation *op = use.getOwner();
  if (turning.contains(op))
    return;
  if (keepsLayout(op)) {
    assign(op->getResult(0), layout);
    for (Value operand : op->getOperands())
      assign(operand, layout);
  } else if (std::optional<VariableRef> variable = variableOf(use)) {
    join(*variable, layout);
  } else if (auto wait = dyn_cast<warp::DotWaitOp>(op)) {
    assign(wait.getResult(use.getOperandNumber() - wait.getTokens().size()), layout);
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    assign(reduce.getResult(), sliceLayout(layout, reduce.getAxis()));
  } else if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getRows() && use.getOperandNumber() == 0) {
    assign(store.getRows(), rowsLayout(layout));
  } else if (std::optional<Rearrangement> moved = Rearrangement::of(op);
             moved && !moved->repeats() && crossesTransposes) {
    assign(moved->result, hw::layoutOfResult(*moved, layout));
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    assign(slice.getResult(), windowLayout(slice, layout));
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op); insert && &use == &insert.getDestMutable()) {
    assign(insert.getResult(), layout);
  } else if (std::optional<Reshape> reshape = Reshape::of(op)) {
    assign(reshape->result, hw::layoutAcross(*reshape, layout, /*ofSource=*/false));
  }
}

void LayoutPropagation::visitDefinition(Value value, const LinearLayout &layout) {
  if (std::optional<VariableRef> variable = variableOf(value))
    return join(*variable, layout);
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (turning.contains(op))
    return;
  if (keepsLayout(op)) {
    for (Value operand : op->getOperands())
      assign(operand, layout);
  } else if (auto wait = dyn_cast<warp::DotWaitOp>(op)) {
    assign(wait.getValues()[index], layout);
  } else if (std::optional<Rearrangement> moved = Rearrangement::of(op)) {
    if (moved->keepsOrder() || crossesTransposes)
      assign(moved->source, hw::layoutOfSource(*moved, layout));
  } else if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    assign(gather.getRows(), rowsLayout(layout));
  } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    LinearLayout whole = layoutAround(insert, layout);
    assign(insert.getDest(), whole);
    assign(insert.getSource(), planWindow(whole, insert.getStaticOffsets(), insert.getStaticSizes())->layout);
  } else if (std::optional<Reshape> reshape = Reshape::of(op)) {
    assign(reshape->source, hw::layoutAcross(*reshape, layout, /*ofSource=*/true));
  }
}
