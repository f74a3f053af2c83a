# Language level, warnings and sanitizers, for every target of the project.

# Debian's libsystemc is built as C++17 and refuses to link with another standard.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(TESSERA_BUILD_TESTS "Build the tests" ON)
option(TESSERA_BUILD_BENCHMARKS "Build tests/bench" ON)
option(TESSERA_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
option(TESSERA_SANITIZE_EVERY_ACCESS "With TESSERA_SANITIZE: check each access for null and alignment, too" OFF)
option(TESSERA_QUICK_TO_BUILD "Leave unoptimised what no run waits for: less to compile, for builds of a few small runs"
       ${TESSERA_SANITIZE})
option(TESSERA_UNOPTIMISED "Compile tessera_core without optimisation: for builds of a few small runs" OFF)
option(TESSERA_UNITY "Compile eight sources of a folder at a time: most of the time goes into the headers they share" ON)
option(TESSERA_WARNINGS_AS_ERRORS "Turn warnings into errors" ON)

set(TESSERA_MARCH x86-64-v2 CACHE STRING
    "Processor that tessera_core is compiled for on x86-64, as GCC's -march; the default is any since 2009")
set(TESSERA_PROFILE "" CACHE STRING "generate: count what runs do; use: compile by these counts, as one unit (tools/build profiled)")
set_property(CACHE TESSERA_PROFILE PROPERTY STRINGS "" generate use)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    # Paths are hashed relative to the project, so that a copy of it elsewhere (system.recipes) shares what is compiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
        ${CCACHE_PROGRAM})
endif()

# Flags shared by all targets; linked PRIVATE, so that users of the library choose their own.
add_library(tessera_flags INTERFACE)
target_compile_options(tessera_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       $<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror>)
if(TESSERA_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(NOT TESSERA_SANITIZE_EVERY_ACCESS)
        # They are a fifth of the time to compile. The address sanitizer reports accesses through null anyhow.
        add_compile_options(-fno-sanitize=null,alignment,object-size)
    endif()
    add_link_options(-fsanitize=address,undefined)
endif()
# Results are the same on every processor: a multiplication and addition in one would round otherwise than the two.
add_compile_options(-ffp-contract=off)
if(TESSERA_PROFILE STREQUAL "generate")
    add_compile_options(-fprofile-generate)
    add_link_options(-fprofile-generate)
elseif(TESSERA_PROFILE STREQUAL "use")
    # Code that no training run executed is compiled as without a profile.
    add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile)
    set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
elseif(TESSERA_PROFILE)
    message(FATAL_ERROR "TESSERA_PROFILE: got '${TESSERA_PROFILE}', expected generate, use or nothing")
endif()

# tessera_quick_to_build(TARGET): what it adds to the libraries runs for moments, but would compile for minutes.
function(tessera_quick_to_build target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(TESSERA_QUICK_TO_BUILD)
        target_compile_options(${target} PRIVATE -O0 -g0)
    endif()
endfunction()

# tessera_unity(TARGET [ALONE a.cpp ...]): compiles eight sources of a folder at a time; those named by ALONE, whose
# local names meet a neighbour's, for themselves.
function(tessera_unity target)
    if(NOT TESSERA_UNITY)
        return()
    endif()
    cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    get_target_property(source_dir ${target} SOURCE_DIR)
    set(folders "")
    foreach(source ${sources})
        cmake_path(GET source FILENAME name)
        if(NOT name IN_LIST ARG_ALONE)
            cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_dir} NORMALIZE OUTPUT_VARIABLE path)
            cmake_path(GET path PARENT_PATH folder)
            cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
            string(MAKE_C_IDENTIFIER "${folder}" folder)
            list(APPEND folders ${folder})
            list(APPEND members_${folder} ${source})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES folders)
    foreach(folder ${folders})
        list(LENGTH members_${folder} length)
        math(EXPR units "(${length} + 7) / 8")
        set(number 0)
        foreach(source ${members_${folder}})
            math(EXPR unit "${number} * ${units} / ${length}")
            math(EXPR number "${number} + 1")
            set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${unit})
        endforeach()
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# tessera_quick_folder(): the same for this folder's sources of tessera_core, which files and pages are made with and no
# run waits for. They are a third of what there is to compile.
function(tessera_quick_folder)
    set(options $<$<CONFIG:Release>:-O1>)
    if(TESSERA_QUICK_TO_BUILD)
        set(options -O0 -g0)
    endif()
    get_target_property(sources tessera_core SOURCES)
    list(FILTER sources INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/")
    if(TESSERA_UNITY)
        # A source with options of its own is in no unit, so that the units get them.
        cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE folder)
        string(MAKE_C_IDENTIFIER "${folder}" folder)
        get_target_property(binary_dir tessera_core BINARY_DIR)
        set(sources "")
        foreach(unit RANGE 9)
            list(APPEND sources ${binary_dir}/CMakeFiles/tessera_core.dir/Unity/unity_${folder}_${unit}_cxx.cxx)
        endforeach()
    endif()
    set_source_files_properties(${sources} TARGET_DIRECTORY tessera_core PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()
