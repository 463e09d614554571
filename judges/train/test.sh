#!/usr/bin/env bash
# Install the requirements into a cache folder, once, and run test.py. Without Python 3.11 or
# later, or where packages cannot be had, it says so and exits 0. The pinned wheels are for Python
# 3.11 on Linux x86-64; elsewhere requirements.in is installed.
what="the training recipes are"
source "$(dirname "$0")/../../llm/modeltest/python.sh"
packages() {
  if [ "$1 $(uname -sm)" = "3.11 Linux x86_64" ]; then echo --require-hashes -r requirements.txt; else echo -r requirements.in; fi
}
environment train 11 "3 GB"
# One thread: two that wait for each other by spinning are 20 times slower where tests run beside them.
run_test 2400 OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TRANSFORMERS_VERBOSITY=error
