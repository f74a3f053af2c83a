# Packages; all of them from Debian (tools/setup installs them).
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)  # Debian ships no CMake package for it
find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tsl-robin-map REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)
# Debian's CMake package of libonnx names targets of protobuf's own CMake package, which Debian does not ship; CMake's
# module makes them. The definitions choose the namespace and the flavour that the library was built with.
find_package(Protobuf REQUIRED)
find_library(ONNX_LIBRARY onnx REQUIRED)
find_library(ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h REQUIRED)
add_library(ONNX::onnx SHARED IMPORTED)
set_target_properties(ONNX::onnx PROPERTIES IMPORTED_LOCATION ${ONNX_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${ONNX_INCLUDE_DIR}
                      INTERFACE_COMPILE_DEFINITIONS "ONNX_NAMESPACE=onnx;ONNX_ML=1"
                      INTERFACE_LINK_LIBRARIES "${ONNX_PROTO_LIBRARY};protobuf::libprotobuf")
# Optional: without it runs cannot be compared with an independent library, and say so. Debian's CMake
# package of oneDNN insists on OpenCL's headers, which nothing here needs.
find_library(DNNL_LIBRARY dnnl)
find_path(DNNL_INCLUDE_DIR dnnl.hpp)
if(DNNL_LIBRARY AND DNNL_INCLUDE_DIR)
    add_library(DNNL::dnnl SHARED IMPORTED)
    set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
else()
    message(STATUS "oneDNN not found: the oneDNN check will be skipped")
endif()
# Optional: without it waveforms are VCD only. Verilator ships GTKWave's fstapi as sources.
find_path(TESSERA_FST_INCLUDE_DIR gtkwave/fstapi.c HINTS /usr/share/verilator/include $ENV{VERILATOR_ROOT}/include)
set(TESSERA_FST OFF)
if(TESSERA_FST_INCLUDE_DIR)
    set(TESSERA_FST ON)
else()
    message(STATUS "Verilator's fstapi not found: waveforms are VCD only")
endif()
if(TESSERA_BUILD_TESTS)
    find_package(GTest REQUIRED)
    if(TESSERA_BUILD_BENCHMARKS)
        find_package(benchmark REQUIRED)
    endif()
endif()
