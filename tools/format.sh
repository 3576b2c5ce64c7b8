#!/usr/bin/env bash
# Formats the sources with clang-format, or with --check only says which files are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find limber bench cli python studio/server examples tests cmake -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.inl' -o -name '*.cu' -o -name '*.cuh' \) | sort)
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
printf '%s\0' "${files[@]}" | xargs -0 -n 50 -P "$(nproc)" clang-format "${mode[@]}"
