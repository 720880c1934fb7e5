//===- Npy.cpp - NumPy's .npy files ----------------------------------------------------------===//
#include "heddle_runtime/Npy.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {
namespace {

constexpr double kMostElements = 0x1p36;

/// What a header says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the Python literal of a header: a dictionary with the keys descr, fortran_order and shape, in any order.
class HeaderReader {
public:
  explicit HeaderReader(const std::string &text) : text(text) {}

  bool read(Header &header) {
    bool descr = false, order = false, shape = false;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return false;
      bool *known = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (!known || *known)
        return false;
      *known = true;
      bool read = known == &descr   ? string(header.descr)
                  : known == &order ? boolean(header.fortranOrder)
                                    : tuple(header.shape);
      if (!read || (!take(',') && peek() != '}'))
        return false;
    }
    return descr && order && shape && peek() == '\0';
  }

private:
  char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    bool found = peek() == c;
    at += found;
    return found;
  }
  bool string(std::string &value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    const size_t end = text.find(quote, ++at);
    if (end == std::string::npos)
      return false;
    value = text.substr(at, end - at);
    at = end + 1;
    return true;
  }
  bool word(const std::string &expected) {
    const bool found = peek() && text.compare(at, expected.size(), expected) == 0;
    at += found ? expected.size() : 0;
    return found;
  }
  bool boolean(bool &value) {
    value = word("True");
    return value || word("False");
  }
  bool tuple(std::vector<int64_t> &sizes) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t size = 0;
      if (peek() < '0' || peek() > '9')
        return false;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        if (size > (int64_t(1) << 40))
          return false;
        size = size * 10 + (text[at] - '0');
      }
      sizes.push_back(size);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  const std::string &text;
  size_t at = 0;
};

/// Whether `descr` names a type that is known; sets kind, width and byte order.
bool readType(const std::string &descr, NpyArray &array, bool &bigEndian) {
  size_t at = descr.empty() || std::strchr("<>|=", descr[0]) == nullptr ? 0 : 1;
  bigEndian = !descr.empty() && descr[0] == '>';
  if (descr.size() < at + 2 || descr.find_first_not_of("0123456789", at + 1) != std::string::npos ||
      descr.size() > at + 3)
    return false;
  array.kind = descr[at];
  array.width = std::stoi(descr.substr(at + 1));
  const int w = array.width;
  switch (array.kind) {
  case 'b': return w == 1;
  case 'f': return w == 2 || w == 4 || w == 8;
  case 'i':
  case 'u': return w == 1 || w == 2 || w == 4 || w == 8;
  case 'V': return w == 1 || w == 2;
  default: return false;
  }
}

/// `data` of an array of `shape` whose first dimension is contiguous, with the last one contiguous.
std::string rowMajor(const std::string &data, const std::vector<int64_t> &shape, int width) {
  std::string result(data.size(), '\0');
  std::vector<int64_t> index(shape.size(), 0), step(shape.size(), width);
  for (size_t d = 1; d < shape.size(); ++d)
    step[d] = step[d - 1] * shape[d - 1];
  int64_t from = 0;
  for (size_t to = 0; to < data.size(); to += width) {
    std::memcpy(result.data() + to, data.data() + from, width);
    for (size_t d = shape.size(); d-- > 0;) {
      from += step[d];
      if (++index[d] < shape[d])
        break;
      from -= step[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

} // namespace

int64_t NpyArray::size() const {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

std::string NpyArray::typeName() const {
  switch (kind) {
  case 'b': return "bool";
  case 'i': return "int" + std::to_string(8 * width);
  case 'u': return "uint" + std::to_string(8 * width);
  case 'f': return "float" + std::to_string(8 * width);
  default: return "void" + std::to_string(width);
  }
}

Result<NpyArray> parseNpy(const std::string &file, const std::string &path) {
  const SourceLoc where{path, 0, 0};
  if (file.compare(0, 6, "\x93NUMPY") != 0 || file.size() < 8)
    return userError("expected a NumPy file, which begins with \\x93NUMPY and a version, got another", where);
  const int major = static_cast<uint8_t>(file[6]);
  if (major < 1 || major > 3)
    return userError("expected version 1, 2 or 3 of the NumPy format, got " + std::to_string(major), where);
  const size_t begin = major == 1 ? 10 : 12;
  size_t length = 0;
  for (size_t i = begin; i-- > 8 && i < file.size();)
    length = length << 8 | static_cast<uint8_t>(file[i]);
  if (file.size() < begin || file.size() - begin < length)
    return userError("expected a header of " + std::to_string(length) + " bytes, got the end of the file", where);
  const std::string text = file.substr(begin, length);
  Header header;
  if (!HeaderReader(text).read(header))
    return userError(
        "expected a header {'descr': TYPE, 'fortran_order': BOOL, 'shape': SIZES}, got " + text.substr(0, 80), where);
  NpyArray array;
  bool bigEndian = false;
  if (!readType(header.descr, array, bigEndian))
    return userError("expected bool, integers of 1 to 8 bytes, floats of 2 to 8 or void of 1 or 2, got elements '" +
                         header.descr + "'",
                     where);
  array.shape = header.shape;
  double elements = 1;
  for (int64_t extent : array.shape)
    elements *= static_cast<double>(extent);
  if (elements > kMostElements)
    return userError("expected an array of at most 2^36 elements, got more", where);
  const size_t bytes = static_cast<size_t>(array.size()) * array.width;
  if (file.size() - begin - length != bytes)
    return userError("expected " + std::to_string(bytes) + " bytes of data, got " +
                         std::to_string(file.size() - begin - length),
                     where);
  array.data = file.substr(begin + length);
  if (bigEndian)
    for (size_t i = 0; i < bytes; i += array.width)
      std::reverse(array.data.begin() + i, array.data.begin() + i + array.width);
  if (header.fortranOrder && array.shape.size() > 1)
    array.data = rowMajor(array.data, array.shape, array.width);
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<std::string> file = readFile(path);
  if (!file)
    return file.error();
  return parseNpy(*file, path);
}

std::string npyText(const NpyArray &array) {
  std::string header = std::string("{'descr': '") + (array.width == 1 ? '|' : '<') + array.kind +
                       std::to_string(array.width) + "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < array.shape.size(); ++d)
    header += (d ? " " : "") + std::to_string(array.shape[d]) + (d && d + 1 == array.shape.size() ? "" : ",");
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  return file + header + array.data;
}

} // namespace heddle::runtime
