// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/memory_reserve.h"
#include "studio/server/calls.h"
#include "studio/server/guarded_stream.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kThreads = 64;  // at most; each stream of events takes one
constexpr std::size_t kReserve = std::size_t{1} << 20;

/// Knows how many connections no thread has taken yet. Unlike httplib's own, it starts a thread only when all others
/// are busy: each that has once answered keeps its stack and a share of the heaps. It lives with fewer than it asked
/// for, and with less memory than a connection that waits would take.
class CountingPool final : public httplib::TaskQueue {
 public:
  CountingPool(std::size_t most, std::atomic<int>& waiting) : most_(most), waiting_(waiting) {
    threads_.reserve(most);
    threads_.emplace_back([this] { answer(); });
  }

  void enqueue(std::function<void()> work) override {
    ++waiting_;
    try {
      const std::lock_guard lock(mutex_);
      queue_.push_back(work);
      if (idle_ < queue_.size() && threads_.size() < most_) start_thread();
    } catch (const std::bad_alloc&) {  // then whoever accepts connections answers this one
      --waiting_;
      work();
      return;
    }
    wake_.notify_one();
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void start_thread() noexcept {
    try {
      threads_.emplace_back([this] { answer(); });
    } catch (const std::exception&) {  // then those that are there answer, later
    }
  }

  /// What is asked of it throws nothing (`process_and_close_socket`).
  void answer() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [this] { return over_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty()) return;
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      --waiting_;
      work();
      lock.lock();
    }
  }

  std::size_t most_, idle_ = 0;
  std::atomic<int>& waiting_;  // for a thread
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// One request per connection, each with its limits: nothing that is left of one can be taken for the next.
class LoopbackServer final : public httplib::Server {
 public:
  std::uint64_t most_body = 0;
  std::atomic<bool> stopping{false};
  std::atomic<int> waiting{0};  // for a thread

 private:
  bool process_and_close_socket(socket_t socket) override {
    keep_memory_reserve(kReserve);
    bool done = false;
    try {
      done = answer(socket);
    } catch (const std::exception&) {  // no memory even for saying so: the connection ends, the server does not
    }
    ::close(socket);
    return done;
  }

  bool answer(socket_t socket) {
    StreamLimits limits;
    limits.body_bytes = most_body + most_body / 8 + 65536;  // chunks have heads
    GuardedStream stream(socket, limits, stopping, waiting);
    bool closed = false;
    const bool done = process_request(stream, true, closed, [](httplib::Request& request) {
      // Nothing here is sent in parts, or compressed on the way: it does not go far.
      request.ranges.clear();
      request.headers.erase("Accept-Encoding");
    });
    stream.linger();
    return done;
  }
};

std::vector<std::string> values(const httplib::Request& request, const char* name) {
  std::vector<std::string> all;
  const auto [begin, end] = request.headers.equal_range(name);
  for (auto header = begin; header != end; ++header) all.push_back(header->second);
  return all;
}

RequestHead head_of(const httplib::Request& request) {
  RequestHead head{request.method,
                   request.path,
                   values(request, "Host"),
                   values(request, "Origin"),
                   values(request, "X-Limber-Token"),
                   values(request, "Content-Length"),
                   values(request, "Transfer-Encoding"),
                   request.get_header_value("Content-Type")};
  const auto [begin, end] = request.params.equal_range("token");
  for (auto param = begin; param != end; ++param) head.tokens.push_back(param->second);
  return head;
}

const httplib::Headers kHeaders{
    {"X-Content-Type-Options", "nosniff"},
    {"Content-Security-Policy",
     "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob: data:; style-src 'self' "
     "'unsafe-inline'; worker-src 'self' blob:; media-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; "
     "form-action 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

}  // namespace

class Server::Impl {
 public:
  Impl(const ServerSettings& settings, std::unique_ptr<Events> hub, std::unique_ptr<Shelf> files)
      : events(std::move(hub)),
        shelf(std::move(files)),
        jobs({settings.program, settings.jobs, settings.job_memory}, *shelf, *events),
        shop{settings, {0, make_token(), settings.most_upload}, *events, *shelf, jobs, poses} {}

  Status bind() {
    http.most_body = std::max(shop.gate.most_upload, kMostJsonBytes);
    http.set_payload_max_length(static_cast<std::size_t>(http.most_body));
    http.new_task_queue = [this] { return new CountingPool(kThreads, http.waiting); };
    http.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);  // a port can be had again at once
      socket_ = socket;
    });
    http.set_default_headers(kHeaders);
    const int port = shop.settings.port;
    const bool bound =
        port > 0 ? http.bind_to_port("127.0.0.1", port) : (bound_ = http.bind_to_any_port("127.0.0.1")) > 0;
    if (!bound) return Error{"cannot be listened on: something else may be there", "port " + std::to_string(port)};
    // httplib lets five wait, and the next for a second.
    ::listen(socket_, 128);
    shop.gate.port = port > 0 ? port : bound_;
    add_routes();
    return Done{};
  }

  void add_routes() {
    using Answer = httplib::Server::HandlerResponse;
    http.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      if (const auto refusal = refuse(head_of(request), shop.gate)) {
        send(response, *refusal);
        return Answer::Handled;
      }
      if (request.method == "POST") return Answer::Unhandled;
      response.status = 200;
      answer(shop, request, response);
      return Answer::Handled;
    });
    http.Post(".*", [this](const httplib::Request& request, httplib::Response& response,
                           const httplib::ContentReader& read) { answer_post(shop, request, response, read); });
    http.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) send(response, Refusal{response.status, "could not be understood", "request"});
    });
    http.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      send(response, Refusal{500, "something went wrong in the server", "request", "internal"});
    });
  }

  std::unique_ptr<Events> events;
  std::unique_ptr<Shelf> shelf;
  Jobs jobs;
  Poses poses;
  Workshop shop;
  LoopbackServer http;
  std::atomic<bool> over{false};

 private:
  int bound_ = 0;
  socket_t socket_ = INVALID_SOCKET;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(const ServerSettings& settings) {
  auto events = std::make_unique<Events>();
  LIMBER_TRY(std::unique_ptr<Shelf> shelf, Shelf::open(*events));
  auto impl = std::make_unique<Impl>(settings, std::move(events), std::move(shelf));
  if (impl->shop.gate.token.empty()) return Error{"there is no source of randomness", "token"};
  LIMBER_CHECK_OK(impl->bind());
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::string Server::address() const {
  const Gate& gate = impl_->shop.gate;
  return "http://127.0.0.1:" + std::to_string(gate.port) + "/?token=" + gate.token;
}

Result<fs::path> Server::write_way_in() const {
  const fs::path file = impl_->shelf->folder() / "studio.html";
  const std::string page =
      "<!doctype html><meta charset=\"utf-8\"><title>limber studio</title><meta http-equiv=\"refresh\" content=\"0; "
      "url=" +
      address() + "\">\n";
  LIMBER_CHECK_OK(write_file(file, page));
  return file;
}

Status Server::add_file(const fs::path& file) {
  Asset asset;
  asset.name = clean_name(file.filename().string());
  const std::optional<AssetKind> kind = kind_of_upload(asset.name);
  if (!kind) return Error{"nothing here reads such files", file.string(), ErrorKind::kUnsupported};
  const fs::path copy = impl_->shelf->new_file(lower_extension(file));
  std::error_code failed;
  fs::copy_file(file, copy, failed);
  if (failed) return Error{failed.message(), file.string(), ErrorKind::kMissing};
  asset.kind = *kind, asset.ready = *kind != AssetKind::kModel || lower_extension(file) == ".glb";
  LIMBER_TRY(const Asset added, impl_->shelf->add(asset, copy));
  if (added.ready) return Done{};
  LIMBER_CHECK_OK(impl_->jobs.import(added));
  return Done{};
}

Status Server::serve() {
  impl_->http.listen_after_bind();
  impl_->over = true;
  impl_->events->close();
  impl_->jobs.stop();
  if (!impl_->http.stopping)
    return Error{"cannot be listened on any longer", "port " + std::to_string(impl_->shop.gate.port)};
  return Done{};
}

void Server::stop() {
  impl_->events->close();
  impl_->http.stopping = true;
  // It cannot be stopped before it runs, nor twice.
  while (!impl_->over && !impl_->http.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (!impl_->over) impl_->http.stop();
}

}  // namespace limber::studio
