#!/usr/bin/env bash
# Teaches the motion space and its two judges on a machine with a GPU. Needs what tools/gpu_build.sh needs, and
# carry/characters.bin from `limber-lab train bake`.
#   tools/gpu_motion.sh start SECONDS [option ...]   starts the training, and lets it run on when this command has ended
#   tools/gpu_motion.sh judges SECONDS               the two judges, one on each half of the families, side by side; waits for them
#   tools/gpu_motion.sh wait SECONDS                 waits so long, or until the training has ended; leaves what there is in $OUT
# The weights in 8 bits, as they ship, and the average in 16, to go on from, in pieces: cat averaged.* > averaged.safetensors
set -euo pipefail
cd "$(dirname "$0")/.."
program=build-gpu/bin/limber-lab-torch
[ ! -x $program ] && [ -f carry/limber-lab-torch.xz ] && mkdir -p build-gpu/bin && xz -dc carry/limber-lab-torch.xz >$program && chmod +x $program
out=${OUT:-out} work=build-gpu/motion
common=(--characters carry/characters.bin --pool 200000 --first 8000)
mkdir -p "$out" "$work"

keep() {  # what folder $1 has so far, as $2
  mkdir -p "$out/$2"
  cp "$1"/*.json "$1"/motions.safetensors "$out/$2"/ 2>/dev/null || true
  split -b 15M "$1"/averaged.safetensors "$out/$2/averaged." 2>/dev/null || true
}

case "${1:-}" in
  start)
    [ -x $program ] || tools/gpu_build.sh limber_lab_torch_program
    setsid nohup $program train motion -o $work/model "${common[@]}" --seconds "$2" --csv $work/model.csv "${@:3}" >$work/model.log 2>&1 &
    ;;
  judges)
    for half in 1 2; do
      $program train motion --judge -o $work/judge_$half "${common[@]}" --artists 0.75 --people 0.25 --fold $half/2 --seconds "$2" \
        --width 96 --layers 6 --heads 6 --learning-rate 0.001 --csv $work/judge_$half.csv >$work/judge_$half.log 2>&1 &
    done
    wait
    for half in 1 2; do keep $work/judge_$half judge_$half; rm -f "$out/judge_$half"/averaged.*; grep step $work/judge_$half.log | tail -3; done
    ;;
  wait)
    for ((i = 0; i < $2; i += 2)); do pgrep -f 'train motion -o' >/dev/null || break; sleep 2; done
    keep $work/model model
    cp $work/model.csv "$out/" || true
    grep -v '^training' $work/model.log | tail -40
    ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
