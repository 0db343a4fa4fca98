"""Learned policies beside ours: 3L-Cache, LRB and GLCache as the wheel `libcachesim` of PyPI (Python 3.11) has them.

    cd Benchmarks; python3.11 -m reporting.learned PROGRAM TRACE...     prints the section of REPORT.md

Without the wheel the report has no such section.
"""
import gzip, importlib.util, json, os, subprocess, sys, tempfile

from . import measuring
from .pages import table

is_installed = importlib.util.find_spec("libcachesim") is not None
OURS, BOUNDS = ["hits-disk", "bytes-disk"], ["lru", "pfoo-l", "pfoo-l-bytes"]
THEIRS = {"3L-Cache": "ThreeLCache", "LRB": "LRB", "GLCache": "GLCache"}

# In a process of its own: GLCache ends some by a segmentation fault. Prints the shares of requests and of bytes missed.
REPLAY = """
import sys, libcachesim as sim
shape = sim.ReaderInitParam(has_header=False, has_header_set=True, obj_id_is_num=True, obj_id_is_num_set=True)
shape.time_field, shape.obj_id_field, shape.obj_size_field, shape.delimiter = 1, 2, 3, ","
path, name, size, goal = sys.argv[1:]
cache = getattr(sim, name)(int(size), **({} if name == "GLCache" else {"objective": goal}))
print(*cache.process_trace(sim.TraceReader(path, sim.TraceType.CSV_TRACE, shape)))
"""


def replay(path, name, size):
    """The shares of requests and of bytes that a policy hits, made for each of both goals; `None` where it crashes."""
    hits = []
    for place, goal in enumerate(("object-miss-ratio", "byte-miss-ratio")):
        done = subprocess.run([sys.executable, "-c", REPLAY, path, name, str(size), goal], capture_output=True, text=True)
        if done.returncode:
            return None
        hits.append(1 - float(done.stdout.split()[-2:][place]))
    return hits


def rows(program, trace):
    """A line for each capacity: by policy the gap closed in requests and in bytes."""
    text = measuring.run([program, "simulate", trace, "--policy", ",".join(BOUNDS + OURS), "--capacity",
                          ",".join(measuring.CAPACITIES), "--json", "--no-progress"])
    results = [json.loads(line) for line in text.splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "trace.csv")
        with (gzip.open if trace.endswith(".gz") else open)(trace, "rb") as packed, open(plain, "wb") as file:
            file.write(packed.read())
        for capacity in measuring.CAPACITIES:
            here = {row["policy"]: (row["hit_ratio"], row["byte_hit_ratio"]) for row in results if row["capacity"] == capacity}
            size = next(row["capacity_bytes"] for row in results if row["capacity"] == capacity)
            low, bound = here["lru"], (here["pfoo-l"][0], here["pfoo-l-bytes"][1])
            pairs = [here[name] for name in OURS] + [replay(plain, name, size) for name in THEIRS.values()]
            line = [" / ".join(f"{100 * (hit - least) / (most - least):.0f}" for hit, least, most in zip(pair, low, bound))
                    if pair else "crashes" for pair in pairs]
            measuring.say(f"{results[0]['trace']} {capacity}: {line}")
            yield [results[0]["trace"], capacity] + line


def section(program, traces):
    lines = [line for trace in traces for line in rows(program, trace)]
    return ["## Learned policies", "The share of the gap between LRU and the bound PFOO-L that is closed, in percent: of requests / of bytes, each by the\n"
            "bound on it. `hits-disk` and `bytes-disk` are the disk cache of `serve` and `proxy` by `--eviction`; 3L-Cache (FAST '25), LRB\n"
            "and GLCache are those of the wheel `libcachesim` on Python 3.11, the first two made for each of both goals. Where one closes\n"
            "0 / 0 it evicts like LRU: the trace ends before it has learned.",
            table(["trace", "capacity", "`hits-disk`", "`bytes-disk`", *THEIRS], lines)]


if __name__ == "__main__":
    print("\n\n".join(section(sys.argv[1], sys.argv[2:])))
