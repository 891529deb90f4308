"""charts.py - Bar charts as SVG text: the same numbers give the same bytes, in colours for light and dark pages.

Labels stand above their bars and values after them, so that a chart is legible on a narrow screen, too.
"""

from xml.sax.saxutils import escape

WIDTH, MARGIN = 640, 12
LONGEST = 360  # of a bar
LINE, BAR, GAP = 26, 22, 14  # heights: of a label, of a bar, and between groups
STYLE = """
  text { font: 19px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 22px; } .small { font-size: 17px; fill: #59636e; }
  .ours { fill: #0969da; } .peer { fill: #afb8c1; } .elsewhere { fill: none; stroke: #818b98; stroke-width: 1.5; }
  .line { stroke: #d1242f; stroke-width: 3; }
  .range { stroke: #1f2328; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .small { fill: #9198a1; } .ours { fill: #4493f8; } .peer { fill: #656c76; }
    .elsewhere { stroke: #9198a1; } .line { stroke: #f85149; } .range { stroke: #f0f6fc; }
  }
"""


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def text(x, y, words, kind="", anchor=""):
    attributes = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{number(x)}" y="{number(y)}"{attributes}>{escape(words)}</text>'


def rectangle(x, y, width, height, kind):
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="2" class="{kind}"/>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="{kind}"/>'


def picture(title, height, parts):
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(height)}" width="{WIDTH}" height="{number(height)}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


def heading(title, unit):
    """What stands above the bars, and where they begin."""
    return [text(MARGIN, 30, title, "title"), text(MARGIN, 56, unit, "small")], 68


def bars(title, unit, groups, note=""):
    """`groups` are (label, [(name, value, kind), ...], mark), where a line stands at the mark."""
    scale = LONGEST / max(length for _, shown, mark in groups for length in [mark, *(bar[1] for bar in shown)])
    parts, y = heading(title, unit)
    for label, shown, mark in groups:
        parts.append(text(MARGIN, y + LINE - 7, label))
        y += LINE
        place, first = MARGIN + mark * scale, y
        for name, length, kind in shown:
            end = MARGIN + length * scale
            parts.append(rectangle(MARGIN, y + 1, length * scale, BAR - 3, kind))
            parts.append(text((place if end < place < end + 200 else end) + 8, y + BAR - 5, name, "small"))
            y += BAR
        parts.append(line(place, first - 3, place, y + 2, "line"))
        y += GAP
    if note:
        parts.append(text(MARGIN, y + 8, note, "small"))
        y += LINE
    return picture(title, y, parts)


def ranges(title, unit, groups):
    """`groups` are (label, mean, least, most, peers); a line stands at 1. A range that leaves the chart has no end."""
    most = 2.5
    scale = LONGEST / most
    place = MARGIN + scale
    parts, y = heading(title, unit)
    for label, mean, low, high, peers in groups:
        parts.append(text(MARGIN, y + LINE - 7, label))
        parts.append(text(WIDTH - MARGIN, y + LINE - 7, peers, "small", "end"))
        y += LINE
        parts.append(rectangle(MARGIN, y + 1, min(mean, most) * scale, BAR - 3, "ours"))
        parts.append(line(place, y - 3, place, y + BAR + 2, "line"))
        middle = y + BAR / 2 - 0.5
        parts.append(line(MARGIN + low * scale, middle, MARGIN + min(high, most) * scale, middle, "range"))
        for end in (low, high):
            if end <= most:
                parts.append(line(MARGIN + end * scale, middle - 6, MARGIN + end * scale, middle + 6, "range"))
        said = f"{mean:.2f} ({low:.2f} to {high:.2f})"
        parts.append(text(MARGIN + LONGEST + 12, y + BAR - 5, said))
        y += BAR + GAP
    return picture(title, y, parts)
