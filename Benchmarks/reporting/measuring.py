"""Runs the benchmarks and the simulator; what they say as rows."""
import json, os, re, subprocess, sys
from dataclasses import dataclass

from . import HERE, ROOT


@dataclass
class Row:
    """A comparison: nanoseconds an operation of ours and of the baseline, and ratios (median, least, greatest)."""
    area: str
    name: str
    beside: str
    clock: str
    ours: float = 0
    limit: float = 0
    ratio: tuple = None

    @property
    def threads(self):
        return self.beside == "1 thread"


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def build(root, product):
    """Builds a product for release and returns its path."""
    say(f"building {product}")
    place = ["--package-path", root, "-c", "release", "--product", product]
    run(["swift", "build", *place])
    return os.path.join(run(["swift", "build", *place, "--show-bin-path"]).strip(), product)


# The areas, and below Sources what each measures. A test fails once these have changed too much since the report.
AREAS = {
    "codec": ["CImageCodecs", "ImageCodecs"],
    "resize": ["ImageCodecs"],
    "thumbnail": ["CImageCodecs", "ImageCodecs"],
    "memory": ["CachePolicies"],
    "disk": ["DiskCaching"],
    "loader": ["ImagePipeline", "LoadScheduling"],
    "prefetch": ["DiskCaching", "ImagePipeline", "LoadScheduling"],
    "serve": ["HTTPListening", "ThumbnailServer"],
}
SIMULATION = ["CachePolicies", "CacheSimulation"]


def comparisons(areas):
    """Measures all comparisons of some areas, or of all."""
    rows = []
    for area in areas or AREAS:
        say(f"measuring {area}")
        target = area.capitalize() + "Benchmarks"
        text = run(["swift", "package", "--package-path", HERE, "benchmark", "--target", target, "--no-progress",
                    "--quiet", "--format", "jmh", "--path", "stdout"])
        line = next((line for line in text.splitlines() if line.startswith("[{")), None)
        if line is None:
            sys.exit(f"{target} said nothing:\n{text[-2000:]}")
        for entry in json.loads(line):
            name = entry["benchmark"].removeprefix(f"package.benchmark.{target}.").replace("_", " ")
            row = Row(area, *re.fullmatch(r"(.*) \(beside: (.*), clock: (.*)\)", name).groups())
            rows.append(row)
            ours, limit, ratio = (entry["secondaryMetrics"][name]["scorePercentiles"]
                                  for name in ("ours, ns", "limit, ns", "ratio, 1/1000"))
            row.ours, row.limit = ours["50.0"], limit["50.0"]
            if row.beside:
                row.ratio = tuple(ratio[key] / 1000 for key in ("50.0", "0.0", "100.0"))
    # The tool's own order differs between runs.
    order = list(areas or AREAS)
    return sorted(rows, key=lambda row: (order.index(row.area), row.name))


POLICIES = ["lru", "sieve", "s3-fifo", "arc", "slru", "w-tinylfu", "gdsf", "gdsf-tb", "lhd-tb"]
CAPACITIES = ["0.1%", "1%", "10%"]


def made_traces(program, folder):
    """Traces that need nothing from elsewhere: days of image traffic, by seeds."""
    traces = []
    for mode, seeds in (("client", (1, 2, 3)), ("edge", (1, 2))):
        for seed in seeds:
            path = os.path.join(folder, f"days-{mode}-{seed}.csv")
            run([program, "simulate", "--generate", "days", "--mode", mode, "--seed", seed, "-o", path])
            traces.append(path)
    return traces


def hits(program, traces, plots):
    """Simulates every trace with every policy; draws a plot for each."""
    results = []
    for trace in traces:
        say(f"simulating {os.path.basename(trace)}")
        name = os.path.basename(trace).removesuffix(".gz").removesuffix(".csv")
        text = run([program, "simulate", trace, "--policy", ",".join(POLICIES + ["pfoo-l"]), "--capacity",
                    ",".join(CAPACITIES), "--json", "--no-progress", "--plot", os.path.join(plots, f"hits-{name}.svg")])
        results += [json.loads(line) for line in text.splitlines()]
    return results
