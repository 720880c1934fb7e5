//===- DecisionFile.cpp - files of decisions by name ------------------------===//
#include "heddle/Analysis/DecisionFile.h"

#include "heddle/Dialect/Tile/ErrorKinds.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace heddle {
namespace {

/// Places of names (key "") and keys.
using Places = std::map<std::pair<std::string, std::string>, std::pair<unsigned, unsigned>>;

/// A key may stand alone, without a value: it is the word in front of `=`, or the only one between commas.
Places findPlaces(StringRef text) {
  Places places;
  unsigned line = 1, depth = 0;
  size_t lineBegin = 0;
  std::string word, label;
  std::pair<unsigned, unsigned> at;
  bool hasKey = false; // of the decision that the walk is in
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
      lineBegin = i + 1;
    } else if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '"' || llvm::isAlnum(c) || c == '_') {
      size_t end = i + 1;
      bool quoted = c == '"';
      while (end < text.size() && (quoted ? text[end] != '"' : llvm::isAlnum(text[end]) || strchr("_$.", text[end])))
        ++end;
      at = {line, static_cast<unsigned>(i - lineBegin + 1)};
      word = text.slice(i + quoted, end).str();
      i = quoted ? end : end - 1;
      if (depth == 2 && !hasKey)
        places.insert({{label, word}, at});
      hasKey |= depth == 2;
    } else if (c == ',') {
      hasKey &= depth != 2;
    } else if (c == '{' || c == '[') {
      hasKey &= ++depth != 2;
    } else if (c == '}' || c == ']') {
      depth -= depth > 0;
    } else if (c == '=' && depth == 1) {
      label = word;
      places.insert({{label, ""}, at});
    }
  }
  return places;
}

/// Parses the file's one attribute; the parser's errors are reported at their place in the file.
DictionaryAttr parseFile(StringRef text, StringRef file, StringRef what, StringRef name, MLIRContext *context) {
  std::optional<std::pair<Location, std::string>> error;
  Attribute parsed;
  std::string listed = "[" + text.str() + "\n]"; // so that nothing may follow the attribute
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
      Location loc = FileLineColLoc::get(context, file, 1, 1);
      if (auto place = diag.getLocation()->findInstanceOf<FileLineColLoc>())
        loc = FileLineColLoc::get(context, file, place.getLine(), place.getColumn() - (place.getLine() == 1));
      if (!error)
        error.emplace(loc, diag.str());
      return success();
    });
    size_t read = 0;
    parsed = parseAttribute(listed, context, Type(), &read);
  }
  if (!parsed) {
    Location loc = error ? error->first : Location(FileLineColLoc::get(context, file, 1, 1));
    if (error)
      emitError(loc) << what << ": " << error->second;
    else
      emitErrorOf(ErrorKind::Internal, loc) << "the parser of a " << what << " gives no reason";
    return {};
  }
  auto list = cast<ArrayAttr>(parsed);
  auto entries = list.size() == 1 ? dyn_cast<DictionaryAttr>(list[0]) : DictionaryAttr();
  if (!entries)
    emitError(FileLineColLoc::get(context, file, 1, 1)) << what << ": expected one dictionary attribute keyed by "
                                                        << name << ", got " << (list.size() == 1 ? list[0] : parsed);
  return entries;
}

} // namespace

FailureOr<DecisionFile> DecisionFile::read(StringRef text, StringRef file, StringRef what, StringRef name,
                                           MLIRContext *context) {
  DecisionFile result;
  result.dictionary = parseFile(text, file, what, name, context);
  if (!result.dictionary)
    return failure();
  result.file = file.str();
  result.places = findPlaces(text);
  return result;
}

Location DecisionFile::placeOf(StringRef name, StringRef key) const {
  auto it = places.find({name.str(), key.str()});
  auto [line, column] = it == places.end() ? std::pair(1u, 1u) : it->second;
  return FileLineColLoc::get(dictionary.getContext(), file, line, column);
}

} // namespace heddle
