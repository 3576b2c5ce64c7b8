// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base/warning.h"

namespace limber {
namespace {

constexpr const char *kSayKind = "look at it, or say what it is when it is rigged (`template` or `skeleton`)",
                     *kSolveWeights = "`limber rig` with `keep_skeleton` solves the weights anew",
                     *kNewSkeleton = "`limber rig` with `replace` makes another skeleton", *kRig = "see `limber rig`";

// table: what a motion is warned of, a row a code
constexpr WarningText kTexts[] = {
    // --- how a body stands and looks ---
    {"facing_assumed",
     "up was assumed to be ({up_x:.1}, {up_y:.1}, {up_z:.1}) and forward ({forward_x:.1}, {forward_y:.1}, "
     "{forward_z:.1}): {reason} (confidence {confidence:.2})",
     "if not, say so with `up` and `forward`"},
    {"facing_unusual",
     "up seems to be ({up_x:.1}, {up_y:.1}, {up_z:.1}), forward ({forward_x:.1}, {forward_y:.1}, {forward_z:.1}): "
     "{reason}",
     "if not, say so (`up`, `forward`)"},
    // --- what the rigger doubts ---
    {"no_reader", "no reader of bodies was found, so this one was rigged by its shape alone"},
    {"reader_missing", "{why}; bodies are judged by their shape alone"},
    {"figures", "{figures} figures stand apart in it and got one skeleton",
     "give each a file of its own for `limber rig`"},
    {"unknown_kind", "no kind of body is known that is like this one ({reason}), so its joints follow the shape alone",
     kSayKind},
    {"doubtful_kind", "rigged as a {kind}, which is doubtful (confidence {confidence:.2}): {why}", kSayKind},
    {"bad_fit", "rigged as a {kind}, which fits badly (it costs {cost:.1}, and {usual:.1} is usual at most)", kSayKind},
    {"few_triangles", "rigged as a {kind}, but {triangles} triangles show little of a body", kSayKind},
    {"rigged_from_parts", "rigged from its parts, as no template is believed",
     "the `template curve` follows the shape instead, any other says what it is"},
    // --- what was understood of a prompt ---
    {"prompt_negated", "the prompt says \"{word}\", which the prior does not understand: it may do what it should not",
     "say what it should do instead"},
    {"prompt_unknown",
     "\"{read}\" names no action that the prior was taught; it reads English, and `limber prior actions` lists what it "
     "knows; nearest: {nearest}; the motion may be anything"},
    {"prompt_unread", "of \"{prompt}\" only {understood} was understood, not: {unknown}; the prior reads English"},
    {"action_taken_for", "\"{word}\" was taken for {action}"},
    {"limbs_missing",
     "\"{action}\" takes {limbs}, which this body does not have, as far as its limbs are known; it is moved as well as "
     "may be, and another word may do better"},
    {"words_unknown", "not understood, and left out: {words}"},
    // --- how a motion came about ---
    {"samples_damaged", "samples are drawn again: {why}"},
    {"distillation_broke_off", "the distillation broke off: the prior's gradients were not finite"},
    {"drawn_again", "it was drawn {times} times until it was fit: {why}"},
    {"drawn_otherwise", "the network on joints drew nothing that is fit ({why}), so this was made by `method {method}`",
     "`no_fallback` keeps what it drew"},
    {"unfit_alone", "the motion is not fit ({why}), and no other method can do what is asked",
     "another `seed` may help"},
    {"unfit_kept", "the motion is not fit ({why}), and kept as `no_fallback` asks", "another `seed` may help"},
    {"gpu_left", "scenes are drawn on the CPU, not on the GPU: {why}"},
    {"video_begun", "only the first {frames} frames were looked at"},
    {"video_thinned", "the video is long: one frame in {step} is used"},
    {"subject_leaves", "the subject leaves the picture in {frames} frames"},
    {"camera_ambiguous", "another camera explains the picture about as well: sides may be mixed up"},
    {"fit_not_finite", "{steps} steps of the fit were not finite"},
    {"video_not_trusted", "the motion is not to be trusted: {why}"},
    {"loop_too_short", "the motion has no part that could be looped"},
    {"loop_forced", "the loop does not close by itself: {gap:.0d} degrees were spread over it"},
    {"not_grounded", "not put on the ground: {why}"},
    {"feet_locked_instead",
     "simulated, the feet would slide by {simulated:.0%} of the height a second, so they were locked instead "
     "({locked:.0%})"},
    // --- what went wrong, as far as numbers tell ---
    {"hardly_moves",
     "it hardly moves ({what}): its limbs by {moved:.1%} of the height, where {least:.1%} is the least that is usual",
     "another `seed`, more `candidates` or another word for it may help"},
    {"moves_wildly", "it moves wildly ({what}): its limbs by {moved:.0%} of the height, where {most:.0%} is much",
     "another `seed` or more `candidates` may help, and `limber inspect` shows whether it faces as it should"},
    {"goes_nowhere",
     "it goes nowhere ({what}): {pace:.0%} of {unit} a second, where {least:.0%} is the least that is "
     "usual",
     "another `seed` or more `candidates` may help, and `in_place` if that is meant"},
    {"goes_away", "it goes away ({what}): {speed:.0%} of its size a second, where {most:.0%} is much",
     "another `seed` or more `candidates` may help, and `in_place` keeps it there"},
    {"looks_like_another", "it may not do as told: to the prior it looks rather like {another} than like \"{prompt}\"",
     "another `seed`, a higher `guidance` or `quality best` may help"},
    {"not_followed", "no sample could be followed well: the best misses by {residual:.3} (bound {most:.3})",
     "more `candidates` or another `seed` may help"},
    {"skin_torn", "the skin is stretched {stretch:.1} times in places ({usual} at most in good motions): it may tear",
     "look at the joints: `limber render` draws the layers rgb and skeleton"},
    {"skin_torn_beyond_own",
     "the skin is stretched {stretch:.1} times in places ({own:.1} times in its own clips): it may tear",
     "look at the joints: `limber render` draws the layers rgb and skeleton"},
    {"hovers",
     "its legs hover ({what}): most of the time {clearance:.0%} of their length above the ground ({most:.0%} is much)",
     "`ground lock` or `ground simulate` may help, or another `seed`"},
    {"feet_slide", "the feet slide by {skate:.0%} of the height a second ({most:.0%} is much)",
     "`ground lock` or `ground simulate` may help, for what flies or swims `ground none`"},
    {"sinks", "it sinks into the ground by {sunk:.0%} of its height", "`ground lock` or `ground simulate` may help"},
    {"beyond_limits", "a joint turns {beyond:.0d} degrees beyond its limits",
     "another `seed` may help, and `limber inspect` shows the limits"},
    {"clip_front_guessed", "which way the body of \"{file}\" looks is a guess",
     "if the motion goes aside, turn that clip with `limber retarget`"},
    {"clip_failed", "the clip \"{clip}\" could not be made: {why}", "the others are there"},
    {"clip_unfinished", "the clip is not finished ({check}): {words}",
     "mending does not help without spoiling something else; another `seed` may"},
    // --- what the doctor finds in a file and its surface ---
    {"file_numbers", "{what}", "write the model anew where it was made; limber goes on with what stands in"},
    {"file_mended", "{what}", "check that nothing you need was left out"},
    {"names_twice", "{names} {words} several nodes each; engines find joints by name",
     "rename them where the model was made; `limber convert` to .fbx adds _2, _3"},
    {"no_triangles", "it shows no triangles",
     "a skeleton alone can be drawn (`limber render`) and converted; everything else needs a mesh"},
    {"odd_scale", "its longest side is {side:.3g}, and glTF counts in metres: {words}",
     "scale it where it was made; `limber rig` and `limber animate` do not mind, `limber physics` with `height 1.7` "
     "says how high it is"},
    {"pieces", "{count} {words}",
     "join what belongs together where it was made; `limber rig` hangs loose pieces on what they touch, and "
     "`weights voxel` looks across gaps"},
    {"holes", "{count} {words}",
     "close it where it was made; `limber rig` closes small holes for itself, `weights voxel` is the surer one"},
    {"non_manifold", "{count} {words}",
     "remove inner walls where it was made; `limber rig` with `weights voxel` does not mind them"},
    {"degenerate", "{count} {words}", "remove them where the model was made; limber leaves them be"},
    {"duplicate", "{count} {words}",
     "remove them where the model was made (merge by distance); they flicker when drawn"},
    {"flipped", "{count} {words}",
     "make the normals consistent where it was made; engines do not draw what faces away"},
    {"inside_out", "{count} {words}", "turn its normals round where it was made; engines show its inside"},
    {"unused", "{count} {words}", "they do no harm"},
    // --- in its skeleton and clips ---
    {"weights_missing", "{vertices} of {all} vertices follow no joint", kSolveWeights},
    {"weights_off", "the weights of {vertices} vertices do not sum to one (the worst is {worst:.2g} away)",
     "limber takes them as fractions, engines may not: `limber rig` with `keep_skeleton` solves them anew"},
    {"many_influences", "up to {joints} joints move one vertex; {words}",
     "`limber convert` with `influences {influences}`"},
    {"loose_joints", "{joints} joints hang side by side on one node, without a hierarchy",
     "limber guesses who carries whom; `limber rig` with `replace` makes another skeleton"},
    {"no_skeleton", "{why}", kNewSkeleton},
    {"joint_notes", "{what}",
     "look at it (`limber render` with `layers rgb,skeleton`); `limber rig` with `replace` makes another skeleton"},
    {"clip_broken", "{why}", "leave this clip out"},
    {"clips_torn",
     "{torn} of {clips} clips {words} the skin {stretch:.1} times at the worst; {usual:.1} is usual at most",
     kSolveWeights},
    // --- in how it stands, and what it is ---
    {"stands_otherwise", "it stands along {axis} (confidence {confidence:.2}), and in glTF +Y is up",
     "`limber {turns}` with `stand_up` turns it; `up +y` where that is wrong"},
    {"up_guessed", "{axis} is taken for up: {reason} (confidence {confidence:.2})",
     "if not, say so: `up {other}` (`limber animate`, `physics`, `pose` and `render` take it)"},
    {"front_guessed", "{axis} is taken for its front: {reason} (confidence {confidence:.2})",
     "if not, say so: `forward {other}` (`limber animate`, `physics`, `pose` and `render` take it)"},
    {"no_rig", "it cannot be rigged: {why}", kRig},
};

}  // namespace

std::span<const WarningText> warning_texts() { return kTexts; }

}  // namespace limber
