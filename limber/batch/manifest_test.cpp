// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/batch/manifest.h"

#include <algorithm>
#include <set>

#include "limber/batch/batch_testing.h"

namespace limber::batch {
namespace {

class Manifest : public BatchTest {
 protected:
  Manifest() { write("fox.glb", "a fox"), write("cow.glb", "a cow"); }

  Result<std::vector<Item>> read_text(const std::string& text, const std::string& engine = "1.0") const {
    ManifestSettings settings;
    settings.engine = engine;
    settings.options = {{"animate", {"seed", "loop", "in_place", "keyframes", "prior", "no_preview", "clips"}},
                        {"rig", {"joints", "weights", "skeleton", "reader", "parts", "pin", "template"}}};
    settings.check_arguments = [](const std::vector<std::string>& arguments) -> Status {
      for (const std::string& word : arguments) {
        if (word == "--weights=blue") return Error{"there are no weights blue", ""};
      }
      return Done{};
    };
    return read_manifest(write("manifest.jsonl", text), settings);
  }
  std::string refusal(const std::string& text) const {
    const auto items = read_text(text);
    return items.ok() ? "" : items.error().message();
  }
  std::string id(const std::string& line, const std::string& engine = "1.0") const {
    return read_text(line, engine).value().front().id;
  }
};

TEST_F(Manifest, BecomesCommandsThatRunAnywhere) {
  const auto items =
      read_text(
          "\n"
          R"({"do": "animate", "input": "fox.glb", "prompt": "a fox's trot", "options": {"seed": 3, "loop": true, "in_place": false}})"
          "\r\n\n"
          R"({"do": "inspect", "input": "cow.glb"})"
          "\n")
          .value();
  ASSERT_EQ(items.size(), 2u);
  const std::string fox = (folder_ / "fox.glb").string();
  EXPECT_EQ(items[0].line, 2);
  EXPECT_EQ(items[0].arguments, (std::vector<std::string>{"animate", fox, "--prompt=a fox's trot", "--loop", "--seed=3",
                                                          "-o", "result.glb", "--report", "report.json"}));
  EXPECT_EQ(command_line("limber", items[0]), "limber animate " + fox +
                                                  " '--prompt=a fox'\\''s trot' --loop --seed=3 "
                                                  "-o result.glb --report report.json");
  EXPECT_EQ(items[1].line, 4);
  EXPECT_EQ(items[1].arguments.back(), "--json");
  EXPECT_EQ(items[1].result, "report.json");
}

TEST_F(Manifest, KnowsTheOptionsOfAVerbWhereItWasToldThem) {
  ManifestSettings settings;
  settings.check_arguments = [](const std::vector<std::string>&) -> Status { return Done{}; };
  settings.options = {{"animate", {"seed", "in_place"}}};
  const auto refusal = [&](const char* line) {
    const auto items = read_manifest(write("manifest.jsonl", line), settings);
    return items.ok() ? std::string() : items.error().message();
  };
  EXPECT_EQ(
      refusal(
          R"({"do": "animate", "input": "fox.glb", "prompt": "it walks", "options": {"in-place": true, "seed": 1}})"),
      "");
  EXPECT_NE(
      refusal(R"({"do": "animate", "input": "fox.glb", "prompt": "it walks", "options": {"checkpoint": "/etc/x"}})")
          .find("option \"checkpoint\" is none that an item of animate has"),
      std::string::npos);
  EXPECT_EQ(refusal(R"({"do": "physics", "input": "fox.glb", "options": {"height": 2}})"), "") << "nobody told";
}

TEST_F(Manifest, SaysOnceThatAVerbIsUnknownWhateverItsOptions) {
  const std::string text = refusal(R"({"do":"fly","input":"fox.glb","options":{"zzz":1}})");
  EXPECT_NE(text.find("\"fly\" is nothing that can be done"), std::string::npos) << text;
  EXPECT_EQ(text.find("zzz"), std::string::npos) << text;
  EXPECT_NE(refusal(R"({"do":"fly","input":"x","options":{"zzz":1}})"), "");
  EXPECT_NE(refusal(R"({"input":"fox.glb","options":{"zzz":1}})").find("\"do\" is missing"), std::string::npos);
}

TEST_F(Manifest, VerbsThatNobodyToldOfMayNameAReader) {
  EXPECT_EQ(refusal(R"({"do": "doctor", "input": "fox.glb", "options": {"reader": "none"}})"), "");
  EXPECT_NE(refusal(R"({"do": "inspect", "input": "fox.glb", "options": {"reader": "missing"}})").find("is not there"),
            std::string::npos);
}

TEST_F(Manifest, TheEndingOfTheOutputIsThatOfTheResult) {
  const auto items = read_text(R"({"do": "rig", "input": "fox.glb", "output": "rigged/./fox.FBX"})").value();
  EXPECT_EQ(items[0].output, "rigged/fox.FBX");
  EXPECT_EQ(items[0].result, "result.fbx");
}

TEST_F(Manifest, IdsAreThoseOfBytesOptionsAndEngine) {
  const std::string line = R"({"do": "rig", "input": "fox.glb", "options": {"joints": 20, "weights": "heat"}})";
  const std::string fox = id(line);
  EXPECT_TRUE(is_id(fox));
  EXPECT_EQ(id(R"({"options": {"weights": "heat", "joints": 20}, "input": "./fox.glb", "do": "rig"})"), fox);
  write("copy/same.glb", "a fox");
  EXPECT_EQ(id(R"({"do": "rig", "input": "copy/same.glb", "options": {"joints": 20, "weights": "heat"}})"), fox);

  std::set<std::string> others{fox};
  others.insert(id(line, "1.1"));
  others.insert(id(R"({"do": "rig", "input": "fox.glb", "options": {"joints": 21, "weights": "heat"}})"));
  others.insert(id(R"({"do": "rig", "input": "fox.glb"})"));
  others.insert(id(R"({"do": "inspect", "input": "fox.glb"})"));
  others.insert(id(R"({"do": "rig", "input": "fox.glb", "output": "a.fbx"})"));
  others.insert(id(R"({"do": "animate", "input": "fox.glb", "prompt": "trots"})"));
  others.insert(id(R"({"do": "animate", "input": "fox.glb", "prompt": "sits"})"));
  others.insert(id(R"({"do": "animate", "input": "fox.glb", "video": "cow.glb"})"));
  write("fox.glb", "another fox");
  others.insert(id(line));
  EXPECT_EQ(others.size(), 10u);
}

TEST_F(Manifest, FilesThatOptionsNameCountByTheirBytes) {
  const std::string line = R"({"do": "rig", "input": "fox.glb", "options": {"skeleton": "cow.glb"}})";
  const auto before = read_text(line).value();
  EXPECT_NE(
      std::find(before[0].arguments.begin(), before[0].arguments.end(), "--skeleton=" + (folder_ / "cow.glb").string()),
      before[0].arguments.end());
  write("cow.glb", "another cow");
  EXPECT_NE(id(line), before[0].id);
  // Words of such options are no files, and times come after a colon.
  EXPECT_EQ(refusal(R"({"do": "rig", "input": "fox.glb", "options": {"reader": "none"}})"), "");
  EXPECT_EQ(refusal(R"({"do": "rig", "input": "fox.glb", "options": {"parts": "extras"}})"), "");
  EXPECT_EQ(refusal(R"({"do": "animate", "input": "fox.glb", "options": {"keyframes": "cow.glb:0,1.5"}})"), "");
  EXPECT_NE(refusal(R"({"do": "rig", "input": "fox.glb", "options": {"skeleton": "dog.glb"}})"), "");
}

TEST_F(Manifest, WeightsInAFolderCount) {
  write("prior/a.json", "{}");
  const std::string line = R"({"do": "animate", "input": "fox.glb", "prompt": "sits", "options": {"prior": "prior"}})";
  const std::string before = id(line);
  write("prior/b.safetensors", "weights");
  EXPECT_NE(id(line), before);
}

TEST_F(Manifest, FilesThatAModelNamesCount) {
  write("a.gltf", R"({"buffers": [{"uri": "a.bin"}]})"), write("a.bin", "one");
  write("b.obj", "mtllib b.mtl\nv 0 0 0\n"), write("b.mtl", "red");
  const std::string gltf = R"({"do": "inspect", "input": "a.gltf"})", obj = R"({"do": "inspect", "input": "b.obj"})";
  const std::string gltf_before = id(gltf), obj_before = id(obj);
  write("a.bin", "two"), write("b.mtl", "blue");
  EXPECT_NE(id(gltf), gltf_before);
  EXPECT_NE(id(obj), obj_before);
}

TEST_F(Manifest, TellsOfEveryLineThatIsWrong) {
  const std::string text = refusal(R"({"do": "rig", "input": "fox.glb", "output": "a.glb"})"
                                   "\n{\"do\": \"rig\",\n"
                                   R"({"do": "fly", "input": "fox.glb"})"
                                   "\n"
                                   R"({"do": "rig", "input": "dog.glb"})"
                                   "\n"
                                   R"({"do": "rig", "input": "fox.glb", "colour": "blue"})"
                                   "\n"
                                   R"({"do": "rig", "input": "fox.glb", "options": {"weights": "blue"}})"
                                   "\n"
                                   R"({"do": "rig", "input": "cow.glb", "output": "b/../a.glb"})"
                                   "\n[1]\n"
                                   R"({"input": "fox.glb"})"
                                   "\n"
                                   R"({"do": "rig"})"
                                   "\n");
  EXPECT_NE(text.find("manifest.jsonl: 9 lines are wrong, so nothing was started"), std::string::npos) << text;
  EXPECT_EQ(text.find("line 1:"), std::string::npos) << text;
  EXPECT_NE(text.find("line 2: is no JSON"), std::string::npos) << text;
  EXPECT_NE(text.find("line 3: \"fly\" is nothing that can be done"), std::string::npos) << text;
  EXPECT_NE(text.find("line 4: input \"dog.glb\" is not there"), std::string::npos) << text;
  EXPECT_NE(text.find("line 5: unknown key \"colour\""), std::string::npos) << text;
  EXPECT_NE(text.find("line 6: there are no weights blue"), std::string::npos) << text;
  EXPECT_NE(text.find("line 7: output \"a.glb\" is that of line 1, too"), std::string::npos) << text;
  EXPECT_NE(text.find("line 8: must be a JSON object"), std::string::npos) << text;
  EXPECT_NE(text.find("line 9: says not what to do"), std::string::npos) << text;
  EXPECT_NE(text.find("line 10: \"input\" is missing"), std::string::npos) << text;
}

TEST_F(Manifest, RefusesOutputsThatLeadElsewhere) {
  for (const char* output : {"/tmp/a.glb", "../a.glb", "a/../../a.glb", "index.glb", ".batch/a.glb", "a.png", "a",
                             "0123456789abcdef/a.glb", "a/", ""}) {
    EXPECT_NE(refusal(std::string(R"({"do": "rig", "input": "fox.glb", "output": ")") + output + "\"}"), "") << output;
  }
  EXPECT_NE(refusal(R"({"do": "rig", "input": "fox.glb", "output": "a.glb"})"
                    "\n"
                    R"({"do": "rig", "input": "cow.glb", "output": "a.glb/b.glb"})"),
            "");
}

TEST_F(Manifest, RefusesOptionsThatAreTheBatchsOwnOrNoOptions) {
  for (const char* option :
       {R"("output": "a.glb")", R"("report": "a")", R"("timeline": "a")", R"("colour": "blue")", R"("threads": 4)",
        R"("-o": "a")", R"("": 1)", R"("Seed": 1)", R"("seed": null)", R"("seed": {"a": 1})", R"("pin": [["a"]])",
        R"("in-place": true, "in_place": true)", R"("prompt": "x")"}) {
    EXPECT_NE(refusal(std::string(R"({"do": "rig", "input": "fox.glb", "options": {)") + option + "}}"), "") << option;
  }
  EXPECT_NE(refusal(R"({"do": "rig", "input": "fox.glb", "options": []})"), "");
  EXPECT_NE(refusal(R"({"do": "rig", "input": 3})"), "");
  EXPECT_EQ(refusal(R"({"do": "rig", "input": "fox.glb", "options": {"pin": ["a=1,2,3", "b=1,2,3"]}})"), "");
}

TEST_F(Manifest, MakesPacksOfATextOrAList) {
  const auto arguments = [&](const std::string& clips) {
    return read_text(R"({"do": "animate", "input": "fox.glb", "options": {"clips": )" + clips + "}}")
        .value()[0]
        .arguments;
  };
  EXPECT_EQ(arguments(R"("walk,run")")[2], "--clips=walk,run");
  const std::vector<std::string> listed = arguments(R"(["walk", "walks, then sits"])");
  EXPECT_EQ(listed[2], "--clips=walk");
  EXPECT_EQ(listed[3], "--clips=walks, then sits;") << "the list has its own separators";
}

TEST_F(Manifest, RefusesLinesThatAreNestedDeep) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NE(refusal(R"({"do": "rig", "input": "fox.glb", "options": {"pin": )" + deep + "}}").find("nested too deep"),
            std::string::npos);
  EXPECT_NE(refusal(deep), "");
  EXPECT_FALSE(items_from_text(deep + "\n", "plan").ok());
}

TEST_F(Manifest, QuotesNoMoreThanABit) {
  const std::string long_text(1 << 20, 'x');
  EXPECT_LT(refusal("{\"" + long_text + "\": 1}").size(), 2000u);
  EXPECT_LT(refusal("{\"" + long_text).size(), 2000u);
  EXPECT_LT(refusal(R"({"do": ")" + long_text + R"(", "input": "fox.glb"})").size(), 2000u);
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "[]\n";
  const std::string text = refusal(lines);
  EXPECT_NE(text.find("10000 lines are wrong"), std::string::npos);
  EXPECT_NE(text.find("and 9900 lines more"), std::string::npos);
  EXPECT_LT(text.size(), 10'000u);
}

TEST_F(Manifest, RefusesOneThatAsksForNothingOrIsNotThere) {
  EXPECT_NE(refusal("\n\n"), "");
  EXPECT_FALSE(read_manifest(folder_ / "missing.jsonl", {"", [](const auto&) { return Status(Done{}); }}).ok());
}

TEST_F(Manifest, ItemsComeBackFromTheirText) {
  const auto items =
      read_text(R"({"do": "animate", "input": "fox.glb", "prompt": "ä \"b\"", "output": "x.glb"})").value();
  const auto back = items_from_text(items_to_text(items), "plan").value();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].id, items[0].id);
  EXPECT_EQ(back[0].arguments, items[0].arguments);
  EXPECT_EQ(back[0].prompt, "ä \"b\"");
  EXPECT_EQ(back[0].output, "x.glb");
  EXPECT_FALSE(items_from_text("{}\n", "plan").ok());
  EXPECT_FALSE(items_from_text("nonsense\n", "plan").ok());
  std::string hostile = items_to_text(items);
  hostile.replace(hostile.find("result.glb\",\"output"), 6, "../res");
  EXPECT_FALSE(items_from_text(hostile, "plan").ok());
}

TEST_F(Manifest, ItemsOfAStrangersFolderWriteNowhereElse) {
  const std::string text = items_to_text(read_text(R"({"do": "rig", "input": "fox.glb", "output": "x.glb"})").value());
  const auto reads = [&](const std::string& key, const std::string& value, const std::string& instead) {
    const std::string begins = "\"" + key + "\":\"";
    std::string changed = text;
    const std::size_t at = changed.find(begins + value);
    EXPECT_NE(at, std::string::npos) << text;
    changed.replace(at + begins.size(), value.size(), instead);
    return items_from_text(changed, "plan").ok();
  };
  EXPECT_TRUE(reads("output", "x.glb", "a/../b/x.glb"));
  for (const char* elsewhere : {"/tmp/x.glb", "../x.glb", "a/../../x.glb", ".", "a/"}) {
    EXPECT_FALSE(reads("output", "x.glb", elsewhere)) << elsewhere;
  }
  EXPECT_FALSE(reads("result", "result.glb", ".."));
}

}  // namespace
}  // namespace limber::batch
