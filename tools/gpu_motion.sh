#!/usr/bin/env bash
# Teaches the motion space and its two judges on a machine with a GPU. Needs what tools/gpu_build.sh needs, and
# carry/characters.bin from `limber-lab train bake`.
#   tools/gpu_motion.sh start SECONDS [option ...]   starts the training, and lets it run on when this command has ended
#   tools/gpu_motion.sh pupil SECONDS [option ...]   the same for a pupil of what `start` has taught, which draws in fewer steps
#   tools/gpu_motion.sh judges SECONDS               starts the two judges, one on each half of the families, side by side
#   tools/gpu_motion.sh wait SECONDS                 waits so long, or until nothing is trained any more; leaves what there is in $OUT,
#                                                    in pieces: cat trained.tar.* | tar -x. Weights in 8 bits, as they ship, and of
#                                                    the first network the average in 16, to go on from
set -euo pipefail
cd "$(dirname "$0")/.."
program=build-gpu/bin/limber-lab-torch
[ ! -x $program ] && [ -f carry/limber-lab-torch.xz ] && mkdir -p build-gpu/bin && xz -dc carry/limber-lab-torch.xz >$program && chmod +x $program
out=${OUT:-out} work=build-gpu/motion
# What is carried is carried once: later calls may bring other things.
[ -f carry/characters.bin ] && mkdir -p "$work" && cp -u carry/characters.bin* "$work/"
common=(--characters $work/characters.bin --pool 200000)
mkdir -p "$out" "$work"

begin() {  # name, options: a training in the background, which goes on when this command has ended
  setsid nohup $program train motion -o "$work/$1" "${common[@]}" --csv "$work/$1.csv" "${@:2}" >"$work/$1.log" 2>&1 </dev/null &
}

case "${1:-}" in
  start)
    [ -x $program ] || tools/gpu_build.sh limber_lab_torch_program
    begin model --seconds "$2" "${@:3}"
    ;;
  pupil) begin pupil --pupil --from $work/model --seconds "$2" "${@:3}" ;;
  judges)
    for half in 1 2; do
      begin judge_$half --judge --artists 0.75 --people 0.25 --fold $half/2 --seconds "$2" --width 96 --layers 6 --heads 6 --learning-rate 0.001 "${@:3}"
    done
    ;;
  wait)
    for ((i = 0; i < $2; i += 2)); do pgrep -f 'train motion -o' >/dev/null || break; sleep 2; done
    for log in $work/*.log; do echo "--- $log"; grep -v '^training' "$log" | tail -12; done
    tar -C $work --exclude=training_state.safetensors --exclude='pupil/averaged*' --exclude='judge_*/averaged*' --exclude=characters.bin -c . |
      split -b 15M - "$out/trained.tar."
    ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
