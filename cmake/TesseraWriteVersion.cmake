# Script: fills TEMPLATE into OUTPUT with VERSION, BUILD_TYPE, COMPILER and the git revision of SOURCE_DIR.
# Leaves OUTPUT untouched when nothing changed, so that nothing is compiled again.
execute_process(
    COMMAND git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE GIT_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE git_failed)
if(git_failed)
    set(GIT_REVISION unknown)
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
