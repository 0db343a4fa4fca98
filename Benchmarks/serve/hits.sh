# The shared parts of the comparisons of hits. Source it, with $peers and $work set.

# ready PORT PATH: waits until a server answers.
ready() { until curl -s -o /dev/null "http://127.0.0.1:$1$2"; do sleep 0.05; done; }

# warm PORT PATHS: requests each path three times, so that all are cached.
warm() { for _ in 1 2 3; do while read -r p; do curl -s -o /dev/null "http://127.0.0.1:$1$p"; done < "$2"; done; }

# measure NAME PORT PID PATHS KIND CORES ROUND
# One line: name, kind, cores, round, microseconds of processor time a request, p50 and p99 in ms, requests a second, errors.
# With one core the load runs on processor 1, where no server is. It has as many threads as the server has cores: with fewer,
# the event loops of the server would be idle between requests, and the figure would be the cost of waking them.
measure() {
  local cpus=1; [ "$6" = 1 ] || cpus=
  SERVER_PIDS="$3" CPUS=$cpus WRK_THREADS=$6 "$peers/load.sh" "$1" "$2" "$4" "${CONNS:-8}" "${SECS:-3}" \
    | awk -F'\t' -v head="$1 $5 $6 $7" '{ v[$3] = $NF } END { print head, v["server_cpu_us/req"], v["p50_ms"], v["p99_ms"], v["req/s"], v["errors"] }'
}

# summary RESULTS: the medians of what `measure` printed, with least and greatest, and the ratios to nginx of the same round.
summary() {
  python3 - "$1" <<'P'
import statistics, sys
rows = {}
for line in open(sys.argv[1]):
    name, kind, cores, turn, *numbers = line.split()
    rows.setdefault((kind, cores), {}).setdefault(name, {})[turn] = [float(n) for n in numbers]
def spread(values, digits): return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"
for (kind, cores), names in sorted(rows.items()):
    for name, rounds in names.items():
        micros, p50, p99, rate, errors = ([r[i] for r in rounds.values()] for i in range(5))
        ratios = [spread([r[i] / names["nginx"][t][i] for t, r in rounds.items()], 2) for i in (0, 3)]
        print(f"{kind} {cores} core(s) {name}: {spread(micros, 1)} us, {ratios[0]} of nginx; {spread(rate, 0)} requests/s, "
              f"{ratios[1]}; p50 {spread(p50, 2)} ms, p99 {spread(p99, 2)} ms; {sum(errors):.0f} errors")
kinds = {(kind, name) for (kind, cores), names in rows.items() for name in names if (kind, "1") in rows and (kind, "2") in rows}
for kind, name in sorted(kinds):
    one, two = (rows[kind, cores][name] for cores in "12")
    gains = [2 * one[t][0] / two[t][0] for t in one if t in two]
    print(f"{kind} {name}: two cores by processor time {spread(gains, 2)} of one")
P
}
