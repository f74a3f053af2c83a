# Script: installs BINARY_DIR into a fresh prefix under WORK_DIR, checks what must be there, and builds and
# runs the consumer project of SOURCE_DIR and the installed examples against it. Fails at the first step that fails.
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "exit ${failed} from: ${command}\n${output}")
    endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${prefix})
foreach(path include/tessera/sc_models/common/types.h include/tessera_golden.h share/tessera/configs/reference/paper_results.yaml
             share/tessera/rtl/examples/README.md)
    if(NOT EXISTS ${prefix}/${path})
        message(FATAL_ERROR "not installed: ${path}")
    endif()
endforeach()
if(PROGRAM_EXPECTED)
    step(${prefix}/bin/tessera --help)
endif()

# Every list of RTL sources is there with its core and the files that it names; sources of proofs are not.
file(GLOB written RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/rtl/*/*.f)
if(NOT written)
    message(FATAL_ERROR "no file lists in ${SOURCE_DIR}/rtl")
endif()
foreach(list ${written})
    set(installed ${prefix}/share/tessera/${list})
    string(REGEX REPLACE "\\.f$" ".core" core ${installed})
    get_filename_component(folder ${installed} DIRECTORY)
    if(NOT EXISTS ${installed} OR NOT EXISTS ${core})
        message(FATAL_ERROR "not installed: ${installed} or ${core}")
    endif()
    file(STRINGS ${installed} sources REGEX "^[^/]*\\.sv$|^\\.\\./")
    list(LENGTH sources length)
    if(length LESS 2)
        message(FATAL_ERROR "${installed} names ${length} sources")
    endif()
    foreach(source ${sources})
        if(NOT EXISTS ${folder}/${source})
            message(FATAL_ERROR "not installed: ${source}, which ${installed} names")
        endif()
    endforeach()
endforeach()
file(GLOB proofs ${prefix}/share/tessera/rtl/*/*_properties.sv ${prefix}/share/tessera/rtl/*/*_stand_in.sv)
if(proofs)
    message(FATAL_ERROR "sources of proofs are installed: ${proofs}")
endif()
if(RTL_EXPECTED)
    step(/usr/bin/python3 ${SOURCE_DIR}/tests/cosim/rtl_examples_test.py --installed ${prefix}
         Examples.test_the_commands_print_what_the_readme_says)
endif()

step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/tests/system/consumer -B ${WORK_DIR}/build
     -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release
     -D CMAKE_CXX_COMPILER=${CXX_COMPILER})
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/consumer)
step(${WORK_DIR}/build/golden_consumer)

# The installed example, as its README says: on every place for a memory, at both levels of timing.
step(${CMAKE_COMMAND} -G Ninja -S ${prefix}/share/tessera/examples/foreign_memory
     -B ${WORK_DIR}/example -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release
     -D CMAKE_CXX_COMPILER=${CXX_COMPILER})
step(${CMAKE_COMMAND} --build ${WORK_DIR}/example)
foreach(timing lt at)
    foreach(place l1 noc l2)
        step(${WORK_DIR}/example/foreign_memory_example ${timing} ${place})
    endforeach()
endforeach()

# The example of one module: it returns 1 if it read a wrong byte.
step(${CMAKE_COMMAND} -G Ninja -S ${prefix}/share/tessera/examples/module
     -B ${WORK_DIR}/module -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release
     -D CMAKE_CXX_COMPILER=${CXX_COMPILER})
step(${CMAKE_COMMAND} --build ${WORK_DIR}/module)
step(${WORK_DIR}/module/module_example)
file(REMOVE_RECURSE ${WORK_DIR})
