// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "limber/asset/encoders.h"
#include "limber/asset/pose.h"

namespace limber::asset {
namespace {

/// A name that OBJ readers take as one word.
std::string one_word(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  return name;
}

class ObjWriter {
 public:
  std::string text = "# limber\n";

  void add(const Asset& asset, const PosedPrimitive& posed) {
    const Node& node = asset.nodes[static_cast<std::size_t>(posed.node)];
    const Primitive& primitive =
        asset.meshes[static_cast<std::size_t>(posed.mesh)].primitives[static_cast<std::size_t>(posed.primitive)];
    const auto faces = triangles(primitive);
    if (faces.empty()) return;
    write("g {}_{}\n", node.name.empty() ? fmt::format("node_{}", posed.node) : one_word(node.name), posed.primitive);
    for (const Vec3d& p : posed.positions) write_vector("v", p.cast<float>());
    // OBJ counts v upwards where glTF counts down.
    const bool has_uv = !primitive.texcoords.empty(), has_normals = !posed.normals.empty();
    if (has_uv) {
      for (const Vec2& uv : primitive.texcoords[0]) write("vt {} {}\n", uv.x, 1 - uv.y);
    }
    for (const Vec3d& n : posed.normals) write_vector("vn", n.cast<float>());
    for (const auto& face : faces) {
      text += 'f';
      for (const std::size_t corner :
           {std::size_t{0}, std::size_t{posed.mirrored ? 2u : 1u}, std::size_t{posed.mirrored ? 1u : 2u}}) {
        write_corner(face[corner], has_uv, has_normals);
      }
      text += '\n';
    }
    vertices_ += posed.positions.size();
    if (has_uv) uvs_ += primitive.texcoords[0].size();
    normals_ += posed.normals.size();
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Arguments>(arguments)...);
  }

  // The shortest text that reads back as the same float.
  void write_vector(const char* kind, Vec3 v) { write("{} {} {} {}\n", kind, v.x, v.y, v.z); }

  // OBJ indices start at one and run through the whole file.
  void write_corner(std::size_t index, bool has_uv, bool has_normals) {
    write(" {}", vertices_ + index + 1);
    if (has_uv) {
      write("/{}", uvs_ + index + 1);
    } else if (has_normals) {
      text += '/';
    }
    if (has_normals) write("/{}", normals_ + index + 1);
  }

  std::size_t vertices_ = 0, uvs_ = 0, normals_ = 0;
};

}  // namespace

Result<std::string> obj_text(const Asset& asset) {
  ObjWriter writer;
  for (const PosedPrimitive& posed : posed_geometry(asset, rest_state(asset))) writer.add(asset, posed);
  return std::move(writer.text);
}

}  // namespace limber::asset
