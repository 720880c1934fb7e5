//===- JsonPlaces.h - where the values of a JSON text stand (private) -------===//
//
// What:      where a value of a parsed text stands, which the parser of nlohmann/json does not keep.
// Algorithm: one walk over the text beside the parsed value.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_LIB_MACHINE_JSONPLACES_H
#define HEDDLE_LIB_MACHINE_JSONPLACES_H

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace heddle {

class JsonPlaces {
public:
  /// `root` is what `text` was parsed as, and stays where it is.
  JsonPlaces(const std::string &text, const nlohmann::ordered_json &root);

  /// Offset of the key of a member, of the beginning of any other value; 0 for a value that is not of the text.
  size_t of(const nlohmann::ordered_json &value) const {
    auto it = offsets.find(&value);
    return it == offsets.end() ? 0 : it->second;
  }
  /// The first key that an object has twice, with the offset of its second place.
  const std::optional<std::pair<std::string, size_t>> &repeated() const { return twice; }

private:
  void skipSpace();
  std::string string();
  void walk(const nlohmann::ordered_json &value, std::optional<size_t> key = std::nullopt);

  const std::string &text;
  size_t at = 0;
  int nested = 0;
  std::map<const nlohmann::ordered_json *, size_t> offsets;
  std::optional<std::pair<std::string, size_t>> twice;
};

} // namespace heddle

#endif // HEDDLE_LIB_MACHINE_JSONPLACES_H
