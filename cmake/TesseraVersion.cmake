# tessera_generate_version(TARGET): writes <build>/sc_models/common/version.h before every build of TARGET.
function(tessera_generate_version target)
    set(header ${PROJECT_BINARY_DIR}/sc_models/common/version.h)
    add_custom_target(tessera_version
        COMMAND ${CMAKE_COMMAND}
            -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
            -D TEMPLATE=${PROJECT_SOURCE_DIR}/sc_models/common/version.h.in
            -D OUTPUT=${header}
            -D VERSION=${PROJECT_VERSION}
            -D BUILD_TYPE=${CMAKE_BUILD_TYPE}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            -P ${PROJECT_SOURCE_DIR}/cmake/TesseraWriteVersion.cmake
        BYPRODUCTS ${header}
        COMMENT "Checking the git revision"
        VERBATIM)
    add_dependencies(${target} tessera_version)
endfunction()
