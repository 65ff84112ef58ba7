#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs hiredis, nats.c, our sockets and our timers at the same time on one uv_loop_t, then on one event_base: COUNT operations each.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'kill "${redis:-}" "${nats:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --appendonly no --dir "$folder" >"$folder/redis.log" 2>&1 &
redis=$!
nats-server -a 127.0.0.1 -p -1 --ports_file_dir "$folder" >"$folder/nats.log" 2>&1 &
nats=$!
for _ in $(seq 600); do
    # nats-server writes the file in two steps.
    url=$(grep -ohE 'nats://[0-9.]+:[0-9]+' "$folder"/*.ports 2>/dev/null | head -1 || true)
    [ -S "$folder/redis.sock" ] && [ -n "$url" ] && break
    sleep 0.1
done
[ -n "${url:-}" ] && [ -S "$folder/redis.sock" ] || { cat "$folder"/*.log >&2; exit 1; }
program=$(${SWIFT:-swift} build --scratch-path ../../Examples/.build -c release --show-bin-path)/guest-clients
for loop in libuv libevent; do
    "$program" "$loop" "$folder/redis.sock" "$url" "${COUNT:-100000}"
    redis-cli -s "$folder/redis.sock" del guests >/dev/null
done
