# The Python package `tessera` (tools/python), plain Python over the program: usable from the build tree with
# PYTHONPATH=build/PRESET/python, and installed. It finds the program in the folder bin/ of a folder above it.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tools/python/tessera ${PROJECT_BINARY_DIR}/python/tessera SYMBOLIC)
install(DIRECTORY tools/python/tessera DESTINATION lib/python3/dist-packages PATTERN __pycache__ EXCLUDE)
