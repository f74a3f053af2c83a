// Text of SystemC's object tree: modules, sockets, and what is bound.
#pragma once

#include <string>

namespace tessera {

/// Which of several siblings that differ only in their number are shown.
enum class HierarchyExtent { kFirstOfEach, kAll };

/// Elaborates all modules that exist and returns their tree, one object a line, indented: modules
/// with their class, sockets, ports and exports with what they are bound to, and processes. With
/// kFirstOfEach, siblings of one name and structure are one line (`sm0..sm79 (80 of these)`) above
/// the contents of the first.
[[nodiscard]] std::string hierarchy_text(HierarchyExtent extent);

}  // namespace tessera
