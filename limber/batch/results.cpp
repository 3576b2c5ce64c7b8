// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "limber/base/files.h"
#include "limber/base/nesting.h"
#include "limber/base/quote.h"
#include "limber/batch/item_json.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostStatusBytes = 4 << 20;

Status make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return Error{"cannot make the folder: " + failed.message(), folder.string()};
  return Done{};
}

Status move_to(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return Done{};
  return Error{std::string("cannot rename to it: ") + std::strerror(errno), to.string()};
}

/// What `limber animate` resumes from.
bool is_checkpoint(const fs::path& file) { return file.filename().string().rfind("result.checkpoint", 0) == 0; }

Result<Json> status_json(const Bytes& bytes, const fs::path& file) {
  Json json = nested_deeper(as_text(bytes)) ? Json() : Json::parse(as_text(bytes), nullptr, false);
  if (!json.is_object()) return Error{"is no JSON object", file.string()};
  return json;
}

Result<Json> read_status(const fs::path& folder) {
  const fs::path file = folder / "status.json";
  LIMBER_TRY(const Bytes bytes, read_file(file, kMostStatusBytes));
  return status_json(bytes, file);
}

Result<ItemStatus> status_from_json(const Json& json, const std::string& where) {
  try {
    return ItemStatus{json.at("state").get<std::string>() == "done",
                      json.at("reason").get<std::string>(),
                      json.at("attempts").get<int>(),
                      json.at("seconds").get<double>(),
                      json.at("cpu_seconds").get<double>(),
                      json.at("most_bytes").get<std::uint64_t>()};
  } catch (const Json::exception& exception) {
    return Error{shortened(exception.what()), where};
  }
}

}  // namespace

Results Results::at(const fs::path& folder) {
  std::error_code failed;
  // Without the slash at its end, which would be an empty name.
  fs::path whole = fs::absolute(folder, failed).lexically_normal();
  return Results(whole.has_filename() ? whole : whole.parent_path());
}

Result<Results> Results::open(const fs::path& folder) {
  Results results = at(folder);
  for (const fs::path& inner : {results.own() / "work", results.plans(), results.logs()}) {
    LIMBER_CHECK_OK(make_folder(inner));
  }
  return results;
}

Result<Results> Results::find(const fs::path& folder) {
  Results results = at(folder);
  std::error_code failed;
  if (!fs::is_directory(results.own(), failed)) {
    return Error{"is no folder of results of a batch", folder.string(), ErrorKind::kMissing};
  }
  return results;
}

std::optional<ItemStatus> Results::status(const std::string& id) const {
  // One that cannot be read is as good as none: the item is done again.
  const Result<std::optional<ItemStatus>> status = told_status(id);
  return status.ok() ? *status : std::nullopt;
}

Result<std::optional<ItemStatus>> Results::told_status(const std::string& id) const {
  const fs::path file = of(id) / "status.json";
  const Result<Bytes> bytes = read_file(file, kMostStatusBytes);
  if (!bytes.ok() && bytes.error().kind != ErrorKind::kMissing) return bytes.error();
  if (!bytes.ok()) return std::optional<ItemStatus>();
  const Result<Json> json = status_json(*bytes, file);
  if (!json.ok()) return std::optional<ItemStatus>();
  const Result<ItemStatus> status = status_from_json(*json, id);
  return status.ok() ? std::optional(*status) : std::nullopt;
}

Result<std::pair<Item, ItemStatus>> Results::finished_item(const std::string& id) const {
  LIMBER_TRY(const Json json, read_status(of(id)));
  LIMBER_TRY(ItemStatus status, status_from_json(json, id));
  LIMBER_TRY(Item item, item_from_json(json.contains("item") ? json["item"] : Json(), id));
  if (item.id != id) return Error{"holds the status of another item", id};
  return std::pair(std::move(item), std::move(status));
}

std::vector<std::string> Results::ids() const {
  std::vector<std::string> ids;
  std::error_code failed;
  for (fs::directory_iterator entry(folder_, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (is_id(name)) ids.push_back(name);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

bool Results::is_finished(const Item& item) const {
  const std::optional<ItemStatus> status = this->status(item.id);
  return status && (status->done || status->attempts > item.tried);
}

Result<fs::path> Results::start_work(const std::string& id) const {
  const fs::path folder = work(id);
  LIMBER_CHECK_OK(make_folder(folder));
  std::error_code failed;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (!is_checkpoint(entry->path())) left.push_back(entry->path());
  }
  for (const fs::path& path : left) fs::remove_all(path, failed);
  return folder;
}

Status Results::finish(const Item& item, const ItemStatus& status) const {
  const Json json{{"state", status.done ? "done" : "failed"},
                  {"reason", status.reason},
                  {"attempts", status.attempts},
                  {"seconds", status.seconds},
                  {"cpu_seconds", status.cpu_seconds},
                  {"most_bytes", status.most_bytes},
                  {"item", item_to_json(item)}};
  LIMBER_CHECK_OK(write_file(work(item.id) / "status.json", json_line(json) + "\n"));
  // What an earlier attempt left makes room; whoever is stopped in between has an item that is not finished.
  const fs::path old = work(item.id + ".old");
  std::error_code failed;
  fs::remove_all(old, failed);
  if (fs::exists(of(item.id), failed)) LIMBER_CHECK_OK(move_to(of(item.id), old));
  if (const Status moved = move_to(work(item.id), of(item.id)); !moved.ok()) {
    if (fs::exists(old, failed)) static_cast<void>(move_to(old, of(item.id)));
    return moved;
  }
  fs::remove_all(old, failed);
  return Done{};
}

Status Results::name_output(const Item& item) const {
  if (item.output.empty()) return Done{};
  const fs::path result = of(item.id) / item.result, output = folder_ / item.output;
  std::error_code failed;
  if (fs::equivalent(result, output, failed)) return Done{};
  LIMBER_CHECK_OK(make_folder(output.parent_path()));
  const fs::path unfinished = output.string() + fmt::format(".tmp-{}-{}", item.id, item.line);
  fs::remove(unfinished, failed);
  // A second name for the same bytes; a copy where the file system knows no such thing.
  fs::create_hard_link(result, unfinished, failed);
  if (failed) fs::copy_file(result, unfinished, failed);
  Status status = failed ? Status(Error{"cannot write: " + failed.message(), output.string()}) : Status(Done{});
  if (status.ok()) status = move_to(unfinished, output);
  if (!status.ok()) fs::remove(unfinished, failed);
  return status;
}

Status Results::keep_items(const std::vector<Item>& items) const {
  return write_file(own() / "items.jsonl", items_to_text(items));
}

Result<std::vector<Item>> Results::kept_items() const {
  const fs::path file = own() / "items.jsonl";
  LIMBER_TRY(const Bytes bytes, read_file(file));
  return items_from_text(as_text(bytes), file.string());
}

std::vector<Item> unfinished_items(const Results& results, const std::vector<Item>& items, bool retry_failed) {
  std::vector<Item> unfinished;
  std::set<std::string> seen;
  for (const Item& item : items) {
    const std::optional<ItemStatus> status = results.status(item.id);
    if (status && (status->done || !retry_failed)) continue;
    if (!seen.insert(item.id).second) continue;  // two lines may ask for the same
    unfinished.push_back(item);
    unfinished.back().tried = status ? status->attempts : 0;
  }
  return unfinished;
}

}  // namespace limber::batch
