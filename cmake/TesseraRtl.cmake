# RTL blocks: Verilated into tessera::core where Verilator is there, and linted by tests.
#
# tessera_rtl_block(NAME id_generator TOP id_generator SOURCES a_pkg.sv a.sv ... [ARGS -GWIDTH=8 ...])
# Verilates module TOP with prefix V<TOP> into the object library rtl_NAME. Adds the tests
# cosim.lint.NAME.verilator and cosim.lint.NAME.yosys. The wrapper sc_models/cosim/NAME_rtl.cpp and the bench
# testbenches/cosim/NAME_bench.cpp are built with it.
# With PINS, also as a SystemC module V<TOP>_sc, into the object library rtl_pins_NAME, for
# sc_models/pins/NAME_pin_rtl.cpp.
#
# With TESSERA_RTL_OVERRIDE_<NAME>=netlist.v, the block is Verilated from its packages and that file; what
# tools/rtl_mutation puts there has mutants. Such a block is not linted.
#
# tessera_rtl_second_set(NAME load_history_buffer [TOP module] [ALONE] PARAMETERS MaxEntries=64 MaxWays=4 ...)
# Verilates the block, or a module of it that has no others inside, once more, with other parameters and prefix V<TOP>_second, into rtl_second_TOP.
# The block's bench runs it in place of the first with `tessera cosim NAME --second-set`;
# testbenches/cosim/verilated_second_sets.cpp names its class. Its dumps have the signals of the top only. ALONE: tests/cosim/second_set_test.cpp drives it.
#
# tessera_use_second_sets(TARGET PRIVATE|INTERFACE SOURCE sets...): puts sets into TARGET, or into all programs that link
# it; SOURCE, one of its sources, sees their headers.
#
# tessera_use_rtl(TARGET): puts all blocks, Verilator's run-time library and the wrappers of the blocks, which are in
# the folder that calls it, into TARGET.
#
# tessera_use_pin_rtl(TARGET): puts the SystemC modules and NAME_pin_rtl.cpp of the folder that calls it into TARGET.

option(TESSERA_RTL "Verilate the RTL blocks, if Verilator is there" ON)
option(TESSERA_RTL_COVERAGE "Verilate with line, branch and toggle coverage" OFF)

option(TESSERA_RTL_SECOND_SETS "Verilate the RTL blocks with their second sets of parameters, too"
       ${TESSERA_BUILD_TESTS})

set(TESSERA_RTL_SKIPPED "")
if(NOT TESSERA_RTL)
    set(TESSERA_RTL_SKIPPED "this build was configured with TESSERA_RTL=OFF")
else()
    find_package(verilator QUIET HINTS /usr/share/verilator $ENV{VERILATOR_ROOT})
    if(NOT verilator_FOUND)
        set(TESSERA_RTL_SKIPPED "Verilator was not found when this build was configured")
    endif()
endif()

if(TESSERA_RTL_SKIPPED)
    message(STATUS "RTL blocks are skipped: ${TESSERA_RTL_SKIPPED}")
else()
    # Generated code and Verilator's own: fast, and its warnings are nobody's to fix.
    set(TESSERA_RTL_FLAGS -w $<$<CONFIG:Release>:-O2>)
    if(TESSERA_RTL_COVERAGE)
        set(TESSERA_RTL_FLAGS -w -O0)  # with counters it is too much code to optimise
    endif()
    add_library(tessera_verilated OBJECT
        ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp
        ${VERILATOR_ROOT}/include/verilated_vcd_c.cpp
        $<$<BOOL:${TESSERA_RTL_COVERAGE}>:${VERILATOR_ROOT}/include/verilated_cov.cpp>)
    target_include_directories(tessera_verilated SYSTEM PUBLIC
        ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
    target_compile_definitions(tessera_verilated PUBLIC
        VM_TRACE=1 VM_TRACE_VCD=1 VM_TRACE_FST=0 VM_SC=0 VM_COVERAGE=$<BOOL:${TESSERA_RTL_COVERAGE}>)
    target_compile_options(tessera_verilated PRIVATE ${TESSERA_RTL_FLAGS})
    find_program(VERILATOR_PROGRAM verilator)
    find_program(YOSYS_PROGRAM yosys)
endif()

# Verilator's run-time library comes with every target; one is enough.
function(tessera_drop_runtime target)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources EXCLUDE REGEX "^${VERILATOR_ROOT}/include/")
    set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()

# Compiles the code that Verilator made for `target` as two units, what runs once and the rest, as its own makefile does:
# most of the time goes into the headers that the files share.
function(tessera_join_verilated target)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} BINARY_DIR)
    foreach(list kept once often)
        set(${list} "")
    endforeach()
    foreach(source ${sources})  # OPT_SLOW marks what runs once
        get_source_file_property(flags ${source} TARGET_DIRECTORY ${target} COMPILE_FLAGS)
        if(NOT source MATCHES "\\.cpp$")
            list(APPEND kept ${source})
        elseif(flags MATCHES "-O0")
            list(APPEND once ${source})
        else()
            list(APPEND often ${source})
        endif()
    endforeach()
    foreach(kind once often)
        set(unit "${folder}/${target}_${kind}.cpp")
        list(TRANSFORM ${kind} REPLACE "${folder}/(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
        list(JOIN lines "\n" lines)
        file(CONFIGURE OUTPUT "${unit}" CONTENT "${lines}\n" @ONLY)
        set_source_files_properties("${unit}" PROPERTIES OBJECT_DEPENDS "${${kind}}")
        list(APPEND kept "${unit}")
    endforeach()
    set_source_files_properties("${folder}/${target}_once.cpp" PROPERTIES COMPILE_FLAGS -O0)
    set_target_properties(${target} PROPERTIES SOURCES "${kept}")
endfunction()

# Pins of 2 to 64 bits are sc_uint, wider ones sc_bv: the width is part of the type, so that binding checks it and
# sc_trace draws it. Verilator's run-time library must see the same definitions everywhere, so VM_SC stays 0.
function(tessera_rtl_pins name top files arguments)
    add_library(rtl_pins_${name} OBJECT EXCLUDE_FROM_ALL)
    verilate(rtl_pins_${name} PREFIX V${name}_sc TOP_MODULE ${top} SYSTEMC SOURCES ${files}
             OPT_SLOW -O0
             VERILATOR_ARGS --pins-sc-uint --pins-bv 65 --x-assign unique --x-initial unique -O3 ${arguments})
    set_target_properties(rtl_pins_${name} PROPERTIES VERILATOR_SYSTEMC OFF)
    target_link_libraries(rtl_pins_${name} PRIVATE PkgConfig::SYSTEMC)
    target_compile_options(rtl_pins_${name} PRIVATE -w $<$<CONFIG:Release>:-O1>)
    tessera_drop_runtime(rtl_pins_${name})
    tessera_join_verilated(rtl_pins_${name})
    set_property(GLOBAL APPEND PROPERTY TESSERA_RTL_PIN_BLOCKS ${name})
endfunction()

function(tessera_rtl_block)
    cmake_parse_arguments(ARG "PINS" "NAME;TOP" "SOURCES;ARGS" ${ARGN})
    if(TESSERA_RTL_SKIPPED)
        return()
    endif()
    set(files "")
    foreach(source ${ARG_SOURCES})
        get_filename_component(file ${source} ABSOLUTE)
        list(APPEND files ${file})
    endforeach()
    # Messages of the Verilated code name the files as they are given here: not by the tree they stand in, so that a copy
    # of the project gets the code out of the compiler's cache.
    set(verilated ${ARG_SOURCES})
    if(TESSERA_RTL_COVERAGE)
        set(verilated ${files})  # counts name their files in full
    endif()
    if(ARG_PINS)  # without an override, whose mutants have a pin of their own
        tessera_rtl_pins(${ARG_NAME} ${ARG_TOP} "${verilated}" "-Wall;${ARG_ARGS}")
    endif()
    string(TOUPPER ${ARG_NAME} upper)
    set(override "${TESSERA_RTL_OVERRIDE_${upper}}")
    set(warnings -Wall)
    if(override)
        list(FILTER verilated INCLUDE REGEX "_pkg\\.sv$")
        list(APPEND verilated ${override})
        list(FILTER ARG_ARGS EXCLUDE REGEX "^-G")  # the netlist has them built in
        set(warnings -Wno-fatal -Wno-lint)
    endif()
    set(coverage "")
    if(TESSERA_RTL_COVERAGE)
        set(coverage COVERAGE)
        # Verilator 5.006 counts the wrong arm of an `if` that changes its own condition, unless told so.
        list(APPEND warnings -fno-split -fno-reorder)
    endif()
    # Random first values and X bits: what relies on a zero that nobody reset shows.
    add_library(rtl_${ARG_NAME} OBJECT)
    verilate(rtl_${ARG_NAME} PREFIX V${ARG_TOP} TOP_MODULE ${ARG_TOP} TRACE ${coverage} SOURCES ${verilated}
             OPT_SLOW -O0  # what runs once
             VERILATOR_ARGS --x-assign unique --x-initial unique --trace-structs ${warnings} -O3 ${ARG_ARGS})
    target_compile_options(rtl_${ARG_NAME} PRIVATE ${TESSERA_RTL_FLAGS})
    tessera_drop_runtime(rtl_${ARG_NAME})
    if(NOT override)  # a netlist with mutants is too much code for one unit
        tessera_join_verilated(rtl_${ARG_NAME})
    endif()
    set_property(GLOBAL APPEND PROPERTY TESSERA_RTL_BLOCKS ${ARG_NAME})
    set_property(GLOBAL PROPERTY TESSERA_RTL_TOP_${ARG_NAME} ${ARG_TOP})
    set_property(GLOBAL PROPERTY TESSERA_RTL_SOURCES_${ARG_NAME} ${ARG_SOURCES})
    if(TESSERA_BUILD_TESTS AND NOT override)
        add_test(NAME cosim.lint.${ARG_NAME}.verilator
                 COMMAND ${VERILATOR_PROGRAM} --lint-only -Wall --top-module ${ARG_TOP} ${ARG_ARGS} ${files})
        set_tests_properties(cosim.lint.${ARG_NAME}.verilator PROPERTIES LABELS cosim TIMEOUT 120)
        if(YOSYS_PROGRAM)
            string(REPLACE ";" " " list "${files}")
            add_test(NAME cosim.lint.${ARG_NAME}.yosys COMMAND ${YOSYS_PROGRAM} -q -e "." -p
                     "read_verilog -sv ${list}; hierarchy -check -top ${ARG_TOP}; proc; check -assert")
            set_tests_properties(cosim.lint.${ARG_NAME}.yosys PROPERTIES LABELS cosim TIMEOUT 300)
        endif()
    endif()
endfunction()

function(tessera_rtl_second_set)
    cmake_parse_arguments(ARG "ALONE" "NAME;TOP" "PARAMETERS" ${ARGN})
    if(TESSERA_RTL_SKIPPED OR NOT TESSERA_RTL_SECOND_SETS)
        return()
    endif()
    set(sources ${ARG_TOP}.sv)
    if(NOT ARG_TOP)
        get_property(sources GLOBAL PROPERTY TESSERA_RTL_SOURCES_${ARG_NAME})
        get_property(ARG_TOP GLOBAL PROPERTY TESSERA_RTL_TOP_${ARG_NAME})
    endif()
    list(TRANSFORM ARG_PARAMETERS PREPEND -G OUTPUT_VARIABLE arguments)
    set(library rtl_second_${ARG_TOP})
    add_library(${library} OBJECT)
    verilate(${library} PREFIX V${ARG_TOP}_second TOP_MODULE ${ARG_TOP} TRACE SOURCES ${sources} OPT_SLOW -O0
             VERILATOR_ARGS --x-assign unique --x-initial unique --trace-structs --trace-depth 1 -Wall -O3 ${arguments})
    target_compile_options(${library} PRIVATE -w $<$<CONFIG:Release>:-O1>)  # its runs are short
    tessera_drop_runtime(${library})
    tessera_join_verilated(${library})
    if(ARG_ALONE)
        set_property(GLOBAL APPEND PROPERTY TESSERA_RTL_SECOND_MODULES ${library})
    else()
        set_property(GLOBAL APPEND PROPERTY TESSERA_RTL_SECOND_SETS ${library})
    endif()
endfunction()

# Gives sources of `target` the paths and definitions of the Verilated `ARGN`. No other source gets them, so that a new block
# does not compile everything anew.
function(tessera_see_verilated target sources)
    set(options "")
    foreach(library tessera_verilated ${ARGN})
        get_target_property(directories ${library} INTERFACE_INCLUDE_DIRECTORIES)
        foreach(directory ${directories})
            list(APPEND options "-isystem${directory}")
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES options)
    get_target_property(definitions tessera_verilated INTERFACE_COMPILE_DEFINITIONS)
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${options})
    set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_DEFINITIONS ${definitions})
endfunction()

# Verilator's run-time library comes with tessera_core.
function(tessera_use_second_sets target scope source)
    foreach(library ${ARGN})
        target_sources(${target} ${scope} $<TARGET_OBJECTS:${library}>)
    endforeach()
    tessera_see_verilated(${target} ${source} ${ARGN})
endfunction()

function(tessera_use_rtl target)
    get_property(blocks GLOBAL PROPERTY TESSERA_RTL_BLOCKS)
    list(TRANSFORM blocks PREPEND rtl_ OUTPUT_VARIABLE libraries)
    list(TRANSFORM blocks APPEND _rtl.cpp OUTPUT_VARIABLE wrappers)
    foreach(library tessera_verilated ${libraries})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${library}>)
    endforeach()
    tessera_see_verilated(${target} "${wrappers}" ${libraries})
    target_sources(${target} PRIVATE ${wrappers})
endfunction()

function(tessera_use_pin_rtl target)
    get_property(blocks GLOBAL PROPERTY TESSERA_RTL_PIN_BLOCKS)
    get_target_property(definitions tessera_verilated INTERFACE_COMPILE_DEFINITIONS)
    foreach(block ${blocks})
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:rtl_pins_${block}> ${block}_pin_rtl.cpp)
        get_target_property(directories rtl_pins_${block} INTERFACE_INCLUDE_DIRECTORIES)
        list(TRANSFORM directories PREPEND "-isystem")
        set_property(SOURCE ${block}_pin_rtl.cpp APPEND PROPERTY COMPILE_OPTIONS ${directories})
        set_property(SOURCE ${block}_pin_rtl.cpp APPEND PROPERTY COMPILE_DEFINITIONS ${definitions})
    endforeach()
endfunction()
