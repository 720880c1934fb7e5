//===- Files.cpp - Output files ------------------------------------------===//
#include "heddle/Support/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

/// All of `text` to an open descriptor, or errno.
static int writeAll(int descriptor, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    ssize_t count = ::write(descriptor, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR)
      return errno;
    at += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return 0;
}

/// Writes `text` and closes; 0 or errno.
static int writeAndClose(int descriptor, const std::string &text) {
  int error = writeAll(descriptor, text);
  if (::close(descriptor) != 0 && !error)
    error = errno;
  return error;
}

/// Where a write to `path` goes: the end of its chain of symbolic links, which need not exist yet.
static std::string linkTarget(const std::string &path) {
  std::error_code error;
  std::filesystem::path at = path;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(at, error); ++links) {
    std::filesystem::path next = std::filesystem::read_symlink(at, error);
    if (error)
      break;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

namespace {
/// A file written in two steps: `prepare` finds out whether it can be and writes it beside its place, `commit` puts it
/// there. Destroyed before, it leaves nothing.
class PendingFile {
public:
  explicit PendingFile(std::string path) : path(std::move(path)) {}
  PendingFile(PendingFile &&other)
      : path(std::move(other.path)), target(std::move(other.target)), temporary(std::exchange(other.temporary, "")),
        direct(std::move(other.direct)), descriptor(other.descriptor) {}
  ~PendingFile() {
    if (!temporary.empty())
      ::unlink(temporary.c_str());
  }
  Status prepare(const std::string &text);
  Status commit();

private:
  Status failed(int error) const { return userError("cannot write '" + path + "': " + std::strerror(error)); }

  std::string path, target, temporary;
  std::string direct;  ///< text for what no other file may replace: a device, a pipe, what is open already
  int descriptor = -1; ///< of the latter
};
} // namespace

Status PendingFile::prepare(const std::string &text) {
  struct stat info, open;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT)
    return failed(errno);
  if (exists && S_ISDIR(info.st_mode))
    return failed(EISDIR);
  // /dev/stdout and its like, also where they stand for a file: what is open already goes on.
  for (int standard : {STDOUT_FILENO, STDERR_FILENO})
    if (exists && ::fstat(standard, &open) == 0 && open.st_dev == info.st_dev && open.st_ino == info.st_ino)
      descriptor = standard;
  if (descriptor >= 0 || (exists && !S_ISREG(info.st_mode))) {
    direct = text;
    return Status::success();
  }
  target = linkTarget(path);
  // A file that the user may not write is not replaced either.
  if (exists && ::access(target.c_str(), W_OK) != 0)
    return failed(errno);
  std::string name = target + ".XXXXXX";
  int file = ::mkstemp(name.data());
  if (file < 0)
    return failed(errno);
  temporary = name;
  mode_t mask = ::umask(0);
  ::umask(mask);
  int error = ::fchmod(file, exists ? info.st_mode & 07777 : 0666 & ~mask) == 0 ? 0 : errno;
  if (int unwritten = writeAndClose(file, text); !error)
    error = unwritten;
  return error ? failed(error) : Status::success();
}

Status PendingFile::commit() {
  int error = 0;
  if (descriptor >= 0) {
    std::fflush(descriptor == STDOUT_FILENO ? stdout : stderr);
    error = writeAll(descriptor, direct);
  } else if (temporary.empty()) {
    int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    error = file < 0 ? errno : writeAndClose(file, direct);
  } else if (::rename(temporary.c_str(), target.c_str()) == 0) {
    temporary.clear();
  } else {
    error = errno;
  }
  return error ? failed(error) : Status::success();
}

Status writeFile(const std::string &path, const std::string &text) {
  PendingFile file(path);
  if (Status status = file.prepare(text); !status)
    return status;
  return file.commit();
}

using FileSet = std::vector<std::pair<std::string, std::string>>;

/// Puts every file beside its place. Where one cannot be written, none stays.
static Status prepareAll(const FileSet &files, std::vector<PendingFile> &pending) {
  for (auto &[path, text] : files) {
    pending.emplace_back(path);
    if (Status status = pending.back().prepare(text); !status) {
      pending.clear(); // takes back what is written
      return status;
    }
  }
  return Status::success();
}

static Status commitAll(std::vector<PendingFile> &pending) {
  for (PendingFile &file : pending)
    if (Status status = file.commit(); !status)
      return status;
  return Status::success();
}

Status writeFiles(const FileSet &files) {
  std::vector<PendingFile> pending;
  if (Status status = prepareAll(files, pending); !status)
    return status;
  return commitAll(pending);
}

/// The folders that `files` are in, below `directory` by at most one level; "" is itself.
static std::set<std::string> foldersOf(const FileSet &files) {
  std::set<std::string> folders = {""};
  for (auto &[name, text] : files)
    folders.insert(std::filesystem::path(name).parent_path().string());
  return folders;
}

/// The files of `directory` and the folders in it that an earlier run left and `files` do not replace.
static std::vector<std::filesystem::path> leftovers(const std::string &directory, const FileSet &files,
                                                    const std::function<bool(const std::string &)> &isStale) {
  std::vector<std::filesystem::path> old;
  std::error_code error;
  for (const std::string &folder : foldersOf(files))
    for (const auto &entry : std::filesystem::directory_iterator(directory + "/" + folder, error)) {
      std::string name = (std::filesystem::path(folder) / entry.path().filename()).string();
      if (isStale(name) && std::none_of(files.begin(), files.end(), [&](auto &file) { return file.first == name; }))
        old.push_back(entry.path());
    }
  return old;
}

/// Directories made for files, which go again where one of the files cannot be written.
namespace {
class MadeDirectories {
public:
  ~MadeDirectories() {
    std::error_code error;
    for (auto path = made.rbegin(); path != made.rend(); ++path)
      std::filesystem::remove(*path, error);
  }
  Status make(const std::string &path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error) && std::filesystem::create_directory(path, error))
      made.push_back(path);
    if (error)
      return userError("cannot create the output directory '" + path + "': " + error.message());
    return Status::success();
  }
  void keep() { made.clear(); }

private:
  std::vector<std::string> made;
};
} // namespace

Status replaceFiles(const std::string &directory, const FileSet &files,
                    const std::function<bool(const std::string &)> &isStale) {
  MadeDirectories made;
  for (const std::string &folder : foldersOf(files))
    if (Status status = made.make(folder.empty() ? directory : directory + "/" + folder); !status)
      return status;
  std::vector<std::filesystem::path> old = leftovers(directory, files, isStale);
  FileSet places;
  for (auto &[name, text] : files)
    places.push_back({directory + "/" + name, text});
  std::vector<PendingFile> pending;
  if (Status status = prepareAll(places, pending); !status)
    return status;
  made.keep();
  std::error_code error;
  // From here on nothing is expected to fail. What is old goes first: it is never seen beside what is new.
  for (const std::filesystem::path &path : old)
    if (!std::filesystem::remove(path, error) && error)
      return userError("cannot remove '" + path.string() + "' of an earlier run: " + error.message());
  return commitAll(pending);
}

} // namespace heddle
