#!/usr/bin/env bash
# Takes the pictures of the guide anew: each ![…](FILE.png) in docs/levels.md shows the start of the
# level in the block after it. Needs a display, or xvfb-run.
#
#   docs/pictures.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

levels=$(mktemp -d)
trap 'rm -rf "$levels"' EXIT
display=()
[[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || display=(xvfb-run -a)

# Writes each block that follows a picture to a file, and prints the names of both.
awk -v folder="$levels" '
    match($0, /^!\[.*\]\(.*\.png\)$/) { picture = $0; sub(/^.*\(/, "", picture); sub(/\)$/, "", picture) }
    /^```$/ && level { close(level); print picture, level; picture = level = "" }
    level { print > level }
    /^```jsonc$/ && picture { level = folder "/" (++count) ".json" }
' levels.md | while read -r picture level; do
    echo "$picture"
    "${display[@]}" cargo run --quiet --release -- run "$level" \
        --screenshot "$picture" --size 480x300 --no-hud </dev/null
done
