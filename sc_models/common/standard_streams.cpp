#include "sc_models/common/standard_streams.h"

#include <fcntl.h>
#include <sys/ioctl.h>
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

std::optional<std::size_t> terminal_width() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0) {
        return std::nullopt;
    }
    return size.ws_col;
}

void write_error(std::string_view text) noexcept {
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace tessera
