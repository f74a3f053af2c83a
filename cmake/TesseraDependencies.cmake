# Packages; all of them from Debian (tools/setup installs them).
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)  # Debian ships no CMake package for it
find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tsl-robin-map REQUIRED)
if(TESSERA_BUILD_TESTS)
    find_package(GTest REQUIRED)
    # Debian's CMake package of oneDNN insists on OpenCL's headers, which nothing here needs.
    find_library(DNNL_LIBRARY dnnl REQUIRED)
    find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
    add_library(DNNL::dnnl SHARED IMPORTED)
    set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
    if(TESSERA_BUILD_BENCHMARKS)
        find_package(benchmark REQUIRED)
    endif()
endif()
