//===- Text.h - text inside other text ------------------------------------===//
#ifndef HEDDLE_SUPPORT_TEXT_H
#define HEDDLE_SUPPORT_TEXT_H

#include <string>

namespace heddle {

/// `text` as an SVG or HTML page holds it: markup escaped; control characters and what is not UTF-8 become '?'.
std::string xmlText(const std::string &text);

} // namespace heddle

#endif // HEDDLE_SUPPORT_TEXT_H
