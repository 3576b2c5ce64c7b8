# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the compiled module. tests/python/stubs_test.py compares names, arguments and defaults with the module itself."""
from os import PathLike
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

__version__: str

class MeshLike(Protocol):
    """What trimesh.Trimesh is, among others."""
    @property
    def vertices(self) -> Any: ...
    @property
    def faces(self) -> Any: ...

Path = Union[str, "PathLike[str]"]
AssetLike = Union["Asset", "Animation", Path, bytes, MeshLike]
Direction = Union[str, Sequence[float]]
Progress = Callable[[str, float], object]
Report = Dict[str, Any]

class Array:
    @property
    def shape(self) -> Tuple[int, ...]: ...
    @property
    def format(self) -> str: ...
    @property
    def data(self) -> memoryview: ...
    def tolist(self) -> List[Any]: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __buffer__(self, flags: int) -> memoryview: ...

class Asset:
    @property
    def name(self) -> str: ...
    @property
    def vertices(self) -> Array: ...
    @property
    def faces(self) -> Array: ...
    @property
    def clips(self) -> List[Clip]: ...
    @property
    def rig(self) -> Optional[Rig]: ...
    @property
    def warnings(self) -> List[str]: ...
    @property
    def report(self) -> Report: ...
    def vertices_at(self, clip: Union[str, int, None], seconds: float) -> Array: ...
    def with_clip(self, motion: Motion, name: str = "motion") -> Asset: ...
    def save(self, path: Path, *, clip: Union[str, int, None] = None, fps: float = 30.0) -> None: ...
    def to_glb(self) -> bytes: ...

class Clip:
    @property
    def name(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    def motion(self, fps: Optional[float] = None) -> Motion: ...

class Rig:
    @property
    def names(self) -> List[str]: ...
    @property
    def parents(self) -> Array: ...
    @property
    def rest_translations(self) -> Array: ...
    @property
    def rest_rotations(self) -> Array: ...
    @property
    def axes(self) -> Array: ...
    @property
    def lower(self) -> Array: ...
    @property
    def upper(self) -> Array: ...
    @property
    def world_from_rest(self) -> Array: ...
    @property
    def points(self) -> Array: ...
    @property
    def faces(self) -> Array: ...
    @property
    def skin_joints(self) -> Array: ...
    @property
    def skin_weights(self) -> Array: ...
    @property
    def asset_scale(self) -> float: ...
    @property
    def asset_offset(self) -> Tuple[float, float, float]: ...
    def __len__(self) -> int: ...

class Motion:
    def __init__(
        self, rig: Rig, joint_angles: Any, root_translations: Any = None, *, fps: float = 24.0, loops: bool = False
    ) -> None: ...
    @property
    def fps(self) -> float: ...
    @property
    def loops(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    @property
    def rig(self) -> Rig: ...
    @property
    def joint_angles(self) -> Array: ...
    @property
    def root_translations(self) -> Array: ...
    @property
    def rotations(self) -> Array: ...
    @property
    def matrices(self) -> Array: ...
    def vertices(self, frame: int) -> Array: ...
    def __len__(self) -> int: ...

class Animation:
    @property
    def asset(self) -> Asset: ...
    @property
    def motion(self) -> Motion: ...
    @property
    def clip(self) -> Clip: ...
    @property
    def clips(self) -> List[Clip]: ...
    @property
    def report(self) -> Report: ...
    def save(self, path: Path) -> None: ...

class Parts:
    @property
    def labels(self) -> Array: ...
    @property
    def colors(self) -> Array: ...
    @property
    def agreement(self) -> float: ...
    def __len__(self) -> int: ...

class Pictures:
    @property
    def pixels(self) -> Array: ...
    @property
    def fps(self) -> float: ...
    def save(self, path: Path) -> None: ...
    def _repr_png_(self) -> bytes: ...
    def __len__(self) -> int: ...

class SolvedPose:
    @property
    def motion(self) -> Motion: ...
    @property
    def errors(self) -> Dict[str, float]: ...
    @property
    def plausible(self) -> float: ...

class PoseSpace:
    @property
    def joints(self) -> List[str]: ...
    def sample(self, count: int = 1, *, seed: int = 0) -> Motion: ...
    def score(self, motion: Motion) -> List[float]: ...
    def project(
        self, motion: Motion, *, strength: float = 0.3, seed: int = 0, progress: Optional[Progress] = None
    ) -> Motion: ...
    def solve(self, places: Mapping[str, Any], *, seed: int = 0, variety: float = 0.0) -> SolvedPose: ...

def read(path: Union[Path, bytes]) -> Asset: ...
def mesh(vertices: Any, faces: Any, *, name: str = "mesh") -> Asset: ...
def zoo(
    plan: str = "quadruped",
    seed: int = 0,
    *,
    actions: Sequence[str] = [],
    body: str = "",
    resolution: int = 60,
    rigged: bool = True,
) -> Asset: ...
def inspect(asset: AssetLike) -> Report: ...
def doctor(asset: AssetLike, *, progress: Optional[Progress] = None) -> List[Report]: ...
def rig(
    asset: AssetLike,
    *,
    keep_skeleton: bool = False,
    replace: bool = False,
    template: str = "auto",
    skeleton: Optional[Path] = None,
    parts: Optional[Union[Parts, Path]] = None,
    from_: Optional[str] = None,
    least_agreement: float = 0.4,
    reader: Path = "auto",
    pin: Optional[Union[str, Sequence[str], Mapping[str, Sequence[float]]]] = None,
    joints: Optional[int] = None,
    root: str = "",
    names: Optional[str] = None,
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    stand_up: bool = False,
    weights: str = "auto",
    influences: int = 4,
    stiffness: float = 3,
    progress: Optional[Progress] = None,
) -> Asset: ...
def animate(
    asset: AssetLike,
    prompt: str = "",
    *,
    clips: Optional[Union[str, Sequence[str]]] = None,
    video: Optional[Path] = None,
    library: Optional[Path] = None,
    anyway: bool = False,
    quality: str = "standard",
    method: str = "auto",
    seconds: Optional[float] = None,
    continue_: Optional[Union[str, int]] = None,
    keyframes: Optional[Path] = None,
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    names: Optional[str] = None,
    stand_up: bool = False,
    name: str = "",
    fps: float = 30,
    loop: bool = False,
    in_place: bool = False,
    ground: str = "auto",
    pose_prior: str = "off",
    motion_prior: str = "off",
    seed: int = 0,
    candidates: Optional[int] = None,
    negative: str = "",
    guidance: Optional[float] = None,
    steps: Optional[int] = None,
    no_fallback: bool = False,
    iterations: Optional[int] = None,
    from_: str = "rest",
    smooth_weight: Optional[float] = None,
    ground_weight: Optional[float] = None,
    prior: Optional[Path] = None,
    device: str = "auto",
    dtype: str = "auto",
    checkpoint: Optional[Path] = None,
    checkpoint_seconds: float = 60,
    fresh: bool = False,
    progress: Optional[Progress] = None,
) -> Animation: ...
def create(
    words: str,
    *,
    seed: Optional[int] = None,
    resolution: Optional[int] = None,
    rigged: Optional[bool] = None,
    text_to_3d: str = "",
) -> Asset: ...
def physics(
    asset: AssetLike,
    clip: Union[str, int, None] = None,
    *,
    ground: str = "simulate",
    fps: Optional[float] = None,
    height: Optional[float] = None,
    iterations: int = 60,
    friction: float = 0.9,
    name: str = "",
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    progress: Optional[Progress] = None,
) -> Animation: ...
def retarget(
    source: AssetLike,
    target: AssetLike,
    clip: Union[str, int, None] = None,
    *,
    all_clips: bool = False,
    map: Mapping[str, str] = {},
    fps: Optional[float] = None,
    loop: bool = False,
    in_place: bool = False,
    name: str = "",
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    source_up: Optional[Direction] = None,
    source_forward: Optional[Direction] = None,
    progress: Optional[Progress] = None,
) -> Animation: ...
def parts(
    asset: AssetLike,
    *,
    view_sets: int = 3,
    steps: int = 4,
    seed: int = 0,
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    progress: Optional[Progress] = None,
) -> Parts: ...
def render(
    asset: AssetLike,
    *,
    clip: Union[str, int, None] = None,
    time: Optional[float] = None,
    frames: Optional[int] = None,
    fps: float = 24.0,
    size: Tuple[int, int] = (640, 480),
    layer: str = "rgb",
    views: int = 1,
    turntable: bool = False,
    azimuth: float = 40.0,
    elevation: float = 15.0,
    follow: bool = True,
    ground: bool = True,
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    progress: Optional[Progress] = None,
) -> Pictures: ...
def evaluate(asset: AssetLike, truth: Optional[AssetLike] = None) -> Report: ...
def score(
    asset: AssetLike,
    clip: Union[str, int, None] = None,
    *,
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    progress: Optional[Progress] = None,
) -> Report: ...
def mend(
    asset: AssetLike,
    checks: Optional[Sequence[str]] = None,
    *,
    clip: Union[str, int, None] = None,
    up: Optional[Direction] = None,
    forward: Optional[Direction] = None,
    progress: Optional[Progress] = None,
) -> Asset: ...
def pose_space(
    asset: AssetLike, *, up: Optional[Direction] = None, forward: Optional[Direction] = None
) -> PoseSpace: ...
def thread_count() -> int: ...
def set_thread_count(count: int) -> None: ...
def set_memory_budget(bytes: int) -> None: ...
def _add_model_folder(folder: Path) -> None: ...
