"""The report as Markdown, and the part of it that README quotes."""
from .measuring import AREAS, CAPACITIES, POLICIES, SIMULATION
from .plots import rate

# What README shows: area, name, description, and whether its time or its ratio is shown.
QUOTED = [
    ("codec", "decode JPEG 1200x800", "a JPEG of 1200x800 to pixels"),
    ("codec", "decode PNG 1200x800", "a PNG of 1200x800 to pixels"),
    ("thumbnail", "JPEG 1200x800 → 200x200", "a thumbnail of it, 200x200, as a file"),
    ("disk", "hit, checksum compared", "a hit on disk, 20 kB, checksum compared"),
    ("disk", "store", "a store on disk, 20 kB: hash, file, index"),
    ("memory", "hit, lru", "a hit in the memory tier"),
    ("loader", "image(for:), a hit in memory", "`image(for:)`, a hit in memory"),
    ("prefetch", "warm, a picture of 640x480", "an image of a set that is already on disk"),
]


def duration(nanoseconds):
    for factor, unit in ((1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= factor:
            return f"{nanoseconds / factor:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def ratio(row):
    return "{:.2f} ({:.2f} to {:.2f})".format(*row.ratio)


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
                     + ["| " + " | ".join(line) + " |" for line in lines])


def gaps(results, policy, capacity):
    """The share of the gap between LRU and the bound that a policy closes, of every trace."""
    return [100 * result["gap_closed"] for result in results
            if (result["policy"], result["capacity"]) == (policy, capacity) and result.get("gap_closed") is not None]


def mean(values):
    return sum(values) / len(values)


def quoted(rows, results, traces):
    """The table that README quotes: a part of the report, so every figure is in the report."""
    known = {(row.area, row.name): row for row in rows}
    lines = [[words, known[area, name].beside, duration(known[area, name].ours), ratio(known[area, name])]
             for area, name, words in QUOTED if (area, name) in known]
    out = [table(["operation", "compared with", "processor time", "ratio (range)"], lines)] if lines else []
    if results:
        shares = ", ".join(f"{mean(gaps(results, 'gdsf-tb', c)):.0f}" for c in CAPACITIES)
        plain = ", ".join(f"{mean(gaps(results, 'sieve', c)):.0f}" for c in CAPACITIES)
        out.append(f"Hits of GDSF-TB, the policy of `serve`'s memory, at 0.1, 1 and 10 % of the bytes of {traces} traces: {shares} % of the gap\n"
                   f"between LRU and the best possible are closed (SIEVE: {plain} %).")
    return "\n\n".join(out)


def sources(rows, results):
    """What the figures measure, as the test of their age reads it."""
    lines = [[area, ", ".join(AREAS[area])] for area in dict.fromkeys(row.area for row in rows)]
    lines += [["hits", ", ".join(SIMULATION)]] if results else []
    return ["## Sources", "What the figures of each area measure, below `Sources`. Once a tenth of it has changed since the commit of the "
            "report, a test fails until a new report is written.", table(["area", "sources"], lines)]


def hits(results, names):
    lines = []
    for policy in POLICIES[1:]:
        cells = [gaps(results, policy, capacity) for capacity in CAPACITIES]
        lines.append([f"`{policy}`"] + [f"{mean(cell):.1f} ({min(cell):.1f})" for cell in cells])
    parts = ["## Hits", "The share of the gap in hits between LRU and the bound PFOO-L that a policy closes, in percent: "
             "mean over the traces (and the worst), at capacities that are shares of the bytes.",
             table(["policy"] + CAPACITIES, lines),
             "One trace after the other, all policies over capacities:"]
    parts += [f"![hits of {name}](plots/hits-{name}.svg)" for name in names]
    speed = []
    for name in names:
        cells = [next(r["ns_per_request"] for r in results
                      if (r["trace"], r["policy"], r["capacity"]) == (name, policy, "1%")) for policy in POLICIES]
        speed.append([name] + [f"{1e3 / cell:.1f}" for cell in cells])
    parts += ["Million requests a second at 1 % of the bytes, policies side by side on all cores:",
              table(["trace"] + POLICIES, speed)]
    return parts


def throughput(rows):
    parts = ["## Throughput", "Both sides by turns in one run. Processor time of the whole process, or, where it says so, time by the wall. "
             "The ratio is the middle of the rounds' ratios, with the least and the greatest."]
    for area in dict.fromkeys(row.area for row in rows):
        mine = [row for row in rows if row.area == area]
        if any(row.ratio and not row.threads for row in mine):
            parts.append(f"### {area}\n\n![{area}](plots/throughput-{area}.svg)")
        lines = [[row.name, row.beside or "–", duration(row.limit) if row.ratio else "–",
                  duration(row.ours) + (" (wall)" if row.clock == "wall" else ""), rate(row.ours) + "/s",
                  ratio(row) if row.ratio else "–"] for row in mine if not row.threads]
        parts.append(table(["what", "beside", "that took", "ours", "which is", "ratio"], lines))
    return parts


def scaling(rows):
    lines = [[f"{row.area}: {row.name}", "{:.2f} ({:.2f} to {:.2f})".format(
        1 / row.ratio[0], 1 / row.ratio[2], 1 / row.ratio[1])] for row in rows]
    return ["## Two threads", "Times the throughput of one thread, by the wall, so on a machine with nothing else to do.",
            "![scaling](plots/scaling.svg)", table(["what", "times"], lines)]
