// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/distill/loss_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "limber/base/expect.h"

namespace limber::distill {
namespace {

constexpr std::size_t kMaxPoints = 1200;  ///< of a curve: more than a screen has columns
constexpr double kLeft = 70, kRight = 20, kTop = 40, kBottom = 50;

struct Curve {
  std::string name, color;
  std::vector<double> values, means;  ///< per iteration; means not finite where there is nothing to average
};

/// Mean over the last `window` values that are numbers.
std::vector<double> running_mean(const std::vector<double>& values, std::size_t window) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = i + 1 - std::min(window, i + 1); k <= i; ++k) {
      if (std::isfinite(values[k])) sum += values[k], ++count;
    }
    means.push_back(count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN());
  }
  return means;
}

/// What counts in this run: weighted, without those that are always zero.
std::vector<Curve> curves_of(std::span<const DistillStep> history, const DistillSettings& settings,
                             std::size_t window) {
  std::vector<Curve> curves;
  const auto add = [&](std::string name, const char* color, double weight, double DistillStep::*field) {
    Curve curve{std::move(name), color, {}, {}};
    for (const DistillStep& step : history) curve.values.push_back(weight * step.*field);
    if (std::all_of(curve.values.begin(), curve.values.end(), [](double value) { return value == 0; })) return;
    curve.means = running_mean(curve.values, window);
    curves.push_back(std::move(curve));
  };
  add("total", "#222222", 1, &DistillStep::total);
  add("sds", "#0072b2", 1, &DistillStep::sds);
  add("fitted", "#56b4e9", 1, &DistillStep::fitted);
  add(fmt::format("{:g} smooth", settings.smooth_weight), "#e69f00", settings.smooth_weight, &DistillStep::smooth);
  add(fmt::format("{:g} ground", settings.ground_weight), "#009e73", settings.ground_weight, &DistillStep::ground);
  add(fmt::format("{:g} limits", settings.limit_weight), "#cc79a7", settings.limit_weight, &DistillStep::limits);
  add("extra", "#888888", 1, &DistillStep::extra);
  return curves;
}

/// Values to heights on the page, iterations to places across it.
struct Axes {
  double width, height;
  bool logarithmic;
  double first = 0, last = 1;  ///< iterations
  double low = 0, high = 1;    ///< values; decades where logarithmic

  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  double height_of(double value) const { return logarithmic ? std::log10(value) : value; }
  double x(double iteration) const { return kLeft + (width - kLeft - kRight) * (iteration - first) / (last - first); }
  double y(double value) const {
    return height - kBottom - (height - kTop - kBottom) * (height_of(value) - low) / (high - low);
  }
};

/// The 1, 2 or 5 times a power of ten that cuts a range into at most `parts`.
double tick_step(double range, int parts) {
  const double power = std::pow(10, std::floor(std::log10(range / parts)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power * parts >= range) return factor * power;
  }
  return 10 * power;
}

void fit_axes(std::span<const DistillStep> history, const std::vector<Curve>& curves, Axes& axes) {
  if (!history.empty()) {
    axes.first = history.front().iteration;
    axes.last = std::max(axes.first + 1, static_cast<double>(history.back().iteration));
  }
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : curves) {
    for (const double mean : curve.means) {
      if (!axes.shows(mean)) continue;
      low = std::min(low, axes.height_of(mean)), high = std::max(high, axes.height_of(mean));
    }
  }
  if (!(low <= high)) return;
  if (axes.logarithmic) {
    // Whole decades, at most eight: what is far below the rest counts for nothing.
    axes.high = std::floor(high) + 1;
    axes.low = std::max(std::floor(low), axes.high - 8);
  } else {
    const double margin = std::max(0.05 * (high - low), 1e-9 + 1e-3 * std::abs(high));
    axes.low = std::min(low - margin, 0.0), axes.high = high + margin;
  }
}

void draw_line(std::string& svg, double x1, double y1, double x2, double y2, const char* color) {
  svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     color);
}

void draw_text(std::string& svg, double x, double y, const char* anchor, std::string_view text) {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">", x, y, anchor);
  for (const char c : text) {
    if (c == '&')
      svg += "&amp;";
    else if (c == '<')
      svg += "&lt;";
    else if (c == '>')
      svg += "&gt;";
    else if (static_cast<unsigned char>(c) >= 32)
      svg += c;
  }
  svg += "</text>\n";
}

void draw_axes(std::string& svg, const Axes& axes) {
  const double bottom = axes.height - kBottom, right = axes.width - kRight;
  const double across = tick_step(axes.last - axes.first, 8);
  for (double tick = std::ceil(axes.first / across) * across; tick <= axes.last; tick += across) {
    draw_line(svg, axes.x(tick), kTop, axes.x(tick), bottom, "#e8e8e8");
    draw_text(svg, axes.x(tick), bottom + 18, "middle", fmt::format("{:g}", tick));
  }
  const double up = axes.logarithmic ? 1 : tick_step(axes.high - axes.low, 6);
  for (double tick = std::ceil(axes.low / up) * up; tick <= axes.high + 1e-9 * up; tick += up) {
    const double value = axes.logarithmic ? std::pow(10, tick) : tick;
    draw_line(svg, kLeft, axes.y(value), right, axes.y(value), "#e8e8e8");
    const double shown = std::abs(value) < 1e-9 * up ? 0 : value;
    draw_text(svg, kLeft - 8, axes.y(value) + 4, "end", fmt::format("{:g}", shown));
  }
  draw_line(svg, kLeft, kTop, kLeft, bottom, "#444444");
  draw_line(svg, kLeft, bottom, right, bottom, "#444444");
  draw_text(svg, 0.5 * (kLeft + right), axes.height - 12, "middle", "iteration");
  draw_text(svg, kLeft, kTop - 10, "start", axes.logarithmic ? "loss per element (logarithmic)" : "loss per element");
}

/// A line with gaps where there is nothing to show.
void draw_curve(std::string& svg, const Axes& axes, std::span<const DistillStep> history,
                const std::vector<double>& values, const std::string& color, const char* style) {
  const std::size_t stride = values.size() / kMaxPoints + 1;
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < values.size(); i += stride) {
    const bool shown = axes.shows(values[i]);
    if (shown) {
      const double y = std::clamp(axes.y(values[i]), kTop, axes.height - kBottom);
      path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", axes.x(history[i].iteration), y);
    }
    drawing = shown;
  }
  if (!path.empty()) svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" {}/>\n", path, color, style);
}

}  // namespace

std::string losses_to_csv(std::span<const DistillStep> history) {
  std::string csv =
      "iteration,total,sds,smooth,ground,limits,extra,fitted,sds_gradient,energy_gradient,latent_gradient,timestep,"
      "not_finite,skipped,draw_seconds,prior_seconds\n";
  for (const DistillStep& s : history) {
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6f},{:.6f}\n", s.iteration, s.total, s.sds,
                       s.smooth, s.ground, s.limits, s.extra, s.fitted, s.sds_gradient, s.energy_gradient,
                       s.latent_gradient, s.timestep, s.not_finite, s.skipped ? 1 : 0, s.draw_seconds, s.prior_seconds);
  }
  return csv;
}

std::string losses_to_svg(std::span<const DistillStep> history, const DistillSettings& settings,
                          const LossPlotSettings& plot) {
  LIMBER_EXPECT(plot.width >= 200 && plot.height >= 150 && plot.mean_over >= 0,
                fmt::format("{} x {}, mean over {}", plot.width, plot.height, plot.mean_over));
  const std::size_t window =
      plot.mean_over > 0 ? static_cast<std::size_t>(plot.mean_over) : std::max<std::size_t>(history.size() / 50, 1);
  const std::vector<Curve> curves = curves_of(history, settings, window);
  Axes axes{static_cast<double>(plot.width), static_cast<double>(plot.height), plot.logarithmic};
  fit_axes(history, curves, axes);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      plot.width, plot.height);
  draw_axes(svg, axes);
  for (const Curve& curve : curves) {
    if (window > 1) draw_curve(svg, axes, history, curve.values, curve.color, "stroke-opacity=\"0.2\"");
  }
  for (const Curve& curve : curves) {
    draw_curve(svg, axes, history, curve.means, curve.color, "stroke-width=\"2\"");
  }
  // The legend, from the right end of the line above the plot.
  double x = axes.width - kRight;
  for (std::size_t i = curves.size(); i-- > 0;) {
    draw_text(svg, x, kTop - 10, "end", curves[i].name);
    x -= 7.0 * static_cast<double>(curves[i].name.size()) + 8;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", x - 14, kTop - 16,
                       curves[i].color);
    x -= 30;
  }
  if (!plot.title.empty()) draw_text(svg, kLeft, 16, "start", plot.title);
  return svg + "</svg>\n";
}

}  // namespace limber::distill
