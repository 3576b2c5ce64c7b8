# Writes text files into a C++ source, so that the program needs no files beside it: see limber_built_in_text.
set(type "std::vector<std::pair<std::string_view, std::string_view>>")
set(body "// Made by built_in_text.cmake from files in limber/${ROOM}.\n#include \"limber/${ROOM}/${FUNCTION}.h\"\n\nnamespace limber::${ROOM} {\n\nconst ${type}& ${FUNCTION}() {\n  static const ${type} data{\n")
foreach(name ${NAMES})
  file(READ ${FOLDER}/${name} text)
  string(APPEND body "      {\"${name}\", R\"json(${text})json\"},\n")
endforeach()
string(APPEND body "  };\n  return data;\n}\n\n}  // namespace limber::${ROOM}\n")
file(WRITE ${OUTPUT} "${body}")
