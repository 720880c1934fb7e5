//===- ParseManifest.cpp - kernel.json to Manifest -------------------------------------------===//
//
// What:     JSON text to a checked Manifest or ChainManifest. Unknown keys are errors: nothing is ignored.
// Verifies: required keys and their types, names that resolve, enumerations. Not sizes:
// bindManifest does.
//
//===------------------------------------------------------------------------------------------===//
#include "heddle_runtime/Manifest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

using Json = nlohmann::json;

namespace heddle::runtime {
namespace {

/// Collects the first error; every reader below returns a default once it is set.
class Reader {
public:
  explicit Reader(std::string file) : file(std::move(file)) {}

  bool failed() const { return !message.empty(); }
  Error error() const { return userError(message, SourceLoc{file, 0, 0}); }
  void fail(const std::string &text) {
    if (!failed())
      message = text;
  }

  bool object(const Json &json, const std::string &where, std::initializer_list<const char *> required,
              std::initializer_list<const char *> optional = {}) {
    if (!json.is_object()) {
      fail(where + ": expected an object, got " + json.dump());
      return false;
    }
    for (const char *key : required)
      if (!json.contains(key))
        fail(where + ": expected the key '" + key + "'");
    for (const auto &item : json.items()) {
      auto known = [&](const char *key) { return item.key() == key; };
      if (std::none_of(required.begin(), required.end(), known) &&
          std::none_of(optional.begin(), optional.end(), known))
        fail(where + ": unknown key '" + item.key() + "'");
    }
    return !failed();
  }

  int64_t integer(const Json &json, const std::string &where) {
    if (!json.is_number_integer()) {
      fail(where + ": expected an integer, got " + json.dump());
      return 0;
    }
    if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(INT64_MAX)) {
      fail(where + ": expected an integer of 64 bits, got " + json.dump());
      return 0;
    }
    return json.get<int64_t>();
  }

  int integer(const Json &json, const std::string &where, int64_t least, int64_t most) {
    int64_t value = integer(json, where);
    if (!failed() && (value < least || value > most))
      fail(where + ": expected a number from " + std::to_string(least) + " to " + std::to_string(most) + ", got " +
           std::to_string(value));
    return failed() ? 0 : static_cast<int>(value);
  }

  bool boolean(const Json &json, const std::string &where) {
    if (!json.is_boolean())
      fail(where + ": expected true or false, got " + json.dump());
    return !failed() && json.get<bool>();
  }

  std::string string(const Json &json, const std::string &where) {
    if (!json.is_string()) {
      fail(where + ": expected a string, got " + json.dump());
      return {};
    }
    return json.get<std::string>();
  }

  /// An array of `count` entries, or of any number when `count` is -1.
  bool array(const Json &json, const std::string &where, int count) {
    if (!json.is_array() || (count >= 0 && static_cast<int>(json.size()) != count)) {
      fail(where + ": expected an array" + (count >= 0 ? " of " + std::to_string(count) : std::string()) + ", got " +
           (json.is_array() ? std::to_string(json.size()) + " entries" : json.dump()));
      return false;
    }
    return true;
  }

  std::string oneOf(const Json &json, const std::string &where, std::initializer_list<const char *> words) {
    std::string word = string(json, where);
    if (!failed() && std::find(words.begin(), words.end(), word) == words.end()) {
      std::string list;
      for (const char *w : words)
        list += (list.empty() ? "" : ", ") + std::string(w);
      fail(where + ": expected one of " + list + ", got '" + word + "'");
    }
    return word;
  }

  Expr expression(const Json &json, const std::string &where);
  ViewDecl view(const Json &json);
  Param param(const Json &json, const std::string &where, const Manifest &manifest);
  Manifest manifest(const Json &json);
  ChainManifest chain(const Json &json);

private:
  void arguments(const Json &json, std::vector<ViewDecl> &views, std::vector<ScalarDecl> &scalars);
  /// An expression without multiprocessors: a chain runs on any number of them.
  Expr sizeExpression(const Json &json, const std::string &where);
  WorkspaceDecl workspace(const Json &json);
  LaunchDecl launch(const Json &json, const std::string &where, const ChainManifest &chain);

  std::string file;
  std::string message;
};

Expr Reader::expression(const Json &json, const std::string &where) {
  Expr e;
  if (!json.is_object() || json.empty()) {
    fail(where + ": expected an object, got " + json.dump());
    return e;
  }
  if (json.contains("op")) {
    if (!object(json, where, {"op", "a", "b"}))
      return e;
    e.kind = Expr::Kind::Op;
    e.name = oneOf(json["op"], where, {"add", "sub", "mul", "ceildiv", "floordiv", "mod", "min", "max"});
    e.operands.push_back(expression(json["a"], where));
    e.operands.push_back(expression(json["b"], where));
    return e;
  }
  if (!object(json, where, {}, {"const", "dim", "stride", "symbol", "arg", "sms"}))
    return e;
  const std::string key = json.begin().key();
  const Json &value = json.begin().value();
  if (key == "const") {
    e.value = integer(value, where);
  } else if (key == "dim" || key == "stride") {
    e.kind = key == "dim" ? Expr::Kind::Dim : Expr::Kind::Stride;
    if (array(value, where, 2)) {
      e.name = string(value[0], where);
      e.value = integer(value[1], where);
    }
  } else if (key == "sms") {
    e.kind = Expr::Kind::Sms;
  } else {
    e.kind = key == "symbol" ? Expr::Kind::Symbol : Expr::Kind::Arg;
    e.name = string(value, where);
  }
  return e;
}

ViewDecl Reader::view(const Json &json) {
  ViewDecl v;
  if (!object(json, "view", {"name", "elem", "rank", "access"}, {"shape", "aligned", "multiples"}))
    return v;
  v.name = string(json["name"], "view");
  const std::string where = "view '" + v.name + "'";
  v.elem = string(json["elem"], where);
  if (!failed() && elementBytes(v.elem) == 0)
    fail(where + ": unknown element type '" + v.elem + "'");
  v.rank = integer(json["rank"], where, 1, 64);
  std::string access = oneOf(json["access"], where, {"in", "out", "inout"});
  v.access = access == "in" ? Access::In : access == "out" ? Access::Out : Access::InOut;
  if (json.contains("shape") && array(json["shape"], where + ", shape", v.rank))
    for (const Json &entry : json["shape"]) {
      ShapeEntry s;
      if (entry.is_string())
        s.symbol = entry.get<std::string>();
      else if (!entry.is_null())
        s.size = integer(entry, where + ", shape");
      v.shape.push_back(s);
    }
  v.aligned = json.contains("aligned") && boolean(json["aligned"], where + ", aligned");
  if (json.contains("multiples") && array(json["multiples"], where + ", multiples", v.rank))
    for (const Json &entry : json["multiples"])
      v.multiples.push_back(integer(entry, where + ", multiples", 1, INT32_MAX));
  return v;
}

Param Reader::param(const Json &json, const std::string &where, const Manifest &m) {
  Param p;
  if (!json.is_object() || !json.contains("kind")) {
    fail(where + ": expected an object with the key 'kind', got " + json.dump());
    return p;
  }
  std::string kind =
      oneOf(json["kind"], where, {"tensormap", "pointer", "size", "stride", "scalar", "expr", "counter"});
  bool good = false;
  if (kind == "tensormap") {
    p.kind = Param::Kind::TensorMap;
    good = object(json, where, {"kind", "view", "box", "swizzle"}, {"dims", "elem", "l2", "oob"});
  } else if (kind == "pointer") {
    p.kind = Param::Kind::Pointer;
    good = object(json, where, {"kind", "view"});
  } else if (kind == "size" || kind == "stride") {
    p.kind = kind == "size" ? Param::Kind::Size : Param::Kind::Stride;
    good = object(json, where, {"kind", "view", "dim"});
  } else if (kind == "scalar") {
    p.kind = Param::Kind::Scalar;
    good = object(json, where, {"kind", "name", "type"});
  } else if (kind == "expr") {
    p.kind = Param::Kind::Expr;
    good = object(json, where, {"kind", "value"});
  }
  if (kind == "counter") {
    p.kind = Param::Kind::Counter;
    object(json, where, {"kind"});
    return p;
  }
  if (!good)
    return p;
  if (p.kind == Param::Kind::Expr) {
    p.value = expression(json["value"], where);
    return p;
  }
  if (p.kind == Param::Kind::Scalar) {
    p.view = string(json["name"], where);
    p.type = oneOf(json["type"], where, {"f32", "i32", "index"});
    if (std::none_of(m.scalars.begin(), m.scalars.end(), [&](const ScalarDecl &s) { return s.name == p.view; }))
      fail(where + ": unknown scalar '" + p.view + "'");
    return p;
  }
  p.view = string(json["view"], where);
  auto view = std::find_if(m.views.begin(), m.views.end(), [&](const ViewDecl &v) { return v.name == p.view; });
  if (view == m.views.end()) {
    fail(where + ": unknown view '" + p.view + "'");
    return p;
  }
  auto dimension = [&](const Json &value) {
    int64_t d = integer(value, where);
    if (!failed() && (d < 0 || d >= view->rank))
      fail(where + ": view '" + p.view + "' has no dimension " + std::to_string(d));
    return static_cast<int>(d);
  };
  if (json.contains("dim"))
    p.dim = dimension(json["dim"]);
  if (p.kind != Param::Kind::TensorMap)
    return p;
  if (array(json["box"], where + ", box", -1))
    for (const Json &extent : json["box"])
      p.box.push_back(integer(extent, where + ", box"));
  auto checkedNumber = [&](const char *key, std::initializer_list<int> allowed, int fallback) {
    if (!json.contains(key))
      return fallback;
    int64_t value = integer(json[key], where);
    if (!failed() && std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      fail(where + ": unexpected " + key + " of " + std::to_string(value));
    return static_cast<int>(value);
  };
  p.swizzle = checkedNumber("swizzle", {0, 32, 64, 128}, 0);
  p.l2 = checkedNumber("l2", {0, 64, 128, 256}, 128);
  if (json.contains("oob"))
    p.nanFill = oneOf(json["oob"], where, {"zero", "nan"}) == "nan";
  if (json.contains("elem")) {
    p.elem = string(json["elem"], where);
    if (!failed() && elementBytes(p.elem) == 0)
      fail(where + ": unknown element type '" + p.elem + "'");
  }
  if (json.contains("dims") && array(json["dims"], where + ", dims", -1))
    for (const Json &entry : json["dims"]) {
      MapDim d;
      if (!object(entry, where + ", dims", {"dim"}, {"chunk", "chunks"}))
        break;
      d.dim = dimension(entry["dim"]);
      for (const char *key : {"chunk", "chunks"})
        if (entry.contains(key)) {
          int64_t size = integer(entry[key], where + ", dims");
          if (!failed() && size < 1)
            fail(where + ", dims: expected a chunk of at least 1, got " + std::to_string(size));
          (std::string(key) == "chunk" ? d.chunk : d.chunks) = size;
        }
      p.dims.push_back(d);
    }
  return p;
}

void Reader::arguments(const Json &json, std::vector<ViewDecl> &views, std::vector<ScalarDecl> &scalars) {
  if (array(json["views"], "views", -1))
    for (const Json &view_ : json["views"])
      views.push_back(view(view_));
  if (json.contains("scalars") && array(json["scalars"], "scalars", -1))
    for (const Json &s : json["scalars"])
      if (object(s, "scalar", {"name", "type"}))
        scalars.push_back({string(s["name"], "scalar"), oneOf(s["type"], "scalar", {"f32", "i32", "index"})});
}

Manifest Reader::manifest(const Json &json) {
  Manifest m;
  if (!object(json, "manifest", {"version", "kernel", "block", "smem", "grid", "views", "params"},
              {"cluster", "scalars", "source", "mark"}))
    return m;
  if (int64_t version = integer(json["version"], "version"); !failed() && version != 1)
    fail("manifest: expected version 1, got " + std::to_string(version));
  m.kernel = string(json["kernel"], "kernel");
  if (json.contains("mark"))
    m.mark = string(json["mark"], "mark");
  m.block = integer(json["block"], "block", 1, 1024);
  m.smem = integer(json["smem"], "smem", 0, INT32_MAX);
  if (json.contains("cluster") && array(json["cluster"], "cluster", 3))
    for (int i = 0; i < 3; ++i) {
      m.cluster[i] = integer(json["cluster"][i], "cluster");
      if (!failed() && m.cluster[i] < 1)
        fail("cluster: expected at least 1, got " + std::to_string(m.cluster[i]));
    }
  arguments(json, m.views, m.scalars);
  if (array(json["grid"], "grid", 3))
    for (int i = 0; i < 3; ++i)
      m.grid[i] = expression(json["grid"][i], "grid");
  if (array(json["params"], "params", -1))
    for (size_t i = 0; i < json["params"].size() && !failed(); ++i)
      m.params.push_back(param(json["params"][i], "parameter " + std::to_string(i), m));
  return m;
}

static bool usesMultiprocessors(const Expr &e) {
  return e.kind == Expr::Kind::Sms || std::any_of(e.operands.begin(), e.operands.end(), usesMultiprocessors);
}

Expr Reader::sizeExpression(const Json &json, const std::string &where) {
  Expr e = expression(json, where);
  if (!failed() && usesMultiprocessors(e))
    fail(where + ": expected an expression without 'sms' in a chain, got " + json.dump());
  return e;
}

WorkspaceDecl Reader::workspace(const Json &json) {
  WorkspaceDecl w;
  if (!object(json, "workspace", {"name", "elem", "shape", "zeroed"}))
    return w;
  w.name = string(json["name"], "workspace");
  const std::string where = "workspace '" + w.name + "'";
  w.elem = string(json["elem"], where);
  if (!failed() && elementBytes(w.elem) == 0)
    fail(where + ": unknown element type '" + w.elem + "'");
  if (array(json["shape"], where + ", shape", -1) && json["shape"].empty())
    fail(where + ": expected at least one size, got none");
  if (!failed())
    for (const Json &size : json["shape"])
      w.shape.push_back(sizeExpression(size, where + ", shape"));
  w.zeroed = boolean(json["zeroed"], where + ", zeroed");
  return w;
}

/// Kernels are folders beside chain.json: names of C, which lead nowhere else.
static bool isFolderName(const std::string &name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

LaunchDecl Reader::launch(const Json &json, const std::string &where, const ChainManifest &chain) {
  LaunchDecl l;
  if (!object(json, where, {"kernel", "views"}, {"scalars"}))
    return l;
  l.kernel = string(json["kernel"], where);
  if (!failed() && !isFolderName(l.kernel))
    fail(where + ": expected the name of a kernel, got '" + l.kernel + "'");
  if (!json["views"].is_object() || (json.contains("scalars") && !json["scalars"].is_object())) {
    fail(where + ": expected views and scalars by name");
    return l;
  }
  for (const auto &[name, value] : json["views"].items()) {
    std::string view = l.views[name] = string(value, where + ", view '" + name + "'");
    auto isThis = [&](const auto &declared) { return declared.name == view; };
    if (!failed() && std::none_of(chain.views.begin(), chain.views.end(), isThis) &&
        std::none_of(chain.workspaces.begin(), chain.workspaces.end(), isThis))
      fail(where + ", view '" + name + "': expected a view or a workspace of the chain, got '" + view + "'");
  }
  if (!json.contains("scalars"))
    return l;
  for (const auto &[name, value] : json["scalars"].items()) {
    const std::string at = where + ", scalar '" + name + "'";
    ScalarBinding &binding = l.scalars[name];
    if (value.is_object() && value.size() == 1 && value.contains("const") && value["const"].is_number())
      binding.value = value["const"].get<double>();
    else if (value.is_object() && value.size() == 1 && value.contains("arg"))
      binding.value = string(value["arg"], at);
    else
      binding.value = sizeExpression(value, at);
  }
  return l;
}

ChainManifest Reader::chain(const Json &json) {
  ChainManifest c;
  if (!object(json, "chain", {"version", "chain", "views", "launches"}, {"scalars", "workspaces", "source"}))
    return c;
  if (int64_t version = integer(json["version"], "version"); !failed() && version != 1)
    fail("chain: expected version 1, got " + std::to_string(version));
  c.chain = string(json["chain"], "chain");
  arguments(json, c.views, c.scalars);
  if (json.contains("workspaces") && array(json["workspaces"], "workspaces", -1))
    for (const Json &w : json["workspaces"])
      c.workspaces.push_back(workspace(w));
  if (array(json["launches"], "launches", -1))
    for (size_t i = 0; i < json["launches"].size() && !failed(); ++i)
      c.launches.push_back(launch(json["launches"][i], "launch " + std::to_string(i), c));
  return c;
}

/// The tree of `text`; a user error where it is none.
Result<Json> parseTree(const std::string &text, const std::string &file) {
  // What reads the tree recurses; a manifest is at most as deep as its grid's expressions.
  constexpr int maxDepth = 2000;
  bool tooDeep = false;
  auto check = [&](int depth, Json::parse_event_t, Json &) { return !(tooDeep |= depth > maxDepth); };
  Json json = Json::parse(text, check, /*allow_exceptions=*/false);
  if (tooDeep)
    return userError("expected at most " + std::to_string(maxDepth) + " levels of JSON, got more",
                     SourceLoc{file, 0, 0});
  if (json.is_discarded())
    return userError("expected JSON, got a syntax error", SourceLoc{file, 0, 0});
  return json;
}

} // namespace

int elementBytes(const std::string &elem) {
  static const std::map<std::string, int> bytes = {{"f16", 2},  {"bf16", 2}, {"f32", 4}, {"f64", 8},
                                                   {"e4m3", 1}, {"e5m2", 1}, {"i8", 1},  {"u8", 1},
                                                   {"i16", 2},  {"i32", 4},  {"i64", 8}, {"tf32", 4}};
  auto it = bytes.find(elem);
  return it == bytes.end() ? 0 : it->second;
}

Status checkImage(const Manifest &manifest, const std::string &image, const std::string &path) {
  if (image.find(manifest.mark) == std::string::npos)
    return userError("expected a cubin of the kernel.cu that kernel.json belongs to (it holds '" + manifest.mark +
                         "'), got another: compile kernel.cu",
                     SourceLoc{path, 0, 0});
  return Status::success();
}

Result<Manifest> parseManifest(const std::string &text, const std::string &file) {
  Reader reader(file);
  Result<Json> json = parseTree(text, file);
  if (!json)
    return json.error();
  Manifest m = reader.manifest(*json);
  if (reader.failed())
    return reader.error();
  return m;
}

Result<ChainManifest> parseChainManifest(const std::string &text, const std::string &file) {
  Reader reader(file);
  Result<Json> json = parseTree(text, file);
  if (!json)
    return json.error();
  ChainManifest c = reader.chain(*json);
  if (reader.failed())
    return reader.error();
  return c;
}

} // namespace heddle::runtime
