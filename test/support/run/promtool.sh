#!/bin/sh
# Brings promtool for the test of the alert rules, on Debian and Ubuntu as root. The package is unpacked, not installed: it
# would start a server. Elsewhere that test is skipped.
command -v promtool > /dev/null && exit 0
folder="${XDG_CACHE_HOME:-$HOME/.cache}/agent-board"
if [ -x "$folder/promtool" ] || [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then exit 0; fi
work="$(mktemp -d)"
cd "$work" || exit 0
# As user _apt, apt could not write here.
if apt-get update -qq > /dev/null 2>&1 && apt-get -o APT::Sandbox::User=root download -qq prometheus > /dev/null 2>&1; then
  dpkg-deb -x prometheus_*.deb . && mkdir -p "$folder" && mv usr/bin/promtool "$folder/promtool"
fi
rm -rf "$work"
exit 0
