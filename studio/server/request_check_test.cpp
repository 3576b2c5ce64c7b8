// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/request_check.h"

#include <gtest/gtest.h>

namespace limber::studio {
namespace {

const Gate kGate{8080, "0123456789abcdef", 1000};

RequestHead good(const std::string& method, const std::string& path) {
  RequestHead head{method, path, {"127.0.0.1:8080"}, {}, {kGate.token}, {}, {}, ""};
  if (method == "POST") head.lengths = {"10"};
  return head;
}

int status(const RequestHead& head) {
  const std::optional<Refusal> refusal = refuse(head, kGate);
  return refusal ? refusal->status : 200;
}

TEST(RequestCheck, LetsThePageIn) {
  EXPECT_EQ(status(good("GET", "/api/state")), 200);
  EXPECT_EQ(status(good("POST", "/api/jobs")), 200);
  EXPECT_EQ(status(good("DELETE", "/api/jobs/j1")), 200);
  RequestHead head = good("GET", "/");
  head.tokens.clear(), head.hosts = {"LocalHost:8080"}, head.origins = {"http://localhost:8080"};
  EXPECT_EQ(status(head), 200) << "the page itself holds no secret";
}

TEST(RequestCheck, RefusesOtherHosts) {
  for (const char* host : {"", "127.0.0.1", "evil.example:8080", "127.0.0.1:8081", "127.0.0.1:80800", "[::1]:8080",
                           "localhost.evil.example:8080", "127.0.0.1:8080.evil.example", " 127.0.0.1:8080"}) {
    RequestHead head = good("GET", "/");
    head.hosts = {host};
    EXPECT_EQ(status(head), 421) << host;
  }
  RequestHead head = good("GET", "/");
  head.hosts.clear();
  EXPECT_EQ(status(head), 421);
  head.hosts = {"127.0.0.1:8080", "127.0.0.1:8080"};
  EXPECT_EQ(status(head), 421);
}

TEST(RequestCheck, RefusesOtherOrigins) {
  for (const char* origin : {"null", "", "https://127.0.0.1:8080", "http://evil.example", "http://127.0.0.1:8080/x",
                             "http://127.0.0.1:8080@evil.example", "file://"}) {
    RequestHead head = good("GET", "/api/state");
    head.origins = {origin};
    EXPECT_EQ(status(head), 403) << origin;
  }
}

TEST(RequestCheck, WantsTheTokenForEverythingBelowApi) {
  for (const char* path : {"/api", "/api/", "/api/state", "/api/assets/a1/file"}) {
    RequestHead head = good("GET", path);
    head.tokens.clear();
    EXPECT_EQ(status(head), 401) << path;
    for (const std::string& token : {std::string(), kGate.token + "0", kGate.token.substr(1), std::string(16, '0')}) {
      head.tokens = {token};
      EXPECT_EQ(status(head), 401) << path << " " << token;
    }
    head.tokens = {kGate.token, "another"};
    EXPECT_EQ(status(head), 401) << path;
  }
  for (const char* path : {"", "xapi/state", "api/state", "*", "http://127.0.0.1:8080/api/state"}) {
    RequestHead head = good("GET", path);
    head.tokens.clear();
    EXPECT_EQ(status(head), 400) << path;
  }
  RequestHead head = good("GET", "/api/state");
  head.tokens = {""};
  EXPECT_TRUE(refuse(head, Gate{8080, "", 1000})) << "a server without a token lets nobody in";
}

TEST(RequestCheck, RefusesOtherMethodsAndLongPaths) {
  for (const char* method : {"PUT", "PATCH", "OPTIONS", "PRI", "TRACE", "CONNECT", "get", ""}) {
    EXPECT_EQ(status(good(method, "/api/state")), 405) << method;
  }
  EXPECT_EQ(status(good("GET", "/" + std::string(kLongestPath, 'a'))), 414);
}

TEST(RequestCheck, ReadsTheLengthOfABodyInOneWayOnly) {
  RequestHead head = good("POST", "/api/assets");
  head.lengths = {"1000"};
  EXPECT_EQ(status(head), 200);
  head.lengths = {"1001"};
  EXPECT_EQ(status(head), 413);
  for (const char* length : {"-1", "", " 5", "5 ", "0x5", "5,5", "99999999999999999999999"}) {
    head.lengths = {length};
    EXPECT_EQ(status(head), 400) << length;
  }
  head.lengths = {"5", "5"};
  EXPECT_EQ(status(head), 400);
  head.lengths = {"5"}, head.codings = {"chunked"};
  EXPECT_EQ(status(head), 400);
  head.lengths.clear();
  EXPECT_EQ(status(head), 200);
  head.codings = {"gzip, chunked"};
  EXPECT_EQ(status(head), 400);
  head.codings.clear();
  EXPECT_EQ(status(head), 411);
  head = good("POST", "/api/jobs");
  head.lengths = {std::to_string(kMostJsonBytes + 1)};
  EXPECT_EQ(status(head), 413);
  head.lengths = {"5"}, head.content_type = "Multipart/Form-Data; boundary=x";
  EXPECT_EQ(status(head), 415);
  head = good("GET", "/api/state");
  head.lengths = {"5"};
  EXPECT_EQ(status(head), 400);
}

TEST(RequestCheck, MakesTokensThatDiffer) {
  EXPECT_EQ(make_token().size(), 32u);
  EXPECT_NE(make_token(), make_token());
  EXPECT_TRUE(same_token("abc", "abc"));
  EXPECT_FALSE(same_token("abc", "abd"));
  EXPECT_FALSE(same_token("abc", ""));
  EXPECT_FALSE(same_token("", "abc"));
}

TEST(RequestCheck, NamesAreLabels) {
  EXPECT_EQ(clean_name("fox.glb"), "fox.glb");
  EXPECT_EQ(clean_name("../../etc/passwd"), "passwd");
  EXPECT_EQ(clean_name("C:\\models\\fox.glb"), "fox.glb");
  EXPECT_EQ(clean_name(".."), "unnamed");
  EXPECT_EQ(clean_name(""), "unnamed");
  EXPECT_EQ(clean_name("a\r\nSet-Cookie: b\"c"), "a__Set-Cookie: b_c");
  EXPECT_EQ(clean_name("f\xc3\xb6x.glb"), "f\xc3\xb6x.glb");
  EXPECT_EQ(clean_name("f\xff\xc0\x80.glb"), "f___.glb");
  EXPECT_LE(clean_name(std::string(5000, 'a')).size(), 120u);
  EXPECT_EQ(clean_name("fox\xe2\x80\xae"
                       "blg.exe"),
            "fox___blg.exe")
      << "it would read foxexe.glb";
  EXPECT_EQ(clean_name("\xef\xbb\xbf"
                       "fox.glb"),
            "___fox.glb");
}

TEST(RequestCheck, LongNamesKeepTheirEnding) {
  const std::string name = clean_name(std::string(500, 'a') + ".glb");
  EXPECT_EQ(name, std::string(116, 'a') + ".glb");
  std::string letters;
  for (int i = 0; i < 200; ++i) letters += "\xc3\xb6";
  EXPECT_EQ(clean_name("x" + letters + ".glb").size(), 119u) << "no half characters";
  EXPECT_EQ(clean_name("a." + std::string(500, 'b')).size(), 120u);
}

TEST(RequestCheck, IdsAreALetterAndDigits) {
  EXPECT_TRUE(is_id("a12", 'a'));
  for (const char* text : {"", "a", "j1", "a-1", "a1/..", "a1234567890", "a 1"}) EXPECT_FALSE(is_id(text, 'a')) << text;
}

TEST(RequestCheck, SplitsPathsAtSlashes) {
  EXPECT_EQ(split_path("/"), std::vector<std::string>{""});
  EXPECT_EQ(split_path("/api/jobs/j1"), (std::vector<std::string>{"api", "jobs", "j1"}));
  EXPECT_EQ(split_path("/api//x/"), (std::vector<std::string>{"api", "", "x", ""}));
  EXPECT_TRUE(split_path("").empty());
}

}  // namespace
}  // namespace limber::studio
