#!/bin/sh
# Makes sure that the browser tests find Chromium: $CHROMIUM, else /usr/bin/chromium. On Debian and Ubuntu, as root, apt
# installs it; elsewhere the script prints what to do.
set -eu
browser="${CHROMIUM:-/usr/bin/chromium}"
if [ -x "$browser" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && [ -z "${CHROMIUM:-}" ] && command -v apt-get > /dev/null; then
  echo "Installing Chromium for the browser tests"
  apt-get update -qq > /dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium openssl > /dev/null
  exit 0
fi
echo "The browser tests need Chromium: install it (Debian, Ubuntu: apt-get install chromium), or set CHROMIUM to its path." >&2
exit 1
