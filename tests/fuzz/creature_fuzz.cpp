// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever words a person, a line of a manifest or a page has for a body: they become one that its own text gives back,
// of a size that a creature can have, or an error of bounded length.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "limber/zoo/body_spec.h"
#include "limber/zoo/describe.h"

namespace {

using namespace limber;

void must_come_back(const zoo::BodySpec& body) {
  const auto again = zoo::parse_body(zoo::to_text(body));
  if (!again.ok() || !(*again == body)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto body = zoo::parse_body(text); body.ok()) {
    must_come_back(*body);
  } else if (body.error().what.empty() || body.error().what.size() > 4096) {
    std::abort();
  }
  const auto described = zoo::describe_body(text);
  if (described.ok()) {
    if (!(described->metres > 1e-5 && described->metres < 1e5)) std::abort();
    for (const double factor : {described->look.length, described->look.girth}) {
      if (!(factor > 0.1 && factor < 10)) std::abort();
    }
    must_come_back(described->body);
  } else if (described.error().what.empty() || described.error().what.size() > 4096) {
    std::abort();
  }
  return 0;
}
