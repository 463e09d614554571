# Functions of the tests in Python. A test sets what (the subject of "… NOT tested") and sources this file.
set -euo pipefail
cd "$(dirname "$0")"
skip() { printf '\nSKIPPED: %s NOT tested: %s\n' "$what" "$*"; exit 0; }

# environment NAME MINOR SIZE: makes a virtual environment in the user's cache folder, once, for Python
# 3.MINOR or later. The function packages prints pip's arguments.
environment() {
  local python version
  python=$(for p in python3.11 python3.12 python3.13 python3.10 python3; do
    if "$p" -c "import sys, venv; sys.exit(sys.version_info < (3, $2))" 2>/dev/null; then echo "$p"; break; fi
  done)
  [ -n "$python" ] || skip "there is no Python 3.$2 or later"
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/compqa/$1-$version-$(sha256sum < requirements.txt | cut -c1-12)
  [ ! -e "$cache/complete" ] || return 0
  echo "installing the packages of requirements.txt into $cache ($3 to download)"
  rm -rf "$cache" && mkdir -p "$cache"
  "$python" -m venv "$cache/venv" || skip "a virtual environment cannot be made"
  timeout 600 "$cache/venv/bin/pip" install --quiet $(packages "$version") ||
    { rm -rf "$cache"; skip "the packages of requirements.txt cannot be installed"; }
  touch "$cache/complete"
}

# run_test SECONDS [NAME=VALUE…]: runs test.py with the program and the environment.
run_test() {
  local bin seconds=$1
  shift
  bin=$(mktemp -d)
  trap "rm -rf '$bin'" EXIT
  (cd ../.. && go build -o "$bin/compqa" .)
  PATH=$bin:$cache/venv/bin:$PATH env PYTHONDONTWRITEBYTECODE=1 "$@" timeout "$seconds" python test.py
}
