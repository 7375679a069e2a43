#!/bin/sh
# Brings what the tests drive beside the board: browsers, promtool, hosts of its tool server and the conformance suite. Each
# waits for a registry more than it works, so they come at once; apt takes one caller at a time.
set -eu
cd "$(dirname "$0")/../.."
sh mcp/clients/install.sh &
hosts=$!
sh mcp/conformance/install.sh &
suite=$!
sh support/clients/browsers.sh
sh support/run/promtool.sh
wait "$hosts"
wait "$suite"
