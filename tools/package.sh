#!/usr/bin/env bash
# Makes a tarball of limber for machines of this kind: the program, the networks that ship, the studio's page where npm built it, licences
# and docs. Usage: tools/package.sh [--build FOLDER] [--dirty] [FOLDER FOR THE TARBALL]
#   --build FOLDER  takes the program of a build that is there; else one is made of what is committed, in ten minutes
#   --dirty         packs what is in the tree, be it committed or not: for tests
# The same commit and the same program give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

build=""
dirty=false
target=.
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=${2:?--build needs a folder}; shift ;;
    --dirty) dirty=true ;;
    -*) echo "usage: tools/package.sh [--build FOLDER] [--dirty] [FOLDER FOR THE TARBALL]" >&2; exit 2 ;;
    *) target=$1 ;;
  esac
  shift
done
say() { echo "package: $*" >&2; }
if [ "$dirty" = false ] && [ -n "$(git status --porcelain)" ]; then
  say "the tree has changes that are not committed: what is packed should be what others can see (--dirty for a test)"
  exit 1
fi
[ -d "$target" ] || { say "the folder $target is not there"; exit 1; }
target=$(cd "$target" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

source=$PWD
if [ "$dirty" = false ]; then
  source=$scratch/source
  mkdir "$source"
  git archive HEAD | tar -x -C "$source"
fi
if [ -z "$build" ]; then
  build=$scratch/build
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DLIMBER_TESTS=OFF -DLIMBER_PYTHON=OFF
  cmake --build "$build" --target limber_program
  # Only with npm.
  if cmake --build "$build" --target help | grep -q limber_studio_page; then cmake --build "$build" --target limber_studio_page; fi
fi
program=$build/bin/limber
[ -x "$program" ] || { say "there is no program $program: build the target limber_program first"; exit 1; }

version=$("$program" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
name=limber-$version-linux-$(uname -m)
stage=$scratch/$name
mkdir -p "$stage/bin" "$stage/share/limber/licences"
cp "$program" "$stage/bin/limber"
strip "$stage/bin/limber"
cp -r "$source/models" "$stage/share/limber/models"
if [ -f "$build/share/limber/studio/index.html.gz" ]; then
  mkdir "$stage/share/limber/studio"
  find "$build/share/limber/studio" -maxdepth 1 -name '*.gz' -exec cp {} "$stage/share/limber/studio/" \;
else
  say "without the studio's page, which npm builds (target limber_studio_page)"
fi
cp "$source/LICENSE" "$source/README.md" "$source/SECURITY.md" "$source/CHANGELOG.md" "$stage/"
cp -r "$source/docs" "$stage/docs"

# What the program takes from the system: the packages that bring it, and their licences.
packages=$(ldd "$stage/bin/limber" | awk '$3 ~ /^\// { print $3 }' | while read -r library; do
  dpkg-query -S "$(realpath "$library")" 2>/dev/null || dpkg-query -S "$library" 2>/dev/null || true
done | sed 's/:.*//' | LC_ALL=C sort -u)
for package in $packages; do
  if [ -f "/usr/share/doc/$package/copyright" ]; then cp "/usr/share/doc/$package/copyright" "$stage/share/limber/licences/$package.txt"; fi
done
system=$(. /etc/os-release && echo "$PRETTY_NAME")
cat > "$stage/INSTALL.txt" <<END
limber $version, built on $system for $(uname -m).

It runs where it lies: unpack it anywhere, and call bin/limber, or put that folder into PATH.

It needs these packages of the system:
  apt-get install $(echo $packages) ffmpeg

Then: bin/limber create "a dragon" -o dragon.glb && bin/limber animate dragon.glb "a dragon walks" -o walk.glb
What it can do: README.md, docs/index.md. Licences: LICENSE, of the networks share/limber/models/*/README.md, of libraries
that the system brings share/limber/licences.
END

# The same bytes each time: names in order, one owner, and the time of the commit.
when=$(git log -1 --format=%ct)
tarball=$target/$name.tar.gz
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" -C "$scratch" -cf - "$name" | gzip -n -9 > "$scratch/tarball"
mv "$scratch/tarball" "$tarball"
say "$(du -h "$tarball" | cut -f1) in $tarball"
echo "$tarball"
