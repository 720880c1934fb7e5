//===- PlanCache.cpp - tuned plans on disk ---------------------------------===//
#include "heddle/Tuning/PlanCache.h"

#include "heddle/Certificate/Certificate.h"

#include <algorithm>
#include <filesystem>

namespace heddle {

namespace {
const std::string ending = ".plan", comment = "// ";

/// `size` with all but its three leading bits cleared.
int64_t leadingBits(int64_t size) {
  int64_t unit = 1;
  while (size / unit >= 8)
    unit *= 2;
  return size / unit * unit;
}

std::vector<std::string> linesOf(const std::string &text, size_t most) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size() && lines.size() < most;) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
} // namespace

std::string sizesClass(const Sizes &sizes) {
  std::string text;
  for (auto &[name, size] : sizes)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(leadingBits(size)) + (size % 16 ? "+" : "");
  return text;
}

std::string PlanKey::line() const {
  return "kernel " + kernel + ", program " + digest(program) + digest(program + program) + ", machine " + machine +
         ", sizes " + sizesClass(sizes);
}

std::string PlanCache::pathOf(const PlanKey &key) const {
  std::string line = key.line();
  return directory + "/" + digest(line) + digest(line + line) + ending;
}

std::string PlanCache::find(const PlanKey &key) const {
  if (directory.empty())
    return "";
  Result<std::string> text = readFile(pathOf(key));
  if (!text)
    return "";
  std::vector<std::string> head = linesOf(*text, 1);
  return !head.empty() && head[0] == comment + key.line() ? *text : "";
}

Status PlanCache::store(const PlanKey &key, const std::string &plan, const std::string &remark) const {
  if (directory.empty())
    return Status::success();
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return userError("cannot make '" + directory + "': " + error.message());
  return writeFile(pathOf(key), comment + key.line() + "\n" + comment + remark + "\n" + plan);
}

std::vector<std::pair<std::string, std::string>> PlanCache::list() const {
  std::vector<std::pair<std::string, std::string>> heads;
  std::error_code error;
  if (directory.empty())
    return heads;
  for (auto it = std::filesystem::directory_iterator(directory, error); !error && it != std::filesystem::end(it);
       it.increment(error)) {
    Result<std::string> text = it->path().extension() == ending ? readFile(it->path()) : Result<std::string>("");
    std::vector<std::string> head = text ? linesOf(*text, 2) : std::vector<std::string>();
    if (head.size() == 2 && head[0].starts_with(comment) && head[1].starts_with(comment))
      heads.push_back({head[0].substr(comment.size()), head[1].substr(comment.size())});
  }
  std::sort(heads.begin(), heads.end());
  return heads;
}

} // namespace heddle
