//===- BindManifest.cpp - Manifest and tensors to a launch -----------------------------------===//
//
// What:     evaluates the grid, checks every tensor, computes parameter values and tensor-map
// arguments. Verifies: what docs/Manifest.md lists under "what the launcher checks"; all are user
// errors.
//
//===------------------------------------------------------------------------------------------===//
#include "heddle_runtime/Manifest.h"

#include <algorithm>
#include <cmath>

namespace heddle::runtime {
namespace {

std::string str(int64_t value) { return std::to_string(value); }
std::string at(const std::string &view, int64_t dim) { return "view '" + view + "', dimension " + str(dim); }

struct Environment {
  const std::map<std::string, Tensor> &tensors;
  const std::map<std::string, double> &scalars;
  std::map<std::string, int64_t> symbols;
  int sms;
};

/// An integer scalar as the caller gave it.
Result<int64_t> integerOf(const std::string &name, double value) {
  if (!(value >= -0x1p53 && value <= 0x1p53) || value != std::floor(value))
    return userError("scalar '" + name + "': expected an integer, got " + std::to_string(value));
  return static_cast<int64_t>(value);
}

/// The operation `name` on a and b; false: the result has more than 64 bits. b > 0 for the divisions.
bool apply(const std::string &name, int64_t a, int64_t b, int64_t &result) {
  if (name == "add")
    return !__builtin_add_overflow(a, b, &result);
  if (name == "sub")
    return !__builtin_sub_overflow(a, b, &result);
  if (name == "mul")
    return !__builtin_mul_overflow(a, b, &result);
  if (name == "min" || name == "max") {
    result = name == "min" ? std::min(a, b) : std::max(a, b);
    return true;
  }
  int64_t floor = a / b - (a % b < 0 ? 1 : 0), mod = a % b < 0 ? a % b + b : a % b;
  result = name == "floordiv" ? floor : name == "mod" ? mod : floor + (mod != 0 ? 1 : 0);
  return true;
}

Result<int64_t> evaluate(const Expr &e, const Environment &env) {
  switch (e.kind) {
  case Expr::Kind::Const: return e.value;
  case Expr::Kind::Sms: return static_cast<int64_t>(env.sms);
  case Expr::Kind::Dim:
  case Expr::Kind::Stride: {
    auto it = env.tensors.find(e.name);
    if (it == env.tensors.end() || e.value < 0 || e.value >= static_cast<int64_t>(it->second.shape.size()))
      return userError("expression: no dimension " + str(e.value) + " of view '" + e.name + "'");
    return (e.kind == Expr::Kind::Dim ? it->second.shape : it->second.strides)[e.value];
  }
  case Expr::Kind::Symbol: {
    auto it = env.symbols.find(e.name);
    if (it == env.symbols.end())
      return userError("expression: unknown symbol '" + e.name + "'");
    return it->second;
  }
  case Expr::Kind::Arg: {
    auto it = env.scalars.find(e.name);
    if (it == env.scalars.end())
      return userError("expression: unknown argument '" + e.name + "'");
    return integerOf(e.name, it->second);
  }
  case Expr::Kind::Op: break;
  }
  Result<int64_t> left = evaluate(e.operands[0], env);
  if (!left)
    return left;
  Result<int64_t> right = evaluate(e.operands[1], env);
  if (!right)
    return right;
  int64_t a = *left, b = *right;
  if ((e.name == "ceildiv" || e.name == "floordiv" || e.name == "mod") && b <= 0)
    return userError("expression: expected a positive divisor, got " + str(b));
  int64_t result = 0;
  if (!apply(e.name, a, b, result))
    return userError("expression: expected a value of 64 bits, got " + e.name + " of " + str(a) + " and " + str(b));
  return result;
}

/// No element of an empty tensor has an address: its strides may be anything.
bool isEmpty(const Tensor &t) { return std::find(t.shape.begin(), t.shape.end(), 0) != t.shape.end(); }

Status checkAddress(const std::string &view, const Tensor &t) {
  if (t.address % 16)
    return userError("view '" + view + "': expected an address that is a multiple of 16 bytes, got remainder " +
                     str(t.address % 16));
  return Status::success();
}

Error strideError(const std::string &place, int64_t bytes) {
  return userError(place + ": expected a stride that is a multiple of 16 bytes, got " + str(bytes) + " bytes");
}

Status checkTensor(const ViewDecl &view, const Tensor &t, std::map<std::string, int64_t> &symbols) {
  if (static_cast<int>(t.shape.size()) != view.rank || t.strides.size() != t.shape.size())
    return userError("view '" + view.name + "': expected rank " + str(view.rank) + ", got " + str(t.shape.size()));
  if (t.elem != view.elem)
    return userError("view '" + view.name + "': expected elements of type " + view.elem + ", got " + t.elem);
  if (t.shape.back() > 1 && t.strides.back() != 1)
    return userError(at(view.name, view.rank - 1) + ": expected stride 1, got " + str(t.strides.back()));
  for (size_t d = 0; d < view.shape.size(); ++d) {
    int64_t want = view.shape[d].size;
    if (!view.shape[d].symbol.empty())
      want = symbols.emplace(view.shape[d].symbol, t.shape[d]).first->second;
    if (want >= 0 && want != t.shape[d])
      return userError(at(view.name, d) + ": expected size " + str(want) + ", got " + str(t.shape[d]));
  }
  for (size_t d = 0; d < view.multiples.size(); ++d)
    if (t.shape[d] % view.multiples[d])
      return userError(at(view.name, d) + ": expected a size that is a multiple of " + str(view.multiples[d]) +
                       ", got " + str(t.shape[d]));
  if (!view.aligned || isEmpty(t))
    return Status::success();
  if (Status status = checkAddress(view.name, t); !status)
    return status;
  for (size_t d = 0; d + 1 < t.strides.size(); ++d)
    if (int64_t bytes = t.strides[d] * elementBytes(t.elem); bytes % 16)
      return strideError(at(view.name, d), bytes);
  return Status::success();
}

Result<int32_t> narrow(int64_t value, const std::string &what) {
  if (value < INT32_MIN || value > INT32_MAX)
    return userError(what + ": expected a 32-bit value, got " + str(value));
  return static_cast<int32_t>(value);
}

} // namespace

Result<TensorMapSpec> tensorMapSpec(const Param &p, const Tensor &t) {
  TensorMapSpec spec;
  spec.elem = p.elem.empty() ? t.elem : p.elem;
  const int64_t size = elementBytes(spec.elem);
  std::vector<MapDim> entries = p.dims;
  if (entries.empty())
    for (size_t d = 0; d < t.shape.size(); ++d)
      entries.push_back({static_cast<int>(d), 0, 0});
  const std::string map = "tensor map of '" + p.view + "'";
  if (entries.size() > 5 || p.box.size() != entries.size())
    return userError(map + ": expected 1 to 5 dims and as many box entries, got " + str(entries.size()) + " and " +
                     str(p.box.size()));
  if (Status status = checkAddress(p.view, t); !status)
    return status.error();
  const bool empty = isEmpty(t);
  for (size_t i = 0; i < entries.size(); ++i) {
    const MapDim &entry = entries[i];
    const bool last = i + 1 == entries.size();
    const int64_t chunk = entry.chunk ? entry.chunk : entry.chunks;
    if (chunk && t.shape[entry.dim] % chunk)
      return userError(at(p.view, entry.dim) + ": expected a size that is a multiple of " + str(chunk) + ", got " +
                       str(t.shape[entry.dim]));
    int64_t stride = entry.dim + 1 == static_cast<int>(t.shape.size()) ? 1 : t.strides[entry.dim];
    int64_t extent = entry.chunk ? entry.chunk : entry.chunks ? t.shape[entry.dim] / entry.chunks : t.shape[entry.dim];
    if (entry.chunks)
      stride *= entry.chunks;
    if (p.box[i] < 1 || p.box[i] > 256)
      return userError(map + ", box entry " + str(i) + ": expected 1 to 256, got " + str(p.box[i]));
    if (last && stride != 1)
      return userError(map + ": expected the last entry to have stride 1, got " + str(stride));
    int64_t bytes = empty ? 16 : stride * size;
    if (!last && bytes % 16)
      return strideError(at(p.view, entry.dim), bytes);
    if (!last && (bytes < 0 || bytes >= int64_t(1) << 40)) {
      if (extent > 1)
        return userError(at(p.view, entry.dim) + ": expected a stride of 0 to 2^40 bytes, got " + str(bytes));
      bytes = 16; // never used: the dimension has one entry
    }
    spec.dims.insert(spec.dims.begin(), extent);
    spec.box.insert(spec.box.begin(), static_cast<uint32_t>(p.box[i]));
    if (!last)
      spec.strides.insert(spec.strides.begin(), bytes);
  }
  const int64_t row = p.box.back() * size;
  if (row % 16 || (p.swizzle && row > p.swizzle))
    return userError(map + ": expected a box row that is a multiple of 16 bytes" +
                     (p.swizzle ? " and at most " + str(p.swizzle) : std::string()) + ", got " + str(row));
  spec.address = t.address;
  spec.swizzle = p.swizzle;
  spec.l2 = p.l2;
  spec.nanFill = p.nanFill;
  return spec;
}

Status checkRowEnds(const Param &p, const Tensor &t) {
  const int64_t size = elementBytes(p.elem.empty() ? t.elem : p.elem);
  const size_t last = t.shape.size() - 1;
  const int64_t row = t.shape[last] * size;
  if (last == 0 || row % 16 == 0 || isEmpty(t))
    return {};
  int64_t pitch = 0; // the least of the dimensions that have several entries
  for (size_t d = 0; d < last; ++d)
    if (t.shape[d] > 1 && (!pitch || t.strides[d] * size < pitch))
      pitch = t.strides[d] * size;
  if (!pitch)
    pitch = t.strides[last - 1] * size;
  if (pitch > (row + 15) / 16 * 16)
    return userError(at(p.view, static_cast<int>(last)) +
                     ": expected a size that is a multiple of 16 bytes, or rows that end with it, since stores write "
                     "16 bytes at a time; got " +
                     str(row) + " of " + str(pitch) + " bytes");
  return {};
}

bool usesCounter(const Manifest &m) {
  return std::any_of(m.params.begin(), m.params.end(), [](const Param &p) { return p.kind == Param::Kind::Counter; });
}

/// Checks that there is a right tensor for each view and a value for each scalar.
static Status checkArguments(const std::vector<ViewDecl> &views, const std::vector<ScalarDecl> &scalars,
                             Environment &env) {
  for (const ViewDecl &view : views) {
    auto it = env.tensors.find(view.name);
    if (it == env.tensors.end())
      return userError("expected a tensor for view '" + view.name + "'");
    if (Status status = checkTensor(view, it->second, env.symbols); !status)
      return status;
  }
  for (const ScalarDecl &s : scalars)
    if (!env.scalars.count(s.name))
      return userError("expected a value for scalar '" + s.name + "'");
  return Status::success();
}

/// A workspace's sizes, its strides (rows begin at multiples of 16 bytes) and its bytes.
static Result<ChainPlan::Workspace> planWorkspace(const WorkspaceDecl &w, const Environment &env) {
  ChainPlan::Workspace plan{w.name, {0, {}, {}, w.elem}, 0, w.zeroed};
  std::vector<int64_t> &shape = plan.tensor.shape, &strides = plan.tensor.strides;
  for (size_t d = 0; d < w.shape.size(); ++d) {
    Result<int64_t> size = evaluate(w.shape[d], env);
    if (!size)
      return size.error();
    if (*size < 0 || *size > INT32_MAX)
      return userError("workspace '" + w.name + "', dimension " + str(d) + ": expected 0 to 2147483647, got " +
                       str(*size));
    shape.push_back(*size);
  }
  const int64_t bytes = elementBytes(w.elem);
  int64_t pitch = (shape.back() * bytes + 15) / 16 * 16 / bytes;
  strides.assign(shape.size(), 1);
  for (size_t d = shape.size() - 1; d-- > 0;) {
    strides[d] = pitch;
    if (__builtin_mul_overflow(pitch, std::max<int64_t>(shape[d], 1), &pitch) || pitch > (int64_t(1) << 50))
      return userError("workspace '" + w.name + "': expected at most 2^50 elements, got more");
  }
  plan.bytes = std::max<uint64_t>(16, static_cast<uint64_t>(pitch) * bytes);
  return plan;
}

Result<ChainPlan> bindChain(const ChainManifest &m, const std::map<std::string, Tensor> &tensors,
                            const std::map<std::string, double> &scalars) {
  Environment env{tensors, scalars, {}, 0};
  if (Status status = checkArguments(m.views, m.scalars, env); !status)
    return status.error();
  ChainPlan plan;
  for (const WorkspaceDecl &w : m.workspaces) {
    Result<ChainPlan::Workspace> workspace = planWorkspace(w, env);
    if (!workspace)
      return workspace.error();
    plan.workspaces.push_back(std::move(*workspace));
  }
  for (const LaunchDecl &l : m.launches) {
    ChainPlan::Launch &launch = plan.launches.emplace_back(ChainPlan::Launch{l.kernel, l.views, {}});
    for (const auto &[name, binding] : l.scalars) {
      if (auto *number = std::get_if<double>(&binding.value)) {
        launch.scalars[name] = *number;
      } else if (auto *argument = std::get_if<std::string>(&binding.value)) {
        auto it = scalars.find(*argument);
        if (it == scalars.end())
          return userError("expression: unknown argument '" + *argument + "'");
        launch.scalars[name] = it->second;
      } else {
        Result<int64_t> value = evaluate(std::get<Expr>(binding.value), env);
        if (!value)
          return value.error();
        launch.scalars[name] = static_cast<double>(*value);
      }
    }
  }
  return plan;
}

Result<LaunchPlan> bindManifest(const Manifest &m, const std::map<std::string, Tensor> &tensors,
                                const std::map<std::string, double> &scalars, int sms, uint64_t counter) {
  Environment env{tensors, scalars, {}, sms};
  if (Status status = checkArguments(m.views, m.scalars, env); !status)
    return status.error();
  LaunchPlan plan;
  for (int i = 0; i < 3; ++i) {
    Result<int64_t> extent = evaluate(m.grid[i], env);
    if (!extent)
      return extent.error();
    if (*extent < 0 || *extent % m.cluster[i])
      return userError("grid axis " + str(i) + ": expected a multiple of the cluster's " + str(m.cluster[i]) +
                       ", got " + str(*extent));
    plan.grid[i] = *extent;
  }
  if (plan.empty())
    return plan;
  for (const Param &p : m.params) {
    Result<int64_t> number = int64_t(0);
    std::string what;
    switch (p.kind) {
    case Param::Kind::TensorMap: {
      bool stored = std::any_of(m.views.begin(), m.views.end(),
                                [&](const ViewDecl &v) { return v.name == p.view && v.access != Access::In; });
      if (Status status = stored ? checkRowEnds(p, tensors.at(p.view)) : Status(); !status)
        return status.error();
      Result<TensorMapSpec> spec = tensorMapSpec(p, tensors.at(p.view));
      if (!spec)
        return spec.error();
      plan.values.push_back(*spec);
      continue;
    }
    case Param::Kind::Counter: plan.values.push_back(counter); continue;
    case Param::Kind::Pointer: plan.values.push_back(tensors.at(p.view).address); continue;
    case Param::Kind::Scalar:
      if (p.type == "f32") {
        plan.values.push_back(static_cast<float>(scalars.at(p.view)));
        continue;
      }
      number = integerOf(p.view, scalars.at(p.view));
      what = "scalar '" + p.view + "'";
      break;
    case Param::Kind::Size:
    case Param::Kind::Stride:
      number = (p.kind == Param::Kind::Size ? tensors.at(p.view).shape : tensors.at(p.view).strides)[p.dim];
      what = at(p.view, p.dim) + (p.kind == Param::Kind::Size ? ": size" : ": stride");
      break;
    case Param::Kind::Expr:
      number = evaluate(p.value, env);
      what = "expression parameter";
      break;
    }
    if (!number)
      return number.error();
    Result<int32_t> value = narrow(*number, what);
    if (!value)
      return value.error();
    plan.values.push_back(*value);
  }
  return plan;
}

} // namespace heddle::runtime
