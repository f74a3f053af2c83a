# A bench with a broken output must end with exit code 1 and say where, what and how to see it again.
execute_process(COMMAND ${TESSERA} cosim ${BLOCK} --count 1000000 --fault ${FAULT} ${OPTIONS}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 1)
    message(FATAL_ERROR "exit code ${code}, expected 1:\n${output}")
endif()
foreach(part "first divergence in cycle" "expected" "got" "inputs" "again")
    if(NOT output MATCHES "${part}")
        message(FATAL_ERROR "no '${part}' in the report:\n${output}")
    endif()
endforeach()
