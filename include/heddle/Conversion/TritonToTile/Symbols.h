//===- Symbols.h - what the symbols of a conversion stand for ---------------===//
#ifndef HEDDLE_CONVERSION_TRITONTOTILE_SYMBOLS_H
#define HEDDLE_CONVERSION_TRITONTOTILE_SYMBOLS_H

#include "heddle/Conversion/TritonToTile/TritonToTile.h"

namespace heddle::triton {

/// The algebra of a conversion's polynomials.
address::Algebra &algebraOf(const Conversion &conversion);
/// The value of the source that a symbol (Counter, Opaque, Table) or an opaque atom stands for.
mlir::Value valueOf(const Conversion &conversion, address::SymbolKind kind, int64_t id);

} // namespace heddle::triton

#endif // HEDDLE_CONVERSION_TRITONTOTILE_SYMBOLS_H
