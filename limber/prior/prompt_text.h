// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace limber::prior {

/// A prompt as Wan's pipeline cleans it before the tokenizer: HTML character references resolved (twice, as there),
/// curly quotes made straight, control characters dropped, white space trimmed and squeezed. Its repair of text that
/// was decoded wrongly is not reproduced.
std::string clean_prompt(std::string_view prompt);

}  // namespace limber::prior
