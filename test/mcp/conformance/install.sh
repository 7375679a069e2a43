#!/bin/sh
# Installs the official conformance suite, the Inspector and the newer Node that they run on, unless they are there. None of
# them runs scripts of its own. They take 330 MB and half a minute.
set -eu
cd "$(dirname "$0")"
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --force
  touch node_modules/.package-lock.json
fi
