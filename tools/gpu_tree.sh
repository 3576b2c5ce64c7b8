#!/usr/bin/env bash
# A machine with a GPU is sent this tree with what is in carry/, 64 MiB in all. `away` moves the networks that ship, which trainings
# do not need, out of the tree; `back` brings them back, and whatever else is done must come after that.
#   tools/gpu_tree.sh away | back
set -euo pipefail
cd "$(dirname "$0")/.."
place=.git/models_away
[ -f .git ] && place=$(git rev-parse --git-dir)/models_away

case "${1:-}" in
  away)
    [ -e "$place" ] && { echo "they are away already: $place" >&2; exit 1; }
    mv models "$place"
    ;;
  back)
    [ -e "$place" ] || { echo "nothing is away" >&2; exit 1; }
    # What a training wrote meanwhile stays.
    mkdir -p models
    cp -rn "$place"/. models/
    rm -rf "$place"
    ;;
  *) sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
