#!/usr/bin/env bash
# Install a small language model and a server into a cache folder, once, and run test.py: the whole
# program against a real model. Without Python 3.10 or later, or where the packages cannot be had,
# it says so and exits 0.
set -euo pipefail
cd "$(dirname "$0")"
skip() { printf '\nSKIPPED: the program is NOT tested with a real model: %s\n' "$*"; exit 0; }

python=$(for p in python3.11 python3.12 python3.13 python3.10 python3; do
  if "$p" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then echo "$p"; break; fi
done)
[ -n "$python" ] || skip "there is no Python 3.10 or later"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/compqa/model-$version-$(sha256sum < requirements.txt | cut -c1-12)
if [ ! -e "$cache/complete" ]; then
  echo "installing SmolLM2-135M and llama.cpp into $cache (130 MB to download)"
  rm -rf "$cache" && mkdir -p "$cache"
  "$python" -m venv "$cache/venv" || skip "a virtual environment cannot be made"
  timeout 300 "$cache/venv/bin/pip" install --quiet --no-deps --only-binary :all: -r requirements.txt ||
    { rm -rf "$cache"; skip "the packages of requirements.txt cannot be installed"; }
  touch "$cache/complete"
fi
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
(cd ../.. && go build -o "$bin/compqa" .)
PATH=$bin:$cache/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 timeout 600 python test.py
