//===- FuzzReaders.h - One fuzz input -------------------------------------===//
#ifndef HEDDLE_UNITTESTS_FUZZ_FUZZREADERS_H
#define HEDDLE_UNITTESTS_FUZZ_FUZZREADERS_H

#include <cstddef>
#include <cstdint>

namespace heddle::test {

/// Feeds `data` to the reader its first byte picks; aborts when something that must hold does not.
void fuzzOne(const uint8_t *data, size_t size);

} // namespace heddle::test

#endif // HEDDLE_UNITTESTS_FUZZ_FUZZREADERS_H
