#include "tests/support/fst_reader.h"

#ifdef TESSERA_FST
#include <gtkwave/fstapi.h>
#endif
#include <cstdio>
#include <stdexcept>

namespace tessera::test {

#ifdef TESSERA_FST
std::string fst_as_vcd(const std::string& path) {
    void* reader = fstReaderOpen(path.c_str());
    if (reader == nullptr) throw std::runtime_error("FST: cannot read " + path);
    std::FILE* out = std::tmpfile();  // fstapi writes to its descriptor
    fstReaderProcessHier(reader, out);
    fstReaderSetFacProcessMaskAll(reader);
    std::fflush(out);
    fstReaderIterBlocks(reader, nullptr, nullptr, out);
    fstReaderClose(reader);
    std::string text;
    std::rewind(out);
    for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
    std::fclose(out);
    return text;
}
#else
std::string fst_as_vcd(const std::string& path) {
    throw std::runtime_error("FST: this build cannot read " + path);
}
#endif

}  // namespace tessera::test
