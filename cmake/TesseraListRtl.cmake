# Lists the RTL blocks for the scripts in tools/, without a build:
#   cmake -DOUTPUT=FILE -P cmake/TesseraListRtl.cmake
# reads the tessera_rtl_block() of every rtl/*/CMakeLists.txt and writes a line of JSON for each.

function(tessera_rtl_block)
    cmake_parse_arguments(ARG "PINS" "NAME;TOP" "SOURCES;ARGS" ${ARGN})
    set(lists "")
    foreach(list SOURCES ARGS)
        set(words "")
        foreach(word ${ARG_${list}})
            if(list STREQUAL "SOURCES")
                get_filename_component(word ${word} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_LIST_DIR})
            endif()
            list(APPEND words "\"${word}\"")
        endforeach()
        string(REPLACE ";" ", " words "${words}")
        string(TOLOWER ${list} key)
        string(APPEND lists ", \"${key}\": [${words}]")
    endforeach()
    file(APPEND ${OUTPUT} "{\"name\": \"${ARG_NAME}\", \"top\": \"${ARG_TOP}\", "
                          "\"folder\": \"${CMAKE_CURRENT_LIST_DIR}\"${lists}}\n")
endfunction()

function(tessera_rtl_second_set)
endfunction()

file(WRITE ${OUTPUT} "")
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
file(GLOB folders ${root}/rtl/*/CMakeLists.txt)
foreach(folder ${folders})
    include(${folder})
endforeach()
