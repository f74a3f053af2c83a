#include "sc_models/store/program_identity.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace tessera {
namespace {

constexpr std::size_t kNoteAlignment = 4;

std::size_t aligned(std::size_t bytes) {
    return (bytes + kNoteAlignment - 1) / kNoteAlignment * kNoteAlignment;
}

/// Build ID among the notes of a segment; empty if there is none.
std::string build_id_of(const unsigned char* notes, std::size_t bytes) {
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        std::memcpy(&header, notes, sizeof header);
        const std::size_t name = sizeof header;
        const std::size_t content = name + aligned(header.n_namesz);
        const std::size_t next = content + aligned(header.n_descsz);
        if (next > bytes) return "";
        const bool is_gnu = header.n_namesz == sizeof ELF_NOTE_GNU &&
                            std::memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
        if (is_gnu && header.n_type == NT_GNU_BUILD_ID) {
            std::string id;
            for (std::size_t i = 0; i < header.n_descsz; ++i) {
                id += fmt::format("{:02x}", notes[content + i]);
            }
            return id;
        }
        notes += next;
        bytes -= next;
    }
    return "";
}

/// Handles the program itself, which is the first object; the libraries follow.
int visit_program(dl_phdr_info* object, std::size_t /*size*/, void* result) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        // The loader mapped the segment at this address.
        const auto* notes =
            reinterpret_cast<const unsigned char*>(  // NOLINT(performance-no-int-to-ptr)
                object->dlpi_addr + segment.p_vaddr);
        const std::string id = build_id_of(notes, segment.p_memsz);
        if (!id.empty()) *static_cast<std::string*>(result) = id;
    }
    return 1;
}

}  // namespace

std::string program_identity() {
    std::string id;
    dl_iterate_phdr(visit_program, &id);
    return id;
}

}  // namespace tessera
