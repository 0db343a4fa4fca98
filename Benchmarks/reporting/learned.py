"""Learned policies beside ours: 3L-Cache, LRB and GLCache as the wheel `libcachesim` of PyPI (Python 3.11) has them.

    cd Benchmarks; python3.11 -m reporting.learned PROGRAM TRACE...     prints the section of REPORT.md

Without the wheel the report has no such section.
"""
import gzip, json, os, sys, tempfile

try:
    import libcachesim
except ImportError:
    libcachesim = None

from . import measuring
from .pages import table

OURS, BOUNDS = ["hits-disk", "bytes-disk"], ["lru", "pfoo-l", "pfoo-l-bytes"]


def replay(path, make):
    """The shares of requests and of bytes that a policy of the wheel hits; a learned one is made for its goal."""
    shape = libcachesim.ReaderInitParam(has_header=False, has_header_set=True, obj_id_is_num=True, obj_id_is_num_set=True)
    shape.time_field, shape.obj_id_field, shape.obj_size_field, shape.delimiter = 1, 2, 3, ","
    def run(goal):
        return make(goal).process_trace(libcachesim.TraceReader(path, libcachesim.TraceType.CSV_TRACE, shape))
    return 1 - run("object-miss-ratio")[0], 1 - run("byte-miss-ratio")[1]


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
            here = {row["policy"]: row for row in results if row["capacity"] == capacity}
            size = here["lru"]["capacity_bytes"]
            pairs = [(here[name]["hit_ratio"], here[name]["byte_hit_ratio"]) for name in OURS]
            pairs += [replay(plain, lambda goal: libcachesim.ThreeLCache(size, objective=goal)),
                      replay(plain, lambda goal: libcachesim.LRB(size, objective=goal)),
                      replay(plain, lambda goal: libcachesim.GLCache(size))]
            low, high, bytes_high = (here[name] for name in BOUNDS)
            yield [here["lru"]["trace"], capacity] + [
                f"{100 * (hits - low['hit_ratio']) / (high['hit_ratio'] - low['hit_ratio']):.0f} / "
                f"{100 * (size - low['byte_hit_ratio']) / (bytes_high['byte_hit_ratio'] - low['byte_hit_ratio']):.0f}"
                for hits, size in pairs]


def section(program, traces):
    lines = [line for trace in traces for line in rows(program, trace)]
    return ["## Learned policies", "The share of the gap between LRU and the bound PFOO-L that is closed, in percent: of requests / of bytes, each by the "
            "bound on it. `hits-disk` and `bytes-disk` are the disk cache of `serve` and `proxy` by `--eviction`; 3L-Cache (FAST '25), LRB and "
            f"GLCache are those of libcachesim {libcachesim.__version__}, the first two made for each of both goals. Where one closes 0 / 0 it "
            "evicts like LRU: the trace is shorter than what it waits for before it learns.",
            table(["trace", "capacity", "`hits-disk`", "`bytes-disk`", "3L-Cache", "LRB", "GLCache"], lines)]


if __name__ == "__main__":
    print("\n\n".join(section(sys.argv[1], sys.argv[2:])))
