// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "limber/actions/catalogue.h"
#include "limber/base/files.h"
#include "limber/base/memory_budget.h"
#include "studio/server/page.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;
using httplib::Request;
using httplib::Response;

constexpr std::size_t kMostStreams = 48;  // of events; the others of the pool's threads answer calls

const Refusal kNotFound{404, "there is no such thing here", "path", "missing"};

std::string content_type(const fs::path& file) {
  struct Type {
    std::string_view ending, type;
  };
  constexpr Type kTypes[] = {{".glb", "model/gltf-binary"}, {".mp4", "video/mp4"},   {".m4v", "video/mp4"},
                             {".webm", "video/webm"},       {".gif", "image/gif"},   {".png", "image/png"},
                             {".jpg", "image/jpeg"},        {".jpeg", "image/jpeg"}, {".webp", "image/webp"}};
  const std::string ending = lower_extension(file);
  for (const Type& known : kTypes) {
    if (ending == known.ending) return std::string(known.type);
  }
  return "application/octet-stream";
}

/// A name in a header: plain where it is plain, and in any case percent-encoded.
std::string disposition(const std::string& name) {
  std::string plain, encoded;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    plain += byte < 0x80 && c != '"' && c != '\\' ? c : '_';
    if (letter) {
      encoded += c;
    } else {
      encoded += '%', encoded += "0123456789ABCDEF"[byte >> 4], encoded += "0123456789ABCDEF"[byte & 15];
    }
  }
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + encoded;
}

// --- reading ---------------------------------------------------------------------------------------------------------

/// An open file that closes with the answer.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  bool ok() const { return file_ >= 0; }
  ssize_t read(std::span<char> bytes, std::size_t offset) const {
    return ::pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  }

 private:
  int file_;
};

/// Whether a GLB's meshes are compressed: their decoders are WebAssembly, which the page has none of.
bool is_packed(const fs::path& path) {
  const OpenFile file(path);
  std::array<char, 20> head{};  // of the file, and of its JSON
  if (file.read(head, 0) != static_cast<ssize_t>(head.size()) || std::string_view(head.data(), 4) != "glTF") {
    return false;
  }
  std::uint32_t length = 0;
  std::memcpy(&length, head.data() + 12, sizeof length);
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (failed) return false;
  std::string json(static_cast<std::size_t>(std::min<std::uintmax_t>(length, size)), ' ');
  if (file.read(std::span<char>(json), head.size()) <= 0) return false;
  return json.find("KHR_draco_mesh_compression") != std::string::npos ||
         json.find("EXT_meshopt_compression") != std::string::npos;
}

void send_unpacked(Workshop& shop, const Asset& asset, Response& response) {
  const Result<Bytes> bytes = shop.poses.plain_glb(asset);
  if (!bytes.ok()) return send(response, bytes.error());
  response.set_header("Content-Disposition", disposition(asset.name));
  response.set_content(std::string(as_text(*bytes)), content_type(asset.file));
}

void send_file(Workshop& shop, const std::string& id, Response& response) {
  const std::optional<Asset> asset = shop.shelf.find(id);
  if (!asset) return send(response, kNotFound);
  if (!asset->ready) return send(response, Refusal{409, "is still being read", id, "conflict"});
  if (asset->kind == AssetKind::kModel && is_packed(asset->file)) return send_unpacked(shop, *asset, response);
  const auto file = std::make_shared<OpenFile>(asset->file);
  std::error_code failed;
  const auto size = static_cast<std::size_t>(fs::file_size(asset->file, failed));
  if (failed || !file->ok()) return send(response, kNotFound);
  response.set_header("Content-Disposition", disposition(asset->name));
  response.set_content_provider(
      size, content_type(asset->file), [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        std::array<char, 65536> bytes;
        const ssize_t count = file->read(std::span(bytes).first(std::min(length, bytes.size())), offset);
        return count > 0 && sink.write(bytes.data(), static_cast<std::size_t>(count));
      });
}

void send_page(const Workshop& shop, const std::string& path, Response& response) {
  std::optional<PageFile> file = read_page_file(shop.settings.page, path);
  if (!file) return send(response, kNotFound);
  if (file->gzipped) response.set_header("Content-Encoding", "gzip");
  response.set_content(file->bytes, file->type);
}

/// All that can be asked for, with every word for it, for a page to search.
Json known_actions() {
  Json known = Json::array();
  for (const actions::Action& action : actions::built_in().all()) {
    Json words = Json::array();
    for (const actions::Verb& verb : action.verbs) {
      for (const std::string& form : verb.forms) words.push_back(form);
    }
    known.push_back({{"name", action.name},
                     {"does", action.verbs.front().third()},
                     {"words", std::move(words)},
                     {"goes", action.travels != actions::Travels::kNo},
                     {"needs", action.limbs.called}});
  }
  return known;
}

void send_state(Workshop& shop, Response& response) {
  Json state{{"version", shop.settings.version}, {"assets", Json::array()}, {"jobs", Json::array()}};
  for (const Asset& asset : shop.shelf.list()) state["assets"].push_back(to_json(asset));
  for (const Job& job : shop.jobs.list()) state["jobs"].push_back(to_json(job));
  state["examples"] = Json::array();
  for (const Example& example : examples()) {
    state["examples"].push_back({{"name", example.name}, {"body", example.body}, {"action", example.action}});
  }
  state["ideas"] = Json::array();
  for (const actions::Action& action : actions::built_in().all()) {
    if (action.suggested) state["ideas"].push_back("it " + action.verbs.front().third());
  }
  state["actions"] = known_actions();
  state["limits"] = {{"upload", shop.gate.most_upload}};
  send(response, 200, state);
}

void send_events(Workshop& shop, Response& response) {
  const std::shared_ptr<Events::Listener> listener = shop.events.listen(kMostStreams);
  if (!listener) return send(response, Refusal{503, "too many listen already", "events", "out of memory"});
  // The first bytes at once: whoever listens knows then that nothing is missed.
  response.set_chunked_content_provider("text/event-stream", [listener](std::size_t offset, httplib::DataSink& sink) {
    const std::optional<std::string> text = offset == 0 ? std::optional<std::string>(":\n\n") : listener->next();
    return text && sink.write(text->data(), text->size());
  });
}

// --- writing ---------------------------------------------------------------------------------------------------------

/// The body as JSON.
Result<Json> read_json(const httplib::ContentReader& read, bool& too_large) {
  std::string text;
  const bool whole = read([&](const char* bytes, std::size_t size) {
    too_large = text.size() + size > kMostJsonBytes;
    if (!too_large) text.append(bytes, size);
    return !too_large;
  });
  if (too_large) return Error{"is larger than " + std::to_string(kMostJsonBytes) + " bytes", "body"};
  if (!whole) return Error{"ended early", "body"};
  return parse_body(text);
}

/// The body as a file. Nothing of it stays where it is not whole or too large.
std::optional<Refusal> save_body(const httplib::ContentReader& read, const fs::path& path, std::uint64_t most) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return Refusal{500, std::strerror(errno), "body"};
  std::uint64_t size = 0;
  bool wrote = true;
  const bool whole = read([&](const char* bytes, std::size_t count) {
    size += count;
    if (size > most) return false;
    for (std::size_t done = 0; wrote && done < count;) {
      const ssize_t n = ::write(file, bytes + done, count - done);
      wrote = n > 0 || (n < 0 && errno == EINTR);
      if (n > 0) done += static_cast<std::size_t>(n);
    }
    return wrote;
  });
  ::close(file);
  if (whole && size <= most && size > 0) return std::nullopt;
  std::error_code failed;
  fs::remove(path, failed);
  if (size > most) return Refusal{413, "is larger than " + std::to_string(most) + " bytes", "body", "out of memory"};
  if (!wrote) return Refusal{507, "there is no room on the disk", "body", "out of memory"};
  return Refusal{400, size == 0 && whole ? "is empty" : "ended early", "body"};
}

bool begins_as_glb(const fs::path& path) {
  std::array<char, 4> magic{};
  return OpenFile(path).read(magic, 0) == 4 && std::string_view(magic.data(), 4) == "glTF";
}

void add_asset(Workshop& shop, const Request& request, Response& response, const httplib::ContentReader& read) {
  Asset asset;
  asset.name = clean_name(request.get_param_value("name"));
  const std::optional<AssetKind> kind = kind_of_upload(asset.name);
  if (!kind) return send(response, Refusal{415, "nothing here reads such files", asset.name, "unsupported"});
  const std::string ending = lower_extension(asset.name);
  const fs::path file = shop.shelf.new_file(ending);
  const RemovedAtEnd tidy(file);  // where it does not become an asset
  if (const auto refusal = save_body(read, file, shop.gate.most_upload)) return send(response, *refusal);
  if (ending == ".glb" && !begins_as_glb(file)) {
    return send(response, Refusal{400, "is not a GLB: it begins otherwise", asset.name});
  }
  asset.kind = *kind, asset.ready = *kind != AssetKind::kModel || ending == ".glb";
  const Result<Asset> added = shop.shelf.add(asset, file);
  if (!added.ok()) return send(response, added.error());
  if (!added->ready) {
    try {
      const Result<Job> job = shop.jobs.import(*added);
      if (!job.ok()) {
        shop.shelf.remove(added->id);
        return send(response, job.error());
      }
    } catch (const std::bad_alloc&) {
      shop.shelf.remove(added->id);  // nobody would read it
      throw;
    }
  }
  send(response, 201, to_json(*added));
}

Result<JobRequest> job_request(Workshop& shop, const Json& body) {
  if (!body.is_object()) return Error{"should be an object", "body"};
  JobRequest request;
  for (const auto& [key, value] : body.items()) {
    if (key == "do" && value.is_string()) {
      request.task = value.get<std::string>();
    } else if (key == "asset" && (value.is_string() || value.is_null())) {
      if (value.is_string()) request.asset = shop.shelf.find(value.get<std::string>());
      if (value.is_string() && !request.asset) return Error{"there is no such asset", "asset", ErrorKind::kMissing};
    } else if (key == "options" && value.is_object()) {
      request.options = value;
    } else {
      return Error{"is not known here, or of another type", key.substr(0, 64)};
    }
  }
  return request;
}

Result<Job> order_job(Workshop& shop, const Json& body) {
  LIMBER_TRY(const JobRequest request, job_request(shop, body));
  const auto find = [&](const std::string& id) { return shop.shelf.find(id); };
  const fs::path folder = shop.jobs.new_folder();
  RemovedAtEnd unused(folder);
  const auto order = [&]() -> Result<Job> {
    LIMBER_TRY(JobPlan plan, plan_job(request, folder, find));
    const auto keyframes = request.options.find("keyframes");
    if (keyframes != request.options.end() && !keyframes->is_null()) {
      LIMBER_CHECK_OK(shop.poses.write_keyframes(*request.asset, *keyframes, folder / kKeyframesFile));
    }
    return shop.jobs.start(request, std::move(plan), folder);
  };
  Result<Job> job = order();
  if (job.ok()) unused.keep();
  return job;
}

void solve(Workshop& shop, const std::string& id, const Json& body, Response& response) {
  const std::optional<Asset> asset = shop.shelf.find(id);
  if (!asset) return send(response, kNotFound);
  const Result<Json> answer = shop.poses.solve(*asset, body);
  if (answer.ok()) return send(response, 200, *answer);
  // A later question has come: this one's answer would be old.
  if (answer.error().kind == ErrorKind::kCancelled) {
    return send(response, Refusal{429, answer.error().what, id, "cancelled"});
  }
  send(response, answer.error());
}

void send_job(const Job& job, Response& response) {
  const Result<std::string> text = text_with_report(job);
  if (!text.ok()) return send(response, Refusal{500, "cannot read what was found: " + text.error().what, job.id});
  response.status = 200;
  response.set_content(*text + "\n", "application/json");
}

void send_skeleton(Workshop& shop, const std::string& id, Response& response) {
  const std::optional<Asset> asset = shop.shelf.find(id);
  if (!asset) return send(response, kNotFound);
  const Result<Json> skeleton = shop.poses.skeleton(*asset);
  skeleton.ok() ? send(response, 200, *skeleton) : send(response, skeleton.error());
}

}  // namespace

void send(Response& response, int status, const Json& document) {
  response.status = status;
  response.set_content(line_of(document) + "\n", "application/json");
}

void send(Response& response, const Refusal& refusal) {
  send(response, refusal.status,
       {{"error", {{"what", refusal.what}, {"where", refusal.where}, {"kind", refusal.kind}}}});
}

void send(Response& response, const Error& error) {
  const int status = error.kind == ErrorKind::kMissing       ? 404
                     : error.kind == ErrorKind::kConflict    ? 409
                     : error.kind == ErrorKind::kUnsupported ? 409
                     : error.kind == ErrorKind::kOutOfMemory ? 429
                                                             : 400;
  const bool too_much = error.kind == ErrorKind::kOutOfMemory && memory_budget_exceeded();
  const std::string what = error.what + (too_much ? " (limber studio --max-memory allows more)" : "");
  send(response, Refusal{status, what, error.where, std::string(name(error.kind))});
}

void answer(Workshop& shop, const Request& request, Response& response) {
  const std::vector<std::string> words = split_path(request.path);
  const bool get = request.method != "DELETE";
  if (words.empty() || words[0] != "api") {
    get ? send_page(shop, request.path, response) : send(response, kNotFound);
    return;
  }
  const std::size_t count = words.size();
  const std::string what = count > 1 ? words[1] : "", id = count > 2 ? words[2] : "", part = count > 3 ? words[3] : "";
  if (get && count == 2 && what == "state") return send_state(shop, response);
  if (get && count == 2 && what == "events") return send_events(shop, response);
  if (get && count == 4 && what == "assets" && part == "file") return send_file(shop, id, response);
  if (get && count == 4 && what == "assets" && part == "skeleton") return send_skeleton(shop, id, response);
  if (get && count == 3 && what == "jobs") {
    const std::optional<Job> job = shop.jobs.find(id);
    return job ? send_job(*job, response) : send(response, kNotFound);
  }
  if (!get && count == 3 && what == "assets" && shop.shelf.remove(id)) {
    response.status = 204;
    return;
  }
  if (!get && count == 3 && what == "jobs" && shop.jobs.cancel(id)) {
    return send(response, 202, to_json(shop.jobs.find(id).value_or(Job())));
  }
  send(response, kNotFound);
}

void answer_post(Workshop& shop, const Request& request, Response& response, const httplib::ContentReader& read) {
  const std::vector<std::string> words = split_path(request.path);
  const auto is = [&](std::size_t i, std::string_view word) { return i < words.size() && words[i] == word; };
  if (request.path == "/api/assets") return add_asset(shop, request, response, read);
  const bool solves = words.size() == 4 && is(0, "api") && is(1, "assets") && is(3, "solve");
  if (!solves && request.path != "/api/jobs") return send(response, kNotFound);

  bool too_large = false;
  const Result<Json> body = read_json(read, too_large);
  if (too_large) return send(response, Refusal{413, body.error().what, "body", "out of memory"});
  if (!body.ok()) return send(response, body.error());
  if (solves) return solve(shop, words[2], *body, response);
  const Result<Job> job = order_job(shop, *body);
  job.ok() ? send(response, 201, to_json(*job)) : send(response, job.error());
}

}  // namespace limber::studio
