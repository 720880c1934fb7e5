//===- Cache.cpp - Solved problems on disk --------------------------------===//
//
// What:   see Cache.h. A file is a sequence of parts, each "NAME SIZE", a line's end, and SIZE bytes.
//
//===----------------------------------------------------------------------===//
#include "heddle/Scheduling/Policy/Cache.h"

#include "heddle/Certificate/Verify.h"
#include "heddle/Scheduling/Policy/Solved.h"
#include "heddle/Scheduling/Problem/Text.h"
#include "heddle/Support/Version.h"

#include <charconv>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

using Parts = std::map<std::string, std::string>;

std::string writeParts(const Parts &parts) {
  std::string out;
  for (auto &[name, bytes] : parts)
    out += name + " " + std::to_string(bytes.size()) + "\n" + bytes;
  return out;
}

/// Empty when the text is no sequence of parts.
Parts readParts(const std::string &text) {
  Parts out;
  for (size_t at = 0; at < text.size();) {
    size_t line = text.find('\n', at), space = text.rfind(' ', line);
    size_t size = 0;
    if (line == std::string::npos || space == std::string::npos || space < at)
      return {};
    auto [end, error] = std::from_chars(text.data() + space + 1, text.data() + line, size);
    if (error != std::errc() || end != text.data() + line || size > text.size() - line - 1)
      return {};
    out[text.substr(at, space - at)] = text.substr(line + 1, size);
    at = line + 1 + size;
  }
  return out;
}

bool readNumber(const Parts &parts, const std::string &name, int64_t &out) {
  auto it = parts.find(name);
  if (it == parts.end())
    return false;
  const char *last = it->second.data() + it->second.size();
  auto [end, error] = std::from_chars(it->second.data(), last, out);
  return error == std::errc() && end == last;
}

/// The directory and those above it.
void makeDirectories(const std::string &path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    (void)mkdir(path.substr(0, at).c_str(), 0777);
  (void)mkdir(path.c_str(), 0777);
}

const std::string proofPrefix = "certificate/";

} // namespace

PolicyCache::PolicyCache(const PolicyOptions &options, const LoopInstance &base) : options(options) {
  if (options.cache.empty())
    return;
  key = versionText("heddle");
  struct stat self; // another build may keep other schedules
  if (stat("/proc/self/exe", &self) == 0)
    key += std::to_string(self.st_size) + " " + std::to_string(self.st_mtim.tv_sec) + " " +
           std::to_string(self.st_mtim.tv_nsec) + "\n";
  key += policyKey(options, base);
  path = options.cache + "/" + digest(key) + digest(key + key) + ".heddle";
}

std::optional<PolicyResult> PolicyCache::find(const LoopSource &source) const {
  Result<std::string> text = path.empty() ? Result<std::string>(std::string()) : readFile(path);
  if (!text || text->empty())
    return std::nullopt;
  Parts parts = readParts(*text);
  int64_t resolution, reserved, status;
  PolicyResult out;
  out.fromCache = true;
  SolveResult &r = out.result;
  if (parts["key"] != key || !readNumber(parts, "resolution", resolution) || !readNumber(parts, "reserved", reserved) ||
      !readNumber(parts, "status", status) || !readNumber(parts, "bound", r.bound) ||
      !readNumber(parts, "stages", r.stages) || !readNumber(parts, "steps", out.steps))
    return std::nullopt;
  if (const Deadline &deadline = options.solve.deadline; deadline.hasPurse() && out.steps >= deadline.inPurse())
    return std::nullopt; // the search would not have come so far
  Result<LoopInstance> loop = source.at(resolution);
  if (!loop)
    return std::nullopt;
  if (reserved && source.reserve)
    source.reserve(loop->problem);
  loop->reserved = reserved != 0;
  Result<Schedule> schedule = parseSchedule(parts["schedule"], path, loop->problem);
  if (!schedule || parts["problem"] != digest(writeProblem(loop->problem)) ||
      !verifySchedule(loop->problem, *schedule, schedule->constraints).empty())
    return std::nullopt;
  for (auto &[name, bytes] : parts)
    if (name.compare(0, proofPrefix.size(), proofPrefix) == 0)
      out.certificate[name.substr(proofPrefix.size())] = bytes;
  r.status = status == static_cast<int64_t>(SolveStatus::Optimal) ? SolveStatus::Optimal : SolveStatus::Feasible;
  if (r.status == SolveStatus::Optimal) {
    Result<CertificateReport> report = checkCertificate(loop->problem, out.certificate);
    if (!report || report->ii != schedule->ii)
      return std::nullopt;
  }
  r.hasSchedule = true;
  r.schedule = std::move(*schedule);
  r.bounds = computeBounds(loop->problem, r.schedule.constraints, options.solve.deadline.withoutPurse());
  r.mii = r.bounds.mii;
  r.binding = parts["binding"];
  out.loop = std::move(*loop);
  return out;
}

void PolicyCache::store(const PolicyResult &result) const {
  const SolveResult &r = result.result;
  if (path.empty() || result.fromCache || result.unraised || result.stoppedChoosing ||
      options.solve.deadline.passed() || !r.hasSchedule)
    return;
  Parts parts = {{"key", key},
                 {"resolution", std::to_string(result.loop.resolution)},
                 {"reserved", std::to_string(result.loop.reserved)},
                 {"status", std::to_string(static_cast<int>(r.status))},
                 {"bound", std::to_string(r.bound)},
                 {"stages", std::to_string(r.stages)},
                 {"steps", std::to_string(result.steps)},
                 {"binding", r.binding},
                 {"problem", digest(writeProblem(result.loop.problem))},
                 {"schedule", writeSchedule(result.loop.problem, r.schedule)}};
  for (auto &[name, bytes] : result.certificate)
    parts[proofPrefix + name] = bytes;
  makeDirectories(options.cache);
  std::string temporary = path + "." + std::to_string(getpid());
  if (!writeFile(temporary, writeParts(parts)) || std::rename(temporary.c_str(), path.c_str()) != 0)
    (void)std::remove(temporary.c_str());
}

} // namespace heddle
