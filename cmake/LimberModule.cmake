# limber_module(<name> HEADERS ... PRIVATE_HEADERS ... SOURCES ... TESTS ... DEPENDS ... PRIVATE ...)
# limber_module(<name> ... TORCH_SOURCES ... TORCH_TESTS ...): what is left out when LibTorch is not there, a library
#   limber_<name>_torch of its own, so that programs without networks to train need not load LibTorch
# limber_module(<name> ... TORCH_CUDA_SOURCES ...): kernels of that library
# limber_module(<name> ... PROGRAMS ...): files of targets that the folder's CMakeLists.txt declares itself
# limber_module(<name> ... CUDA_SOURCES ... NO_CUDA_SOURCES ... CUDA_TESTS ... EMULATED): kernels, what answers in builds without them, and
#   tests; EMULATED: the same sources and tests also as plain C++ (base/cuda_emulation.h), so that they run without a GPU
# limber_module(<name> ... TOGETHER [APART ...]): in builds without tests (./demo) the sources are compiled as few units, which takes half the
#   time; APART: those whose helpers are called like others'. The test rooms_compile_together shows that it works
# limber_module(<name> ... TESTED_WITH <target>): what tests link instead of limber_testing, in the modules below that
#
# Declares the library limber_<name> (alias limber::<name>) from the files of this folder, and one test program of all its
# *_test.cpp files, with a second one for TORCH_TESTS. Every file of the folder must be listed, so that no test is forgotten.
# PRIVATE_HEADERS (and .inl) are not installed and may use third-party types.
function(limber_module name)
  cmake_parse_arguments(arg "EMULATED;TOGETHER" "TESTED_WITH" "APART;HEADERS;PRIVATE_HEADERS;SOURCES;CUDA_SOURCES;NO_CUDA_SOURCES;TORCH_SOURCES;TORCH_CUDA_SOURCES;TESTS;CUDA_TESTS;TORCH_TESTS;PROGRAMS;DEPENDS;PRIVATE" ${ARGN})

  file(GLOB present RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.h *.cpp *.cu *.cuh *.inl)
  set(listed ${arg_HEADERS} ${arg_PRIVATE_HEADERS} ${arg_SOURCES} ${arg_CUDA_SOURCES} ${arg_NO_CUDA_SOURCES} ${arg_TORCH_SOURCES} ${arg_TORCH_CUDA_SOURCES} ${arg_TESTS}
      ${arg_CUDA_TESTS} ${arg_TORCH_TESTS} ${arg_PROGRAMS})
  foreach(file ${present})
    if(NOT file IN_LIST listed)
      message(FATAL_ERROR "limber/${name}/${file} is not listed in its CMakeLists.txt")
    endif()
  endforeach()

  set(target limber_${name})
  set(sources ${arg_SOURCES} ${arg_HEADERS})
  set(torch_sources ${arg_TORCH_SOURCES})
  if(LIMBER_CUDA)
    list(APPEND torch_sources ${arg_TORCH_CUDA_SOURCES})
    list(APPEND sources ${arg_CUDA_SOURCES})
  else()
    list(APPEND sources ${arg_NO_CUDA_SOURCES})
  endif()
  # limber_* are headers only needed here; others, and an installed fmt, are libraries that whoever links this one must find too.
  if(fmt_FOUND)
    list(TRANSFORM arg_PRIVATE REPLACE "^limber_fmt$" fmt::fmt)
  endif()
  list(TRANSFORM arg_PRIVATE REPLACE "^(limber_.*)$" "$<BUILD_INTERFACE:\\1>")
  limber_library(${name} ${sources} ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
  if(arg_TOGETHER)
    limber_together(${name} ${arg_SOURCES} APART ${arg_APART})
  endif()
  foreach(dependency ${arg_DEPENDS})
    target_link_libraries(${target} PUBLIC limber_${dependency})
  endforeach()
  target_link_libraries(${target} PRIVATE ${arg_PRIVATE})

  if(LIMBER_WITH_TORCH AND arg_TORCH_SOURCES)
    limber_library(${name}_torch ${torch_sources})
    # Public: the private headers of nn speak LibTorch to the modules built on it.
    target_link_libraries(${target}_torch PUBLIC ${target} ${TORCH_LIBRARIES} PRIVATE ${arg_PRIVATE})
    foreach(dependency ${arg_DEPENDS})
      if(TARGET limber_${dependency}_torch)
        target_link_libraries(${target}_torch PUBLIC limber_${dependency}_torch)
      endif()
    endforeach()
  elseif(arg_TORCH_SOURCES)
    message(STATUS "limber: ${name} without what needs LibTorch")
  endif()
  set_property(GLOBAL APPEND PROPERTY LIMBER_MODULES ${name})
  set_property(GLOBAL PROPERTY LIMBER_HEADERS_${name} ${arg_HEADERS})

  if(NOT arg_TESTED_WITH)
    set(arg_TESTED_WITH limber_testing)
  endif()
  if(LIMBER_TESTS AND arg_TESTS)
    limber_test(${name}_test SOURCES ${arg_TESTS} LINK ${target} ${arg_TESTED_WITH})
  endif()
  if(LIMBER_TESTS AND LIMBER_WITH_TORCH AND arg_TORCH_TESTS)
    set(tested ${target})
    if(arg_TORCH_SOURCES)
      set(tested ${target}_torch)
    endif()
    limber_test(${name}_torch_test SOURCES ${arg_TORCH_TESTS} LINK ${tested} limber_testing)
  endif()
  if(LIMBER_TESTS AND LIMBER_CUDA AND arg_CUDA_TESTS)
    limber_test(${name}_cuda_test LABEL cuda SOURCES ${arg_CUDA_TESTS} LINK ${target} limber_testing)
  endif()
  # Fibers change stacks behind the sanitizers' backs.
  if(LIMBER_TESTS AND arg_EMULATED AND NOT LIMBER_SANITIZE)
    limber_emulated_test(${name} SOURCES ${arg_CUDA_SOURCES} TESTS ${arg_CUDA_TESTS})
  endif()
endfunction()

# limber_emulated_test(<module> SOURCES ... TESTS ...): a test program in which the module's kernels, and those of the modules
# declared before, are plain C++. Its objects stand in for those of the libraries, which are then not linked.
function(limber_emulated_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;TESTS" ${ARGN})
  foreach(kind SOURCES TESTS)
    set(${kind})
    foreach(file ${arg_${kind}})
      set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${file}.emulated.cpp)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"limber/${name}/${file}\"\n")
      list(APPEND ${kind} ${wrapper})
    endforeach()
  endforeach()
  # What nvcc does not warn of either. Jumps between stacks are not what a fortified longjmp expects.
  set_source_files_properties(${SOURCES} ${TESTS} PROPERTIES COMPILE_OPTIONS 
    "-Wno-conversion;-Wno-unknown-pragmas;-Wno-unused-function;-U_FORTIFY_SOURCE;$<IF:$<CXX_COMPILER_ID:GNU>,-Wno-subobject-linkage,-Wno-pass-failed>")
  if(SOURCES)
    add_library(limber_${name}_emulated OBJECT ${SOURCES})
    target_link_libraries(limber_${name}_emulated PRIVATE limber_${name} limber_compiler)
    set_property(GLOBAL APPEND PROPERTY LIMBER_EMULATED limber_${name}_emulated)
  endif()
  get_property(emulated GLOBAL PROPERTY LIMBER_EMULATED)
  limber_test(${name}_emulated_test SOURCES ${TESTS} LINK ${emulated} limber_${name} limber_testing)
endfunction()

# limber_built_in_text(<room> <function> FOLDER <folder> FILES <file>...): names and texts of files, compiled in. Sets <function>_source to a
# C++ source with what the room declares in <function>.h:
#   const std::vector<std::pair<std::string_view, std::string_view>>& <function>();
function(limber_built_in_text room function)
  cmake_parse_arguments(arg "" "FOLDER" "FILES" ${ARGN})
  set(script ${PROJECT_SOURCE_DIR}/cmake/built_in_text.cmake)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  set(files ${arg_FILES})
  list(TRANSFORM files PREPEND ${arg_FOLDER}/)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} "-DNAMES=${arg_FILES}" -DFOLDER=${arg_FOLDER} -DROOM=${room} -DFUNCTION=${function} -DOUTPUT=${source} -P ${script}
    DEPENDS ${files} ${script}
    VERBATIM)
  set(${function}_source ${source} PARENT_SCOPE)
endfunction()

# limber_together(<module> <file>... APART <file>...): see limber_module.
function(limber_together name)
  cmake_parse_arguments(arg "" "" "APART" ${ARGN})
  set(together ${arg_UNPARSED_ARGUMENTS})
  if(arg_APART)
    list(REMOVE_ITEM together ${arg_APART})
    set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(NOT LIMBER_TESTS)
    set_target_properties(limber_${name} PROPERTIES UNITY_BUILD ${LIMBER_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  endif()
  set_property(GLOBAL PROPERTY LIMBER_TOGETHER_${name} ${together})
endfunction()

# limber_library(<name> <file>...): a static library limber_<name>, alias limber::<name>, that is installed.
function(limber_library name)
  set(target limber_${name})
  add_library(${target} STATIC ${ARGN})
  add_library(limber::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME limber_${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:limber_compiler>)
  if(name MATCHES "_torch$")
    # LibTorch's headers take many seconds to read: once for all files that need them.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${LIMBER_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  else()
    limber_precompile(${target} library OPTIONS -fPIC)
  endif()
endfunction()

# limber_test(<name> [LABEL <label>] SOURCES ... LINK ...): a GoogleTest program, one ctest entry per test. Without LABEL, tests of
# suites named *Grad* are labelled "grad", those of suites named *Parity* (agreement with public implementations) "parity", the rest
# "unit".
function(limber_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;LINK" ${ARGN})
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  set_property(GLOBAL APPEND PROPERTY LIMBER_TEST_PROGRAMS ${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK} limber_compiler GTest::gtest GTest::gtest_main)
  # The library is tested as it ships; the tests themselves take longer to compile than to run. With so little optimisation GCC
  # sees unset values and overlaps that are not there.
  set(options $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  target_compile_options(${name} PRIVATE ${options})
  if(name MATCHES "_torch_test$")
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${LIMBER_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  elseif(NOT name MATCHES "_(cuda|emulated)_test$")  # emulated ones are not fortified, and headers that were read fortified are not theirs
    limber_precompile(${name} tests HEADERS <gtest/gtest.h> LINK GTest::gtest OPTIONS -fPIE ${options})
  endif()
  set(seconds 300)
  if(LIMBER_SANITIZE)
    set(seconds 1800)  # what is watched is slow
  endif()
  if(arg_LABEL)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${arg_LABEL} TIMEOUT 600)
  else()
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "-*Grad*.*:*Parity*.*" TEST_LIST ${name}_unit
                         PROPERTIES LABELS unit TIMEOUT ${seconds})
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "*Grad*.*" TEST_LIST ${name}_grad
                         PROPERTIES LABELS grad TIMEOUT ${seconds})
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "*Parity*.*" TEST_LIST ${name}_parity
                         PROPERTIES LABELS parity TIMEOUT ${seconds})
  endif()
endfunction()
