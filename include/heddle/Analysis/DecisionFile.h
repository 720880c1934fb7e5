//===- DecisionFile.h - files of decisions by name --------------------------===//
//
// What:   the text form that plans and mappings share: one dictionary attribute of MLIR, keyed by name, whose values
//         are dictionaries of decisions; `//` begins a comment. Knows the place of every name and key.
// Places: MLIR's attribute parser keeps none below the attribute: they are found by a second, lexical walk over the
//         text's brackets.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_ANALYSIS_DECISIONFILE_H
#define HEDDLE_ANALYSIS_DECISIONFILE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <map>
#include <string>

namespace heddle {

class DecisionFile {
public:
  /// `what` begins every error ("plan"), `name` says what the dictionary is keyed by ("label"). Errors, located in
  /// `file`: what is no dictionary attribute.
  static mlir::FailureOr<DecisionFile> read(llvm::StringRef text, llvm::StringRef file, llvm::StringRef what,
                                            llvm::StringRef name, mlir::MLIRContext *context);

  mlir::DictionaryAttr entries() const { return dictionary; }
  /// Of a name, or of a key of its dictionary.
  mlir::Location placeOf(llvm::StringRef name, llvm::StringRef key = "") const;

private:
  mlir::DictionaryAttr dictionary;
  std::string file;
  std::map<std::pair<std::string, std::string>, std::pair<unsigned, unsigned>> places; ///< line and column
};

} // namespace heddle

#endif // HEDDLE_ANALYSIS_DECISIONFILE_H
