# Writes the template files into a C++ source, so that the program needs no files beside it.
set(body "// Made by templates.cmake from the files in limber/skeleton/templates.\n#include \"limber/skeleton/template_data.h\"\n\nnamespace limber::skeleton {\n\nconst std::vector<std::pair<std::string_view, std::string_view>>& template_data() {\n  static const std::vector<std::pair<std::string_view, std::string_view>> data{\n")
foreach(name ${NAMES})
  file(READ ${FOLDER}/${name}.json text)
  string(APPEND body "      {\"${name}.json\", R\"json(${text})json\"},\n")
endforeach()
string(APPEND body "  };\n  return data;\n}\n\n}  // namespace limber::skeleton\n")
file(WRITE ${OUTPUT} "${body}")
