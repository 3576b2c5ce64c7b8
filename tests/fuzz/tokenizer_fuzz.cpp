// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the bytes are, reading them as a tokenizer ends in one that can encode any text, those bytes included, or in
// an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "limber/base/files.h"
#include "limber/prior/prompt_text.h"
#include "limber/prior/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto model = size > 0 && data[0] == '{' ? prior::read_tokenizer_json(as_text(bytes), "fuzz")
                                                : prior::read_spiece_model(bytes, "fuzz");
  const std::string text(as_text(bytes.first(size < 300 ? size : 300)));
  (void)prior::clean_prompt(text);
  if (!model.ok()) return 0;
  const prior::Tokenizer tokenizer(*model);
  for (const std::string& prompt : {text, std::string("A fox, \xe2\x96\x81 \xff ab")}) {
    const prior::TokenizedPrompt tokens = tokenizer.encode_padded(prompt, 16);
    if (tokens.ids.size() != 16 || tokens.length < 1 || tokens.length > 16) std::abort();
  }
  return 0;
}
