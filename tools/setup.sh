#!/usr/bin/env bash
# Installs the packages limber is built with. Usage: tools/setup.sh [--check]
# With --check also those that only ./check needs: LibTorch, which networks are trained with and large priors run in, among them. Does nothing, and asks for nothing, when all are there.
set -euo pipefail

packages=(build-essential cmake ninja-build ccache python3
  libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev libspdlog-dev
  libdraco-dev libmeshoptimizer-dev libassimp-dev
  libpng-dev libturbojpeg0-dev libwebp-dev ffmpeg libcpp-httplib-dev)
if [ "${1:-}" = --check ]; then
  # Without OpenBLAS Debian's LibTorch multiplies matrices thirty times slower.
  packages+=(libtorch-dev libopenblas0-pthread libgtest-dev libsentencepiece-dev clang clang-format libclang-rt-dev libmujoco-dev libmujoco-samples
    blender python3-numpy  # with Node.js below they read what limber writes: tests/gates
    slurmctld slurmd slurm-client munge)  # a cluster of one machine that tests start themselves: tests/pipeline/local_slurm.py
  # The Python package: its module is built for the system's own Python, whichever one PATH names first.
  packages+=(pybind11-dev python3-dev python3-pip python3-setuptools python3-wheel python3-mypy)
  # Node.js is asked for as a command: other makers' packages of it bring npm along and cannot be installed beside Debian's npm.
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
  command -v chromium >/dev/null || packages+=(chromium)  # tests/studio uses the studio's page in it
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "limber: this script knows Debian and Ubuntu. Elsewhere install the equivalents of: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "limber: these packages are missing, and you are neither root nor have sudo: ${missing[*]}" >&2
    echo "limber: ask an administrator to run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

# Another apt (unattended upgrades) may hold one of three locks. apt waits for dpkg's when told to; that it found the one of
# its lists or of its archives taken shows only in what it prints.
apt_get() {
  local attempts=120 seconds=5 log
  log=$(mktemp)
  trap 'rm -f "$log"' RETURN
  for ((attempt = 1; attempt <= attempts; ++attempt)); do
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
      apt-get -q -o DPkg::Lock::Timeout=$((attempts * seconds)) "$@" 2>&1 | tee "$log" && return 0
    grep -q 'Could not get lock' "$log" || return 1
    echo "limber: another apt is at work; trying again in $seconds s ($attempt of $attempts)"
    sleep "$seconds"
  done
  return 1
}
echo "limber: installing ${missing[*]}"
apt_get update
apt_get install -y --no-install-recommends "${missing[@]}"
