// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/tokenizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "limber/base/files.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

using PieceType = TokenizerModel::PieceType;

/// Bytes of a protobuf message, written by hand.
class Message {
 public:
  Message& text(int field, const std::string& value) {
    varint(static_cast<unsigned>(field << 3 | 2));
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& integer(int field, std::uint64_t value) {
    varint(static_cast<unsigned>(field << 3));
    varint(value);
    return *this;
  }
  Message& number(int field, float value) {
    varint(static_cast<unsigned>(field << 3 | 5));
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

struct TestPiece {
  std::string text;
  float score;
  PieceType type = PieceType::kNormal;
};

const std::vector<TestPiece> kPieces{{"<pad>", 0, PieceType::kControl},
                                     {"</s>", 0, PieceType::kControl},
                                     {"<unk>", 0, PieceType::kUnknown},
                                     {"\xE2\x96\x81", -3},
                                     {"a", -2},
                                     {"b", -2},
                                     {"ab", -3},
                                     {"\xE2\x96\x81"
                                      "a",
                                      -4},
                                     {"c", -9, PieceType::kUnused}};

std::string spiece(const std::vector<TestPiece>& pieces, std::uint64_t model_type = 1,
                   const std::string& charsmap = "") {
  Message model;
  for (const TestPiece& piece : pieces) {
    Message message;
    message.text(1, piece.text).number(2, piece.score).integer(3, static_cast<std::uint64_t>(piece.type));
    model.text(1, message.str());
  }
  model.text(2, Message().integer(3, model_type).str());
  if (!charsmap.empty()) model.text(3, Message().text(2, charsmap).str());
  return model.str();
}

Tokenizer make(const std::vector<TestPiece>& pieces = kPieces) {
  return Tokenizer(*read_spiece_model(as_bytes(spiece(pieces)), "f"));
}

std::string error_of(const std::string& bytes) {
  const auto model = read_spiece_model(as_bytes(bytes), "f");
  return model.ok() ? "" : model.error().message();
}

TEST(Tokenizer, TakesTheBestPathAndMergesUnknowns) {
  const Tokenizer tokenizer = make();
  EXPECT_EQ(tokenizer.normalize("  ab   b "),
            "\xE2\x96\x81"
            "ab\xE2\x96\x81"
            "b");
  EXPECT_EQ(tokenizer.encode("ab"), (std::vector<int>{3, 6})) << "-3-3 ties with -4-2: the path found first stays";
  EXPECT_EQ(tokenizer.encode("bab"), (std::vector<int>{3, 5, 6}));
  EXPECT_EQ(tokenizer.encode("xyzb"), (std::vector<int>{3, 2, 5})) << "a run of unknowns is one";
  EXPECT_EQ(tokenizer.encode("c"), (std::vector<int>{3, 2})) << "unused pieces are not used";
  EXPECT_EQ(tokenizer.encode(""), std::vector<int>());
  EXPECT_EQ(tokenizer.encode("  "), std::vector<int>());
}

TEST(Tokenizer, PadsAndTruncatesToTheLength) {
  const Tokenizer tokenizer = make();
  const TokenizedPrompt empty = tokenizer.encode_padded("", 4);
  EXPECT_EQ(empty.ids, (std::vector<std::int64_t>{1, 0, 0, 0}));
  EXPECT_EQ(empty.length, 1);
  EXPECT_EQ(empty.left_out, 0);
  const TokenizedPrompt cut = tokenizer.encode_padded("bbbbbbbb", 4);
  EXPECT_EQ(cut.ids, (std::vector<std::int64_t>{3, 5, 5, 1}));
  EXPECT_EQ(cut.length, 4);
  EXPECT_EQ(cut.left_out, 6);  // of nine: the space in front, and eight letters
  EXPECT_THROW(tokenizer.encode_padded("a", 0), ContractError);
}

TEST(Tokenizer, SpecialTokensAreFoundInAFolder) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "spiece.model", spiece(kPieces)).ok());
  ASSERT_TRUE(write_file(folder.path() / "added_tokens.json", R"({"<extra_id_0>": 40, "<extra_id_01>": 41})").ok());
  const auto tokenizer = Tokenizer::open(folder.path());
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  EXPECT_EQ(tokenizer->encode("b</s> b<extra_id_01><extra_id_0>"), (std::vector<int>{3, 5, 1, 3, 5, 41, 40}));
}

TEST(Tokenizer, FallsBackToBytes) {
  std::vector<TestPiece> pieces = kPieces;
  for (int i = 0; i < 256; ++i) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", i);
    pieces.push_back({name, 0, PieceType::kByte});
  }
  const std::string bytes = spiece(pieces) + Message().text(2, Message().integer(35, 1).str()).str();
  const auto model = read_spiece_model(as_bytes(bytes), "f");
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(Tokenizer(*model).encode("\xC3\xA9"), (std::vector<int>{3, 9 + 0xc3, 9 + 0xa9}));
}

TEST(Tokenizer, RefusesDamagedModels) {
  const std::string good = spiece(kPieces);
  EXPECT_EQ(error_of(good), "");
  EXPECT_NE(error_of(""), "");
  EXPECT_NE(error_of(good.substr(0, good.size() - 1)).find("damaged protobuf"), std::string::npos);
  EXPECT_NE(error_of(spiece(kPieces, 2)).find("not Unigram"), std::string::npos);
  EXPECT_NE(error_of(spiece(kPieces, 1, "abc")).find("damaged charsmap"), std::string::npos);
  EXPECT_NE(error_of(spiece(kPieces, 1, std::string("\x40\0\0\0abc", 7))).find("damaged charsmap"), std::string::npos);
  auto pieces = kPieces;
  pieces[4].text = "b";
  EXPECT_NE(error_of(spiece(pieces)).find("f#/pieces/5: the piece occurs twice"), std::string::npos);
  pieces = kPieces;
  pieces[4].score = NAN;
  EXPECT_NE(error_of(spiece(pieces)).find("f#/pieces/4"), std::string::npos);
  pieces = kPieces;
  pieces.erase(pieces.begin() + 1);
  EXPECT_NE(error_of(spiece(pieces)).find("no end piece </s>"), std::string::npos);
  pieces[1].type = PieceType::kNormal;
  EXPECT_NE(error_of(spiece(pieces)).find("no unknown piece"), std::string::npos);
  // Every prefix is refused or read, never a crash.
  for (std::size_t n = 0; n < good.size(); ++n) (void)error_of(good.substr(0, n));
}

TEST(Tokenizer, AHostileCharsmapCannotReachOutside) {
  // A trie of one unit whose offsets point far away, and a leaf value beyond the replacements.
  for (const std::uint32_t unit : {0xffffffffu, 0x00000100u, 0x7fffff61u, 0u}) {
    std::string charsmap(4, '\0');
    charsmap[0] = 4;
    charsmap.append(reinterpret_cast<const char*>(&unit), 4);
    const auto model = read_spiece_model(as_bytes(spiece(kPieces, 1, charsmap)), "f");
    ASSERT_TRUE(model.ok());
    EXPECT_NO_THROW(Tokenizer(*model).encode("ab \xff"));
  }
}

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "\"";
}

/// What the model hub's converter makes of a SentencePiece model.
std::string as_tokenizer_json(const TokenizerModel& model) {
  std::string json = R"({"version":"1.0","added_tokens":[)";
  for (int id = 0; id < 3; ++id) {
    json += std::string(id ? "," : "") + R"({"id":)" + std::to_string(id) + R"(,"special":true,"content":)" +
            quoted(model.pieces[static_cast<std::size_t>(id)].text) + "}";
  }
  json +=
      R"(],"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":")" +
      base64(model.charsmap) +
      R"("},{"type":"Strip","strip_left":false,"strip_right":true},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},)"
      R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},)"
      R"("post_processor":null,"model":{"type":"Unigram","unk_id":2,"vocab":[)";
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    json += (i ? ",[" : "[") + quoted(model.pieces[i].text) + "," + std::to_string(model.pieces[i].score) + "]";
  }
  return json + "]}}";
}

TEST(TokenizerJson, GivesTheIdsOfTheModelItWasMadeFrom) {
  const std::filesystem::path file = testing::parity_dir() / "video_models/wan-t2v-tiny/tokenizer/spiece.model";
  const auto original = Tokenizer::open(file);
  if (!original.ok()) GTEST_SKIP() << original.error().message();
  const auto model = read_tokenizer_json(as_tokenizer_json(original->model()), "tokenizer.json");
  ASSERT_TRUE(model.ok()) << model.error().message();
  const Tokenizer tokenizer(*model);
  for (const char* text :
       {"A robot begins to run with smooth motion.", "", "  two   spaces ", "ｆｕｌｌ ½ width", "狐狸 fox"}) {
    EXPECT_EQ(tokenizer.encode(text), original->encode(text)) << text;
  }
  EXPECT_EQ(tokenizer.encode_padded("a", 8).ids, original->encode_padded("a", 8).ids);
}

TEST(TokenizerJson, RefusesWhatItDoesNotKnow) {
  const auto error = [](const std::string& text) {
    const auto model = read_tokenizer_json(text, "f");
    return model.ok() ? "" : model.error().message();
  };
  const std::string vocabulary = R"("vocab":[["</s>",0],["<unk>",0],["a",-1]],"unk_id":1})";
  EXPECT_EQ(error(R"({"model":{"type":"Unigram",)" + vocabulary + "}"), "");
  EXPECT_NE(error("{").find("bad JSON"), std::string::npos);
  EXPECT_NE(error("{}").find("no model"), std::string::npos);
  EXPECT_NE(error(R"({"model":{"type":"BPE",)" + vocabulary + "}").find("BPE, not Unigram"), std::string::npos);
  EXPECT_NE(error(R"({"normalizer":{"type":"Lowercase"},"model":{)" + vocabulary + "}").find("'Lowercase'"),
            std::string::npos);
  EXPECT_NE(error(R"({"pre_tokenizer":{"type":"ByteLevel"},"model":{)" + vocabulary + "}").find("'ByteLevel'"),
            std::string::npos);
  EXPECT_NE(error(R"({"model":{"vocab":[["a"]],"unk_id":0}})").find("#/pieces/0"), std::string::npos);
  EXPECT_NE(error(R"({"model":{"vocab":[["a",0]],"unk_id":7}})").find("bad unk_id"), std::string::npos);
  EXPECT_NE(error(R"({"model":{"type":7}})"), "");
  EXPECT_NE(error(R"({"added_tokens":[3],"model":{)" + vocabulary + "}"), "");
}

TEST(Tokenizer, MissingFilesAreErrors) {
  const testing::TemporaryFolder folder;
  EXPECT_NE(Tokenizer::open(folder.path()).error().message().find("neither spiece.model"), std::string::npos);
  EXPECT_FALSE(Tokenizer::open(folder.path() / "spiece.model").ok());
}

}  // namespace
}  // namespace limber::prior
