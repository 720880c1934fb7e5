//===- Generate.h - random tile programs -----------------------------------===//
//
// What:   a seed -> a valid tile program as text, always the same for the same seed, with sizes and scalars as its
//         defaults.
// Draws:  element types of 8 to 64 bits, sizes of tiles that no instruction has; a grid of one to three dimensions, or
//         a few programs that walk over the rows; nests of one to three loops, several in one body, with zero, one or
//         few trips and bounds from sizes, constants, scalars and outer induction variables; loads and stores at every
//         level, of views that are only read, only written, both (in place), or added to; branches and while loops
//         around any of it, that pass tiles on; scalars of memory as coordinates, ends of loops and conditions;
//         gathered rows; dots in all operand orders, with accumulators carried or not; reductions along both
//         dimensions, masks, element-wise chains, conversions; carried tiles and scalars that are summed, exchanged,
//         left alone or replaced; sizes of views that no tile divides.
// Valid:  programs of the grid store to parts of their own, or add. Elements outside a view are read and written like
//         any.
// Tame:   magnitudes are followed and scaled down before 16-bit types and products, and comparisons and conversions to
//         integers are applied to values that every order of summation gives alike; so a difference beyond rounding is
//         a fault, not the program's instability.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_UNITTESTS_RANDOM_GENERATE_H
#define HEDDLE_UNITTESTS_RANDOM_GENERATE_H

#include <cstdint>
#include <string>

namespace heddle::random_programs {

std::string generateProgram(uint64_t seed);

} // namespace heddle::random_programs

#endif // HEDDLE_UNITTESTS_RANDOM_GENERATE_H
