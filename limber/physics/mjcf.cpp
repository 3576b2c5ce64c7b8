// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/physics/mjcf.h"

#include <fmt/format.h>

#include <set>

#include "limber/base/at.h"
#include "limber/base/expect.h"

namespace limber::physics {
namespace {

/// From +Y up to +Z up: a quarter turn about x.
const Quatd kUpright{0.70710678118654752440, 0, 0, 0.70710678118654752440};

/// The bodies in the order in which the file nests them.
std::vector<int> depth_first(const Model& model) {
  std::vector<std::vector<int>> children(model.bodies.size());
  for (int b = model.body_count(); b-- > 1;) children[at(model.bodies[at(b)].parent)].push_back(b);
  std::vector<int> order, pending{0};
  while (!pending.empty()) {
    const int body = pending.back();
    pending.pop_back();
    order.push_back(body);
    pending.insert(pending.end(), children[at(body)].begin(), children[at(body)].end());
  }
  return order;
}

/// Appends the hinges' values, bodies depth first.
void append_hinges(const Model& model, std::span<const double> values, std::vector<double>& result) {
  for (const int b : depth_first(model)) {
    const BodyT<double>& body = model.bodies[at(b)];
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) result.push_back(values[at(h)]);
  }
}

std::string text(Vec3d v) { return fmt::format("{:.9g} {:.9g} {:.9g}", v.x, v.y, v.z); }
std::string text(Quatd q) { return fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}", q.w, q.x, q.y, q.z); }

/// A name fit for an XML attribute, different from all before.
class Names {
 public:
  std::string unique(const std::string& wanted) {
    std::string name;
    for (const char c : wanted) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                         c == '-' || c == '.';
      name += plain ? c : '_';
    }
    if (name.empty()) name = "part";
    std::string result = name;
    for (int i = 2; !used_.insert(result).second; ++i) result = fmt::format("{}_{}", name, i);
    return result;
  }

 private:
  std::set<std::string> used_;
};

class Writer {
 public:
  Writer(const Model& model, std::span<const PuppetBox> boxes, const MjcfNames& names, const MjcfSettings& settings)
      : model_(model), boxes_(boxes), settings_(settings), children_(model.bodies.size()) {
    Names bodies, hinges;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      if (b > 0) children_[at(model.bodies[b].parent)].push_back(static_cast<int>(b));
      body_names_.push_back(bodies.unique(b < names.bodies.size() ? names.bodies[b] : fmt::format("body_{}", b)));
    }
    for (std::size_t h = 0; h < model.hinges.size(); ++h) {
      hinge_names_.push_back(hinges.unique(h < names.hinges.size() ? names.hinges[h] : fmt::format("hinge_{}", h)));
    }
  }

  std::string write(std::span<const double> positions, double fps) {
    line(fmt::format("<mujoco model=\"{}\">", Names().unique(settings_.name)));
    ++depth_;
    line("<compiler angle=\"radian\" balanceinertia=\"true\"/>");
    const Vec3d gravity = rotate(kUpright, model_.gravity);
    line(fmt::format("<option timestep=\"{:.9g}\" gravity=\"{}\"/>", settings_.timestep, text(gravity)));
    line("<size njmax=\"4000\" nconmax=\"1000\"/>");
    // Bones touch the floor, not each other.
    line("<default><geom contype=\"0\" conaffinity=\"1\"/></default>");
    line("<worldbody>");
    ++depth_;
    if (settings_.ground) {
      line(
          fmt::format("<geom name=\"floor\" type=\"plane\" size=\"0 0 1\" contype=\"1\" conaffinity=\"0\" "
                      "friction=\"{:.6g} 0.005 0.0001\"/>",
                      model_.contact.friction));
    }
    line("<light pos=\"0 0 4\" dir=\"0 0 -1\"/>");
    write_body(0);
    --depth_;
    line("</worldbody>");
    if (settings_.drives) write_drives();
    if (!positions.empty()) write_keys(positions, fps);
    --depth_;
    line("</mujoco>");
    return std::move(out_);
  }

 private:
  void line(const std::string& content) { out_ += std::string(2 * at(depth_), ' ') + content + "\n"; }

  /// From the parent's frame, or the joint's first hinge, to the body's own frame, all angles zero.
  Vec3d offset_of(const BodyT<double>& body, int first) const {
    Vec3d sum;
    for (int h = first; h < body.first_hinge + body.hinge_count; ++h) sum += model_.hinges[at(h)].offset;
    return sum;
  }

  // Recursive like the file itself; depth is that of the skeleton, which is bounded by the number of bodies.
  void write_body(int index) {
    const BodyT<double>& body = model_.bodies[at(index)];
    if (index == 0) {
      line(fmt::format("<body name=\"{}\" quat=\"{}\">", body_names_[0], text(kUpright)));
    } else {
      line(fmt::format("<body name=\"{}\" pos=\"{}\">", body_names_[at(index)],
                       text(offset_of(body, body.first_hinge))));
    }
    ++depth_;
    if (index == 0 && !model_.fixed_root) line("<freejoint name=\"root\"/>");
    for (int h = body.first_hinge; h < body.first_hinge + body.hinge_count; ++h) write_hinge(body, h);
    const SymmetricT<double>& i = body.inertia;
    line(fmt::format("<inertial pos=\"{}\" mass=\"{:.9g}\" fullinertia=\"{:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\"/>",
                     text(body.centre), body.mass, i.xx, i.yy, i.zz, i.xy, i.xz, i.yz));
    if (settings_.ground) {
      for (const PuppetBox& box : boxes_) {
        if (box.body != index) continue;
        line(fmt::format("<geom type=\"box\" pos=\"{}\" quat=\"{}\" size=\"{}\" mass=\"0\"/>", text(box.centre),
                         text(to_quat(box.axes)), text(box.half)));
      }
    }
    for (const int child : children_[at(index)]) write_body(child);
    --depth_;
    line("</body>");
  }

  void write_hinge(const BodyT<double>& body, int h) {
    const HingeT<double>& hinge = model_.hinges[at(h)];
    std::string more;
    if (settings_.drives) {
      more += fmt::format(" damping=\"{:.9g}\"", hinge.damping);
      if (hinge.limit_stiffness > 0 && hinge.upper - hinge.lower < 100) {
        more += fmt::format(" limited=\"true\" range=\"{:.9g} {:.9g}\"", hinge.lower, hinge.upper);
      }
    }
    if (hinge.armature > 0) more += fmt::format(" armature=\"{:.9g}\"", hinge.armature);
    line(fmt::format("<joint name=\"{}\" type=\"hinge\" pos=\"{}\" axis=\"{}\"{}/>", hinge_names_[at(h)],
                     text(-offset_of(body, h + 1)), text(hinge.axis), more));
  }

  void write_drives() {
    line("<actuator>");
    ++depth_;
    for (std::size_t h = 0; h < model_.hinges.size(); ++h) {
      line(fmt::format("<position name=\"{0}\" joint=\"{0}\" kp=\"{1:.9g}\"/>", hinge_names_[h],
                       model_.hinges[h].stiffness));
    }
    --depth_;
    line("</actuator>");
  }

  void write_keys(std::span<const double> positions, double fps) {
    const std::size_t stride = model_.position_count();
    line("<keyframe>");
    ++depth_;
    for (std::size_t f = 0; f < positions.size() / stride; ++f) {
      std::string values, targets;
      const std::span<const double> q = positions.subspan(f * stride, stride);
      const std::vector<double> mapped = mujoco_position(model_, q);
      for (std::size_t k = model_.fixed_root ? 7 : 0; k < mapped.size(); ++k) {
        values += fmt::format("{}{:.9g}", values.empty() ? "" : " ", mapped[k]);
      }
      for (std::size_t h = 0; h < model_.hinges.size(); ++h) {
        targets += fmt::format("{}{:.9g}", targets.empty() ? "" : " ", q[7 + h]);
      }
      const std::string ctrl = settings_.drives && !targets.empty() ? fmt::format(" ctrl=\"{}\"", targets) : "";
      line(fmt::format("<key name=\"frame_{}\" time=\"{:.9g}\" qpos=\"{}\"{}/>", f, static_cast<double>(f) / fps,
                       values, ctrl));
    }
    --depth_;
    line("</keyframe>");
  }

  const Model& model_;
  std::span<const PuppetBox> boxes_;
  const MjcfSettings& settings_;
  std::vector<std::vector<int>> children_;
  std::vector<std::string> body_names_, hinge_names_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string write_mjcf(const Model& model, std::span<const PuppetBox> boxes, const MjcfNames& names,
                       std::span<const double> positions, double fps, const MjcfSettings& settings) {
  LIMBER_EXPECT(positions.size() % model.position_count() == 0 && fps > 0,
                fmt::format("{} positions at {} frames a second", positions.size(), fps));
  return Writer(model, boxes, names, settings).write(positions, fps);
}

MjcfNames mjcf_names(const Puppet& puppet, const rig::Subject& subject) {
  MjcfNames names;
  names.hinges.resize(puppet.model.hinges.size());
  for (const int joint : puppet.body_joints) {
    const std::string& name = subject.rig.joints()[at(joint)].name;
    names.bodies.push_back(name);
    const int hinge = puppet.joints[at(joint)].hinge;
    if (hinge < 0) continue;
    for (int k = 0; k < 3; ++k) names.hinges[at(hinge + k)] = name + "_" + "xyz"[k];
  }
  return names;
}

std::vector<double> mujoco_position(const Model& model, std::span<const double> q) {
  const Vec3d position = rotate(kUpright, Vec3d{q[0], q[1], q[2]});
  const Quatd turn = kUpright * Quatd{q[3], q[4], q[5], q[6]};
  std::vector<double> result{position.x, position.y, position.z, turn.w, turn.x, turn.y, turn.z};
  append_hinges(model, q.subspan(7), result);
  return result;
}

std::vector<double> mujoco_velocity(const Model& model, std::span<const double> q, std::span<const double> v) {
  const Vec3d linear = rotate(kUpright, Vec3d{v[3], v[4], v[5]});
  const Vec3d angular = rotate(conjugate(Quatd{q[3], q[4], q[5], q[6]}), Vec3d{v[0], v[1], v[2]});
  std::vector<double> result{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  append_hinges(model, v.subspan(6), result);
  return result;
}

}  // namespace limber::physics
