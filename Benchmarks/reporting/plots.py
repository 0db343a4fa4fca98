"""SVG drawn by hand: bars of throughput, and what a second thread brings."""
import html

OURS, BESIDE = "#1b6ca8", "#b8c4cc"
FONT = 'font-family="sans-serif" font-size="12"'


def rate(nanoseconds):
    """Operations a second, short."""
    value = 1e9 / nanoseconds
    for factor, unit in ((1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}"


def page(width, height, parts):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {FONT}>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def text(x, y, words, anchor="start", fill="#222222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{html.escape(words)}</text>'


def bars(rows):
    """For each row our throughput as a bar, relative to the baseline. Whiskers: least and greatest round."""
    left, room, step = 330, 260, 36
    width, height = left + room + 170, step * len(rows) + 46
    most = max(1.2, *(1 / row.ratio[1] for row in rows))
    scale = room / min(most, 2.5)
    parts = [text(left, 18, "operations a second; baseline = 1")]
    for index, row in enumerate(rows):
        y = 30 + index * step
        middle, high, low = (min(1 / value, 2.5) for value in row.ratio)
        parts += [
            text(left - 10, y + 12, row.name, "end"),
            text(left - 10, y + 26, row.beside, "end", "#778899"),
            f'<rect x="{left}" y="{y}" width="{middle * scale:.1f}" height="14" fill="{OURS}"/>',
            f'<path d="M{left + low * scale:.1f} {y + 7}H{left + high * scale:.1f}" stroke="#c0392b"/>',
            f'<rect x="{left}" y="{y + 16}" width="{scale:.1f}" height="10" fill="{BESIDE}"/>',
            text(left + max(middle, high) * scale + 6, y + 12, f"{1 / row.ratio[0]:.2f} ({rate(row.ours)})"),
            text(left + scale + 6, y + 26, rate(row.limit), fill="#778899"),
        ]
    parts.append(f'<path d="M{left + scale:.1f} 26V{height - 14}" stroke="#444444" stroke-dasharray="3 3"/>')
    return page(width, height, parts)


def scaling(rows):
    """Lines from one thread to two: times the throughput."""
    width, height, left, top, right = 720, 380, 50, 24, 250

    def y(value):
        return top + (2.2 - value) / 1.8 * (height - top - 50)

    parts = []
    for value in (0.5, 1, 1.5, 2):
        parts += [f'<path d="M{left} {y(value):.1f}H{width - right}" stroke="#dddddd"/>',
                  text(left - 8, y(value) + 4, f"{value:g}", "end")]
    parts += [text(left, height - 20, "1 thread", "middle"), text(width - right, height - 20, "2 threads", "middle"),
              text(left, 14, "times the throughput of one thread")]
    colors = ["#1b6ca8", "#c0392b", "#7d8a2e", "#8e44ad", "#d68910", "#117a65", "#444444", "#af601a", "#5d6d7e", "#943126"]
    floor = 0
    for index, row in enumerate(sorted(rows, key=lambda row: row.ratio[0])):
        gain, color = 1 / row.ratio[0], colors[index % len(colors)]
        at = y(max(0.45, min(gain, 2.2)))
        floor = max(at, floor + 15)
        parts += [f'<path d="M{left} {y(1):.1f}L{width - right} {at:.1f}" stroke="{color}" stroke-width="2"/>',
                  text(width - right + 8, floor + 4, f"{gain:.2f}  {row.name.removesuffix(', 2 threads')}", fill=color)]
    return page(width, height, parts)
