#!/usr/bin/env bash
# Install the requirements into a cache folder, once, and run test.py. Without Python 3.11 or
# later, or where packages cannot be had, it says so and exits 0.
set -euo pipefail
cd "$(dirname "$0")"
skip() { printf '\nSKIPPED: the training recipes are NOT tested: %s\n' "$*"; exit 0; }

python=$(for p in python3.11 python3.12 python3.13 python3; do
  if "$p" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo "$p"; break; fi
done)
[ -n "$python" ] || skip "there is no Python 3.11 or later"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
cache=${XDG_CACHE_HOME:-$HOME/.cache}/compqa/train-$version-$(sha256sum < requirements.txt | cut -c1-12)
if [ ! -e "$cache/complete" ]; then
  echo "installing PyTorch and TRL into $cache (3 GB to download)"
  rm -rf "$cache" && mkdir -p "$cache"
  "$python" -m venv "$cache/venv" || skip "a virtual environment cannot be made"
  packages="--require-hashes -r requirements.txt"
  if [ "$version $(uname -sm)" != "3.11 Linux x86_64" ]; then
    echo "the pinned wheels are for Python 3.11 on Linux x86-64; here requirements.in is installed"
    packages="-r requirements.in"
  fi
  timeout 600 "$cache/venv/bin/pip" install --quiet $packages || { rm -rf "$cache"; skip "the packages of requirements.txt cannot be installed"; }
  touch "$cache/complete"
fi
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
(cd ../.. && go build -o "$bin/compqa" .)
PATH=$bin:$cache/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error \
  timeout 900 python test.py
