#!/usr/bin/env bash
# Renews cmd/moonio/default.pgo, by which the compiler knows what is worth inlining: profiles of
# the benchmarks of the hot paths, merged. Run it from the top of the repository.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

profile() { # package, benchmarks
  go test "./$1" -run '^$' -bench "$2" -benchtime 3s -o "$dir/test" -cpuprofile "$dir/${1//\//-}.prof"
}

profile engine/run 'Null|Replay|Verified'
profile engine/uring .
profile engine/aio .
profile engine/pool .
profile engine/psync .
profile engine/mmap .
profile engine/sim .
profile vm ClientsNull
go tool pprof -proto "$dir"/*.prof >cmd/moonio/default.pgo
