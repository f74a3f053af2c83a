# Installs the library with its headers as a CMake package (find_package(tessera), target tessera::core),
# the tessera program, and the data that goes with them.
include(CMakePackageConfigHelpers)

set(tessera_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
set(tessera_data_dir ${CMAKE_INSTALL_DATADIR}/tessera)
set(tessera_config_dir ${tessera_data_dir}/configs)

install(TARGETS tessera_core EXPORT tesseraTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY sc_models/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/sc_models
        FILES_MATCHING PATTERN "*.h" PATTERN "golden" EXCLUDE)
install(TARGETS tessera_golden EXPORT tesseraTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES sc_models/golden/tessera_golden.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The RTL as IP: sources, file lists, cores and examples, without what only the proofs use.
install(DIRECTORY rtl/ DESTINATION ${tessera_data_dir}/rtl
        FILES_MATCHING PATTERN "*.sv" PATTERN "*.f" PATTERN "*.core" PATTERN "README.md" PATTERN "examples/*"
        PATTERN "__pycache__" EXCLUDE PATTERN "*_properties.sv" EXCLUDE PATTERN "*_stand_in.sv" EXCLUDE)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${tessera_package_dir})

if(TARGET tessera)
    add_dependencies(tessera tessera_golden)  # a build of the program alone can be installed
    install(TARGETS tessera RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY configs/ DESTINATION ${tessera_config_dir}
        PATTERN "reference/results" EXCLUDE)  # the tables of docs/ are made of them, which is not installed
install(DIRECTORY waveforms/ DESTINATION ${tessera_data_dir}/waveforms OPTIONAL
        FILES_MATCHING PATTERN "*.gtkw" PATTERN "*.md")
install(DIRECTORY testbenches/foreign_memory_example/
        DESTINATION ${tessera_data_dir}/examples/foreign_memory)
install(DIRECTORY testbenches/module_example/ DESTINATION ${tessera_data_dir}/examples/module)
install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Pages contain uPlot.
install(FILES ${PROJECT_BINARY_DIR}/sc_models/page/assets/uplot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.uPlot)

configure_package_config_file(cmake/tesseraConfig.cmake.in ${PROJECT_BINARY_DIR}/tesseraConfig.cmake
    INSTALL_DESTINATION ${tessera_package_dir} PATH_VARS tessera_config_dir)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
        DESTINATION ${tessera_package_dir})
