#!/usr/bin/env bash
# Trains the network of parts four times on a machine with a GPU, equally long and with equal data and seeds, to see what
# its ingredients are good for (docs/parts.md, Ablations): all, no_fusion, no_contrast, one_branch. Needs what
# tools/gpu_limber.sh needs, and carry/characters.bin from `limber-lab train bake`. About two minutes each on an H200.
#   tools/gpu_parts.sh [name ...]      default: all four; fewer where a call may not take so long
# Leaves NAME.tar for each in $OUT (default: out), a folder NAME with the network in 8 bits (10 MB) and its training.json,
# and NAME.csv. Then, anywhere:
#   tar xf all.tar && limber-lab bench parts --groups meshes,pictures --model all --markdown
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-out}
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(all no_fusion no_contrast one_branch)

declare -A options=([all]="" [no_fusion]="--no-fusion" [no_contrast]="--contrast 0" [one_branch]="--no-rgb")
for name in "${names[@]}"; do
  [ -n "${options[$name]+there}" ] || { echo "'$name' is none of: ${!options[*]}" >&2; exit 2; }
done

# The same for all. One frame a view: a quarter of the tokens. Bodies are drawn to an end, so that the CPU has time to launch kernels.
common=(--steps 1700 --seconds 140 --frames 1 --batch 96 --validation 64 --creatures 2000 --pool 12000 --examples 12000 --first 1500 --seed 1)
[ -f carry/characters.bin ] && common+=(--characters carry/characters.bin)

mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in "${names[@]}"; do
  echo "== $name"
  # shellcheck disable=SC2086  # several words
  tools/gpu_limber.sh train parts -o "$work/$name" --csv "$out/$name.csv" "${common[@]}" ${options[$name]}
  # Not the weights in 16 bits, nor what resuming takes: those are larger than what comes home.
  tar cf "$out/$name.tar" -C "$work" "$name/parts.json" "$name/parts.safetensors" "$name/training.json"
done
