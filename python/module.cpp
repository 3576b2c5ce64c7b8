// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

#include "array.h"
#include "convert.h"
#include "limber/base/memory_budget.h"
#include "limber/base/threads.h"
#include "limber/nn/shipped_models.h"
#include "objects.h"

PYBIND11_MODULE(_limber, module) {
  using namespace limber::python;
  module.doc() = "limber makes static 3D models move: the compiled part of the package.";
  module.attr("__version__") = LIMBER_VERSION;
  bind_errors();
  bind_array(module);
  bind_motions(module);
  bind_assets(module);
  bind_stages(module);
  bind_pictures(module);
  bind_poses(module);
  module.def("thread_count", limber::thread_count, "How many threads limber uses.");
  module.def(
      "set_thread_count",
      [](int count) {
        const py::gil_scoped_release released;
        limber::set_thread_count(count);
      },
      py::arg("count"), "So many threads from now on; 0: one per core. Not while another call runs.");
  module.def("set_memory_budget", limber::set_memory_budget, py::arg("bytes"),
             "So much may be taken at a time for what files say, in the whole process; 4 GB at first. More is an "
             "OutOfMemoryError.");
  module.def("_add_model_folder", limber::nn::add_model_folder, py::arg("folder"), "Where the networks lie.");
}
