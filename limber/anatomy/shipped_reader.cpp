// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/shipped_reader.h"

#include <memory>
#include <utility>

#include "limber/anatomy/body_reader.h"
#include "limber/nn/shipped_models.h"

namespace limber::anatomy {

Result<std::filesystem::path> find_body_reader() { return nn::find_shipped_model("body_reader", is_reader_model); }

Result<ReadBody> open_body_reader(const std::filesystem::path& folder) {
  LIMBER_TRY(BodyReader opened, BodyReader::open(folder));
  const auto shared = std::make_shared<const BodyReader>(std::move(opened));
  return ReadBody([shared](const body::BodyShape& body) { return shared->read(body); });
}

}  // namespace limber::anatomy
