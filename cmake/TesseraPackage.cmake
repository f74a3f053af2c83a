# `cpack` (in the build folder) makes tessera_VERSION_ARCH.deb: program, library, headers, CMake package, configurations,
# views and the Python package, for the Debian release it is built on. dpkg-shlibdeps finds what the program depends on.
set(CPACK_GENERATOR DEB)
# The packed files are built beforehand; otherwise cpack would build the tests, too.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "Tessera developers")
# Nobody gets mail at .invalid (RFC 2606): whoever gives the package to others puts an address here that is read.
set(CPACK_PACKAGE_CONTACT "Tessera developers <developers@tessera.invalid>" CACHE STRING
    "Maintainer of the Debian package: name <address>; the default is no mailbox")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "Cycle-level simulator of a GPU in SystemC and TLM-2.0, with three mechanisms:
Duplo, dual-side sparse tensor cores and opportunistic computing. It runs
layers of networks, whole ONNX networks, matrix products and instruction
traces, and says where the time went.
.
The package has the program, the library with headers and a CMake package,
machines and experiments, and a Python package. It has the RTL blocks, too,
with the models that they are compared with as a C library.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Packages that the Python package needs, and those against which users of the library compile.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-pandas, python3-yaml, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-tqdm, gtkwave, slurm-client, parallel, libsystemc-dev, libspdlog-dev, \
libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev, robin-map-dev, liblzma-dev, libzstd-dev, zlib1g-dev")

# Files that Debian wants beside a package's own: `cpack` installs them, `cmake --install` does not.
set(debian ${PROJECT_BINARY_DIR}/debian)
file(CONFIGURE OUTPUT ${debian}/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tessera

Files: *
Copyright: 2026 Tessera developers
License: Apache-2.0
 On Debian systems the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

Files: usr/bin/tessera
Copyright: 2026 Tessera developers
 2022 Leon Sorokin (uPlot, which the program puts into pages)
License: Apache-2.0 and MIT
 The Apache License is that of all other files. The MIT license of uPlot is in
 @CMAKE_INSTALL_FULL_DOCDIR@/LICENSE.uPlot.
")
file(CONFIGURE OUTPUT ${debian}/changelog @ONLY CONTENT
"tessera (@PROJECT_VERSION@-1) unstable; urgency=medium

  * Made by cpack; changelog.gz beside this file says what is new.

 -- @CPACK_PACKAGE_CONTACT@  Thu, 01 Jan 2026 00:00:00 +0000
")
find_program(TESSERA_GZIP gzip REQUIRED)
execute_process(COMMAND ${TESSERA_GZIP} -9nc ${debian}/changelog OUTPUT_FILE ${debian}/changelog.Debian.gz)
execute_process(COMMAND ${TESSERA_GZIP} -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md OUTPUT_FILE ${debian}/changelog.gz)
install(FILES ${debian}/copyright ${debian}/changelog.Debian.gz ${debian}/changelog.gz
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES cmake/lintian-overrides DESTINATION share/lintian/overrides RENAME tessera COMPONENT debian EXCLUDE_FROM_ALL)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};tessera;ALL;/" "${PROJECT_BINARY_DIR};tessera;debian;/")
include(CPack)
