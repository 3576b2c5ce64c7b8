// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/anatomy/reader_model.h"

#include <cmath>

#include "limber/nn/model_fields.h"

namespace limber::anatomy {
namespace {

constexpr const char* kFormat = "limber body reader 2";

/// A file must not ask for more memory or time than any sensible model.
constexpr double kMostFelt = 1 << 24, kMostFlops = 2e11;

constexpr nn::ModelField<ReaderModel> kFields[] = {{"points", &ReaderModel::points, 16, 32767},
                                                   {"tokens", &ReaderModel::tokens, 8, 4096},
                                                   {"neighbours", &ReaderModel::neighbours, 1, 256},
                                                   {"group_width", &ReaderModel::group_width, 1, 1024},
                                                   {"width", &ReaderModel::width, 8, 4096},
                                                   {"layers", &ReaderModel::layers, 1, 64},
                                                   {"heads", &ReaderModel::heads, 1, 64},
                                                   {"regions", &ReaderModel::regions, 1, 255},
                                                   {"kinds", &ReaderModel::kinds, 1, 255},
                                                   {"limbs", &ReaderModel::limbs, 1, 255}};

struct TemperatureField {
  const char* name;
  double Temperatures::*member;
};
constexpr TemperatureField kTemperatures[] = {{"regions", &Temperatures::regions}, {"limbs", &Temperatures::limbs},
                                              {"sides", &Temperatures::sides},     {"counts", &Temperatures::counts},
                                              {"kinds", &Temperatures::kinds},     {"up", &Temperatures::up},
                                              {"forward", &Temperatures::forward}};
constexpr double kColdest = 0.02, kHottest = 50;

Status read_temperatures(const nlohmann::ordered_json& json, const std::string& name, Temperatures& temperatures) {
  const auto all = json.find("temperatures");
  if (all == json.end() || !all->is_object()) return Error{"missing", name + "#/temperatures"};
  for (const TemperatureField& field : kTemperatures) {
    const std::string where = name + "#/temperatures/" + field.name;
    const auto value = all->find(field.name);
    if (value == all->end() || !value->is_number()) return Error{"missing", where};
    const double number = value->get<double>();
    if (!(number >= kColdest && number <= kHottest)) return Error{"out of range", where};
    temperatures.*field.member = number;
  }
  return Done{};
}

}  // namespace

Temperatures calibrated_by(Temperatures fitted, std::span<const Temperatures> folds) {
  for (double Temperatures::*member :
       {&Temperatures::counts, &Temperatures::kinds, &Temperatures::up, &Temperatures::forward}) {
    double log = 0;
    for (const Temperatures& fold : folds) log += std::log(fold.*member) / static_cast<double>(folds.size());
    if (!folds.empty()) fitted.*member = std::exp(log);
  }
  return fitted;
}

double ReaderModel::flops() const {
  const double n = tokens + 1, d = width, g = group_width;
  return layers * (24 * n * d * d + 4 * n * n * d) + 2.0 * tokens * neighbours * (6 * g + 2 * g * g);
}

std::string reader_model_to_json(const ReaderModel& model) {
  nlohmann::ordered_json json = nn::description_of(kFormat, kFields, model);
  for (const TemperatureField& field : kTemperatures)
    json["temperatures"][field.name] = model.temperatures.*field.member;
  return json.dump(1) + "\n";
}

Result<ReaderModel> reader_model_from_json(const std::string& text, const std::string& name) {
  ReaderModel model;
  LIMBER_TRY(const auto json, nn::parse_description(text, kFormat, "a body reader", name));
  LIMBER_CHECK_OK(nn::read_fields(json, kFields, name, model));
  LIMBER_CHECK_OK(read_temperatures(json, name, model.temperatures));
  if (model.width % model.heads != 0) return Error{"the width is no multiple of the heads", name};
  const double felt = static_cast<double>(model.tokens) * model.neighbours * model.group_width;
  if (felt > kMostFelt || model.flops() > kMostFlops) return Error{"too large", name};
  if (model.tokens > model.points || model.neighbours > model.points) return Error{"more tokens than points", name};
  return model;
}

bool is_reader_model(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kReaderModelFile, error);
}

Result<ReaderModel> read_reader_model(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kReaderModelFile;
  LIMBER_TRY(const std::string text, nn::read_description(path));
  return reader_model_from_json(text, path.string());
}

}  // namespace limber::anatomy
