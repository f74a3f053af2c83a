# Sources with switchable errors in place of the tree's (tools/mutate, which writes them).
set(TESSERA_MUTATION_OVERLAY "" CACHE PATH "Folder of sources with errors, for tools/mutate only")
if(TESSERA_MUTATION_OVERLAY)
    include_directories(BEFORE ${TESSERA_MUTATION_OVERLAY})
endif()

# tessera_use_mutants(TARGET): its sources that have a copy in the overlay are taken from there. Call it in the folder
# of the target, after all its sources are named.
function(tessera_use_mutants target)
    if(NOT TESSERA_MUTATION_OVERLAY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    set(chosen ${TESSERA_MUTATION_OVERLAY}/mutant_switch.cpp)
    foreach(source ${sources})
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
        if(EXISTS ${TESSERA_MUTATION_OVERLAY}/${name})
            list(APPEND chosen ${TESSERA_MUTATION_OVERLAY}/${name})
            set_source_files_properties(${TESSERA_MUTATION_OVERLAY}/${name} PROPERTIES
                                        COMPILE_OPTIONS "-w;-Wno-narrowing")
        else()
            list(APPEND chosen ${source})
        endif()
    endforeach()
    set_target_properties(${target} PROPERTIES SOURCES "${chosen}")
endfunction()
