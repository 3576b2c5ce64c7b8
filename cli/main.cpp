// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "torch_commands.h"

int main(int argc, char** argv) { return limber::cli::run_program(argc, argv); }
