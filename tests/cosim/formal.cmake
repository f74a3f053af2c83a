# Proofs of rtl/*/formal.yaml that take less than a minute, each a test case.
set(formal_tool ${PROJECT_SOURCE_DIR}/tools/rtl_formal)
file(GLOB formal_lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/*/formal.yaml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${formal_lists})
execute_process(COMMAND ${formal_tool} --list OUTPUT_VARIABLE formal_proofs ERROR_VARIABLE formal_error
                RESULT_VARIABLE formal_code OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
if(formal_code EQUAL 2)
    message(FATAL_ERROR "${formal_error}")
elseif(NOT formal_code EQUAL 0)
    message(STATUS "formal proofs are skipped: Python cannot run ${formal_tool} (run tools/setup)")
    return()
endif()
string(REPLACE "\n" ";" formal_proofs "${formal_proofs}")
foreach(line ${formal_proofs})
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words block proof length)
    if(length STREQUAL "test")
        add_test(NAME cosim.formal.${block}.${proof}
                 COMMAND ${formal_tool} ${block} --proof ${proof} --out ${CMAKE_CURRENT_BINARY_DIR}/formal)
        set_tests_properties(cosim.formal.${block}.${proof} PROPERTIES LABELS cosim TIMEOUT 1200
                             SKIP_REGULAR_EXPRESSION "is missing; run tools/setup")
    endif()
endforeach()
add_test(NAME cosim.formal.wrong_property
         COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/formal/rtl_formal_test.py)
# It takes minutes of one core, so it does not start last.
set_tests_properties(cosim.formal.wrong_property PROPERTIES LABELS cosim TIMEOUT 2400 COST 900
                     SKIP_REGULAR_EXPRESSION "is missing; run tools/setup")
