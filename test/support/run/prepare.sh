#!/bin/sh
# Brings what the tests drive beside the board: browsers, promtool, hosts of its tool server and the conformance suite. Each
# waits for a registry more than it works, so they come at once; apt takes one caller at a time. A command that is given, as
# the checks of `npm test` are, runs meanwhile, before the suites' own packages come into the folders that it reads.
set -eu
(cd "$(dirname "$0")/../.." && sh support/clients/browsers.sh && sh support/run/promtool.sh) &
debian=$!
"$@" || {
  failed=$?
  wait "$debian"
  exit "$failed"
}
cd "$(dirname "$0")/../.."
sh mcp/clients/install.sh &
hosts=$!
sh mcp/conformance/install.sh &
suite=$!
wait "$debian"
wait "$hosts"
wait "$suite"
