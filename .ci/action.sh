#!/usr/bin/env bash
# What action.yml runs: installs compqa, unless it is there, and runs a gate. The checks become annotations and the
# summary of the job. Exit code: that of compqa.
set -euo pipefail
bin=$RUNNER_TEMP/compqa
mkdir -p "$bin"
PATH=$bin:$PATH
case "${COMPQA_PACKAGE:-}" in
  *.whl) python3 -m pip install --disable-pip-version-check "$COMPQA_PACKAGE" ;;
  *.tar.gz) tar -xzf "$COMPQA_PACKAGE" --strip-components=1 -C "$bin" ;;
  "") command -v compqa >/dev/null || (cd "$GITHUB_ACTION_PATH" && CGO_ENABLED=0 go build -trimpath -o "$bin/compqa" .) ;;
  *) echo "::error title=compqa::package is $COMPQA_PACKAGE; it must be a wheel (.whl) or an archive (.tar.gz)"; exit 2 ;;
esac
case "$COMPQA_COMMAND" in
  validate | compare) ;;
  *) echo "::error title=compqa::command is $COMPQA_COMMAND; it must be validate or compare"; exit 2 ;;
esac
mapfile -t args < <(xargs -n1 <<<"$COMPQA_ARGUMENTS") # as a shell splits them, but nothing is executed or expanded
compqa "$COMPQA_COMMAND" "${args[@]}" --format github
