#include "sc_models/common/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>

namespace tessera {

void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
        // open() returns the lowest free number, which is `stream`: the lower ones are open by now.
        (void)open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void write_error(std::string_view text) noexcept {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace tessera
