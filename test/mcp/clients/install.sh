#!/bin/sh
# Installs the hosts that the tests of the tool server drive, unless they are there. They run no scripts of their own. The AI SDK
# asks for Node 22, and works on 20, on which the board still has to run.
set -eu
cd "$(dirname "$0")"
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --legacy-peer-deps --omit=optional --engine-strict=false
  touch node_modules/.package-lock.json
fi
