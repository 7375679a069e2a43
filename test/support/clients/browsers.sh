#!/bin/sh
# Makes sure that the browser tests find Chromium and Firefox: $CHROMIUM and $FIREFOX, else where systems put them. On Debian, as
# root, apt installs what is missing; elsewhere the script prints what to do.
set -eu
missing=""
command -v "${CHROMIUM:-/usr/bin/chromium}" > /dev/null || missing="chromium openssl"
command -v "${FIREFOX:-firefox-esr}" > /dev/null || [ -x /usr/bin/firefox ] || missing="$missing firefox-esr"
if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "Installing for the browser tests: $missing"
  apt-get update -qq > /dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > /dev/null
  exit 0
fi
echo "The browser tests need $missing: install it (Debian: apt-get install $missing), or set CHROMIUM and FIREFOX to the paths." >&2
exit 1
