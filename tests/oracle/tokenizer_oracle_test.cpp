// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <cstdint>
#include <string>
#include <vector>

#include "limber/base/files.h"
#include "limber/base/rng.h"
#include "limber/prior/tokenizer.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

const std::vector<std::string> kSentences{
    "A fox walks across the ground, side view. The camera follows it slowly through the tall grass.",
    "The kangaroo hops over two birds! It's 12:45, isn't it? (50 % of 3.14159 & co.) \"Quoted\" - e-mail: a@b.org",
    "Der schöne Fuchs läuft gemütlich über die große Straße; Vögel zwitschern, Bäume rauschen.",
    "Le renard traverse la forêt où l'été s'achève, ça va de soi, près du cœur naïf de l’Île.",
    "El niño corrió rápidamente hacia el pingüino. ¿Por qué? ¡Mañana será otro día!",
    "Быстрая лисица прыгает через ленивую собаку, а камера медленно следует за ней.",
    "Η γρήγορη αλεπού πηδά πάνω από τον τεμπέλη σκύλο και τρέχει στο δάσος.",
    "الثعلب السريع يقفز فوق الكلب الكسول، والكاميرا تتبعه ببطء.",
    "השועל המהיר קופץ מעל הכלב העצלן והמצלמה עוקבת אחריו.",
    "तेज़ लोमड़ी आलसी कुत्ते के ऊपर कूदती है और जंगल में दौड़ती है।",
    "สุนัขจิ้งจอกกระโดดข้ามสุนัขขี้เกียจแล้ววิ่งเข้าไปในป่า",
    "一只狐狸慢慢地穿过草地，镜头从侧面跟随。两只鸟在飞！",
    "キツネがゆっくりと草原を横切る。カメラは横から追いかける。ﾊﾝｶｸ ｶﾀｶﾅ",
    "빠른 여우가 게으른 개를 뛰어넘고 숲 속으로 달려간다.",
    "Ｆｕｌｌｗｉｄｔｈ　ｔｅｘｔ １２３ ﬁne ﬂow ½ ² ① ㎏ ™ … Å ﷺ",
    "emoji 🦊🐦 👩‍👩‍👧‍👦 🇩🇪 ❤️ "
    "and \xE2\x96\x81 underscores, tabs\tand\nlines\r\n  with   many    spaces "
    " ",
    "Cáo nâu nhảy qua con chó lười biếng. Zażółć gęślą jaźń. İstanbul'da ığdır."};

/// A random text: pieces of the sentences, characters of many scripts, spaces of all kinds and broken bytes.
std::string random_text(Rng& rng) {
  static const std::vector<std::pair<unsigned, unsigned>> kRanges{
      {0x20, 0x7f},     {0x20, 0x7f},     {0xa0, 0x17f},    {0x300, 0x36f},     {0x370, 0x3ff},     {0x400, 0x4ff},
      {0x590, 0x6ff},   {0x900, 0x97f},   {0xe00, 0xe7f},   {0x1100, 0x11ff},   {0x2000, 0x206f},   {0x2070, 0x218f},
      {0x2460, 0x24ff}, {0x2580, 0x2590}, {0x3000, 0x30ff}, {0x3300, 0x33ff},   {0x4e00, 0x5fff},   {0xac00, 0xd7a3},
      {0xe000, 0xe0ff}, {0xfb00, 0xfdff}, {0xfe00, 0xffff}, {0x1d400, 0x1d7ff}, {0x1f1e6, 0x1f6ff}, {1, 0x1f}};
  std::string text;
  const auto append = [&text](unsigned code) {
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 0x3f))};
    } else if (code < 0x10000) {
      text += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3f)),
               static_cast<char>(0x80 | (code & 0x3f))};
    } else {
      text += {static_cast<char>(0xf0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3f)),
               static_cast<char>(0x80 | (code >> 6 & 0x3f)), static_cast<char>(0x80 | (code & 0x3f))};
    }
  };
  const std::uint32_t parts = rng.below(12);
  for (std::uint32_t i = 0; i < parts; ++i) {
    switch (rng.below(6)) {
      case 0:
        text.append(1 + rng.below(3), ' ');
        break;
      case 1:
        text += "\xE2\x96\x81";
        break;
      case 2:
        text += static_cast<char>(rng.below(256));
        break;
      case 3: {
        const std::string& sentence = kSentences[rng.below(static_cast<std::uint32_t>(kSentences.size()))];
        const auto begin = rng.below(static_cast<std::uint32_t>(sentence.size()));
        text += sentence.substr(begin, rng.below(30));
        break;
      }
      default: {
        const auto& [low, high] = kRanges[rng.below(static_cast<std::uint32_t>(kRanges.size()))];
        const std::uint32_t count = 1 + rng.below(6);
        for (std::uint32_t k = 0; k < count; ++k) append(low + rng.below(high - low + 1));
      }
    }
  }
  return text;
}

std::string hex(const std::string& text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += {kDigits[byte >> 4], kDigits[byte & 15], ' '};
  }
  return result;
}

/// Compares both tokenizers on the sentences and on `count` random texts.
void compare(const std::filesystem::path& file, int count, std::uint64_t seed) {
  sentencepiece::SentencePieceProcessor oracle;
  ASSERT_TRUE(oracle.Load(file.string()).ok());
  const auto tokenizer = Tokenizer::open(file);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().message();
  std::vector<std::string> texts = kSentences;
  std::string everything;
  for (const std::string& sentence : kSentences) everything += sentence + " ";
  texts.push_back(everything + everything + everything);
  texts.insert(texts.end(), {"", " ", "  \t ", "\xE2\x96\x81", "a\xE2\x96\x81", "\xEF\xBF\xBD", "\xff\xfe", "<0x41>",
                             "</s>", "<unk>", "<pad>", std::string("a\0b", 3)});
  Rng rng(seed);
  for (int i = 0; i < count; ++i) texts.push_back(random_text(rng));
  int wrong = 0;
  for (const std::string& text : texts) {
    const std::vector<int> expected = oracle.EncodeAsIds(text);
    if (tokenizer->encode(text) == expected) continue;
    if (++wrong <= 5) ADD_FAILURE() << '"' << text << "\" = " << hex(text) << " -> " << tokenizer->normalize(text);
  }
  EXPECT_EQ(wrong, 0) << "of " << texts.size();
}

TEST(TokenizerOracle, AgreesOnTheTokenizersOfThePublicCheckpoints) {
  const std::filesystem::path folder = testing::parity_dir() / "video_models";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) GTEST_SKIP() << "no parity data";
  std::uint64_t seed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    compare(entry.path() / "tokenizer" / "spiece.model", 10000, ++seed);
  }
}

/// Trains a model on the sentences with `options` and compares.
void compare_trained(const std::string& options, int count) {
  SCOPED_TRACE(options);
  const testing::TemporaryFolder folder;
  std::string corpus;
  for (const std::string& sentence : kSentences) corpus += sentence + "\n";
  ASSERT_TRUE(write_file(folder.path() / "corpus.txt", corpus).ok());
  const std::string prefix = (folder.path() / "m").string();
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      "--input=" + (folder.path() / "corpus.txt").string() + " --model_prefix=" + prefix +
      " --model_type=unigram --pad_id=0 --eos_id=1 --unk_id=2 --bos_id=-1 --hard_vocab_limit=false --minloglevel=2 "
      "--num_threads=1 " +
      options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  compare(prefix + ".model", count, 11);
}

TEST(TokenizerOracle, AgreesOnModelsOfOtherKinds) {
  compare_trained("--vocab_size=700 --character_coverage=1.0", 6000);
  compare_trained("--vocab_size=600 --character_coverage=0.98 --byte_fallback=true", 6000);
  compare_trained("--vocab_size=300 --character_coverage=0.98 --normalization_rule_name=nfkc_cf", 4000);
  compare_trained("--vocab_size=400 --normalization_rule_name=identity --remove_extra_whitespaces=false", 4000);
  compare_trained("--vocab_size=400 --add_dummy_prefix=false --user_defined_symbols=fox,ox,Ｆｕｌｌ,12:", 4000);
  compare_trained("--vocab_size=400 --treat_whitespace_as_suffix=true", 4000);
}

}  // namespace
}  // namespace limber::prior
