// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "program.h"

int main(int argc, char** argv) { return limber::cli::run_program(limber::cli::kUserProgram, argc, argv); }
