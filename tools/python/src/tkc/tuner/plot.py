"""plot.py - A drawing of a search: of each shape the times of its candidates beside the best one's, and the default's."""
import html
import os

from ..errors import CompileError
from .shapes import describe

LEFT, WIDTH, ROW, TOP = 300, 560, 22, 60
MOST = 2.0  # times of the best: those beyond it are at the edge
STYLE = ("text{font:12px sans-serif;fill:#333}.head{font-weight:bold;font-size:14px}.line{stroke:#ccc}.dot{fill:#7a9cc6;fill-opacity:.6}"
         ".best{fill:#1b6e3c}.default{fill:none;stroke:#c0392b;stroke-width:2}"
         "@media(prefers-color-scheme:dark){svg{background:#1d1f21}text{fill:#ddd}.line{stroke:#555}}")


def _place(ratio):
    return LEFT + WIDTH * (min(ratio, MOST) - 1) / (MOST - 1)


def _entry(entry, top):
    parts = [f'<text class="head" x="12" y="{top}">{html.escape(entry["kernel"])} on {html.escape(entry["device"])}, '
             f'{html.escape(entry["date"])}: time of each candidate beside the best one\'s</text>']
    bottom = top + 30 + ROW * len(entry["shapes"])
    for ratio in (1.0, 1.25, 1.5, 1.75, 2.0):
        label = f"{ratio:g}{' and more' if ratio == MOST else ''}"
        parts.append(f'<line class="line" x1="{_place(ratio)}" x2="{_place(ratio)}" y1="{top + 14}" y2="{bottom - 8}"/>'
                     f'<text x="{_place(ratio)}" y="{bottom + 6}" text-anchor="middle">{label}</text>')
    for number, shape in enumerate(entry["shapes"]):
        y = top + 30 + ROW * number
        parts.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{html.escape(describe(shape["arguments"], 44))}</text>')
        best = min(shape["times"].values())
        for candidate, ms in sorted(shape["times"].items(), key=lambda item: -item[1]):
            kind = "best" if int(candidate) == shape["best"] else "dot"
            title = html.escape(f"{entry['instances'][int(candidate)]['function']}: {ms:.4f} ms")
            parts.append(f'<circle class="{kind}" cx="{_place(ms / best):.1f}" cy="{y}" r="4"><title>{title}</title></circle>')
        parts.append(f'<circle class="default" cx="{_place(shape["default_ms"] / best):.1f}" cy="{y}" r="6"><title>default: '
                     f'{shape["default_ms"]:.4f} ms</title></circle>')
        parts.append(f'<text x="{LEFT + WIDTH + 16}" y="{y + 4}">{100 * (shape["default_ms"] / shape["ms"] - 1):+.1f} %</text>')
    return parts, bottom + 40


def draw(entries):
    top, parts = TOP - 30, []
    for entry in entries:
        more, top = _entry(entry, top)
        parts += more
    key = (f'<circle class="best" cx="20" cy="{top}" r="4"/><text x="30" y="{top + 4}">best</text>'
           f'<circle class="default" cx="80" cy="{top}" r="6"/><text x="92" y="{top + 4}">the default, and how much faster the best is</text>')
    size = f'width="{LEFT + WIDTH + 90}" height="{top + 20}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{STYLE}</style>\n' + "\n".join([*parts, key]) + "\n</svg>\n"


def write_plot(path, entries):
    unnamed = f"{path}.{os.getpid()}.new"
    try:
        with open(unnamed, "w", encoding="utf-8") as file:
            file.write(draw(entries))
        os.replace(unnamed, path)
    except OSError as error:
        raise CompileError(f"cannot write '{path}': {error.strerror}") from None
