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
foreach(path include/tessera/sc_models/common/types.h share/tessera/configs/reference/paper_results.yaml)
    if(NOT EXISTS ${prefix}/${path})
        message(FATAL_ERROR "not installed: ${path}")
    endif()
endforeach()
if(PROGRAM_EXPECTED)
    step(${prefix}/bin/tessera --help)
endif()

step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/tests/system/consumer -B ${WORK_DIR}/build
     -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release
     -D CMAKE_CXX_COMPILER=${CXX_COMPILER})
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/consumer)

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
