# Compiler settings that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(LIMBER_CCACHE ccache)
mark_as_advanced(LIMBER_CCACHE)
if(LIMBER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two things ccache must overlook before it keeps anything that was compiled with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${LIMBER_CCACHE})
endif()

add_library(limber_compiler INTERFACE)
# Contraction of a*b+c is chosen per kernel, never by the optimiser: the same source must give the same bits everywhere.
target_compile_options(limber_compiler INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${LIMBER_WERROR}>>:-Werror>)
if(LIMBER_SANITIZE)
  # Globally, so that headers of dependencies are instrumented too.
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  if(LIMBER_SANITIZE STREQUAL THREADS)
    set(sanitizers -fsanitize=thread)
  endif()
  foreach(option ${sanitizers} -fno-omit-frame-pointer)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:${option}>)
  endforeach()
  # Enough for a trace with lines, in four fifths of the time to compile.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  add_link_options(${sanitizers})
else()
  # A defect in a reader is to end the program, not to lead it: guarded stacks, checked copies (which want an optimiser; targets without one say
  # LIMBER_UNOPTIMISED), tables of addresses that are fixed before it begins, code at random places. No number that is computed changes by it.
  target_compile_options(limber_compiler INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>,$<NOT:$<BOOL:$<TARGET_PROPERTY:LIMBER_UNOPTIMISED>>>>:-U_FORTIFY_SOURCE>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>,$<NOT:$<BOOL:$<TARGET_PROPERTY:LIMBER_UNOPTIMISED>>>>:-D_FORTIFY_SOURCE=2>)
  add_link_options(-Wl,-z,relro,-z,now)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()
if(LIMBER_FUZZ)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
if(LIMBER_TIDY)
  find_program(LIMBER_CLANG_TIDY clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${LIMBER_CLANG_TIDY};--quiet)
endif()
if(LIMBER_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know that this nvcc speaks C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  # For std::array in kernels.
  # Contraction off here as well: kernels that count what others then fill must come to the same numbers.
  add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr> $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>)
endif()

# limber_precompile(<target> <set> [HEADERS ... LINK ... OPTIONS ...]): the standard headers that nearly every file reads, and HEADERS, are read
# once for all targets of a set, whose OPTIONS must be the same: a third less to compile. GCC only, and only where speed is wanted (LIMBER_UNITY);
# other builds show that each file includes what it uses.
function(limber_precompile target set)
  if(NOT LIMBER_UNITY OR LIMBER_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  cmake_parse_arguments(arg "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  set(reader limber_headers_${set})
  if(NOT TARGET ${reader})
    add_library(${reader} OBJECT ${PROJECT_SOURCE_DIR}/cmake/empty.cpp)
    target_link_libraries(${reader} PRIVATE limber_compiler ${arg_LINK})
    set_target_properties(${reader} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${reader} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${reader} PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory>
      <numeric> <optional> <set> <span> <string> <unordered_map> <utility> <vector> ${arg_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${reader})
  # The first for ccache. GCC 12 forgets which precompiled headers are the system's, and warns of overlaps in std::string that are not there.
  target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endfunction()
