// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever comes over a connection to the studio, it is answered by what HTTP has, or closed; nothing goes wrong
// inside, and nobody is let in who has no token. An input may say TOKEN and PORT for those of the server that it is
// sent to.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "studio/server/server.h"

namespace {

using namespace limber;

/// The real one, and the thread that it answers on. Its jobs do nothing.
class Studio {
 public:
  Studio() {
    studio::ServerSettings settings;
    settings.page = "/nowhere", settings.program = "/bin/true", settings.version = "0", settings.most_upload = 1 << 20;
    server_ = studio::Server::open(settings).value();
    const std::string address = server_->address(), before = "http://127.0.0.1:", between = "/?token=";
    const std::size_t slash = address.find(between);
    port = address.substr(before.size(), slash - before.size()), token = address.substr(slash + between.size());
    thread_ = std::thread([this] { (void)server_->serve(); });
  }
  ~Studio() {
    server_->stop();
    thread_.join();
  }

  std::string port, token;
  int answered = 0;

 private:
  std::unique_ptr<studio::Server> server_;
  std::thread thread_;
};

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}

/// All that is answered, where it comes soon: a stream of events has no end.
std::string ask(const Studio& studio, const std::string& text) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval soon{0, 200000};
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  sockaddr_in place{};
  place.sin_family = AF_INET, place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(studio.port)));
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0) std::abort();
  (void)::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
  ::shutdown(connection, SHUT_WR);
  std::string answer;
  char bytes[4096];
  for (ssize_t count; (count = ::recv(connection, bytes, sizeof bytes, 0)) > 0;) {
    answer.append(bytes, static_cast<std::size_t>(count));
    if (answer.size() > 1 << 20) break;
  }
  ::close(connection);
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A new one now and then: shelf and list of jobs would fill up.
  static std::unique_ptr<Studio> studio;
  if (studio && studio->answered++ > 2000) studio.reset();
  if (!studio) studio = std::make_unique<Studio>();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string answer = ask(*studio, replaced(replaced(text, "TOKEN", studio->token), "PORT", studio->port));
  const std::string_view status = std::string_view(answer).substr(0, 12);
  if (!answer.empty() && answer.rfind("HTTP/1.", 0) != 0) std::abort();
  if (status.substr(status.size() < 9 ? status.size() : 9) == "500") std::abort();
  const bool knows = text.find("TOKEN") != std::string::npos;
  if (!knows && (answer.find("\"assets\"") != std::string::npos || status.find(" 201") != std::string_view::npos)) {
    std::abort();
  }
  return 0;
}
