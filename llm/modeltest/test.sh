#!/usr/bin/env bash
# Install a small language model and a server into a cache folder, once, and run test.py: the whole
# program against a real model. Without Python 3.10 or later, or where the packages cannot be had,
# it says so and exits 0.
what="the program with a real model is"
source "$(dirname "$0")/python.sh"
packages() { echo --no-deps --only-binary :all: -r requirements.txt; }
environment model 10 "130 MB"
run_test 1200
