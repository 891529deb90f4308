"""chart.py - Lines over steps as a PNG, without a library for it: 24-bit pixels, deflated."""
import struct
import zlib

WIDTH, HEIGHT, LEFT, BOTTOM = 900, 540, 70, 40
COLORS = ((31, 119, 180), (214, 90, 20), (44, 140, 60), (150, 60, 160))
# Three by five pixels, a row in three bits.
DIGITS = dict(zip("0123456789.-", (0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71111, 0o75757, 0o75717, 0o00002,
                                   0o00700)))


class Picture:
    def __init__(self):
        self.rows = [bytearray(b"\xff" * (3 * WIDTH)) for _ in range(HEIGHT)]

    def dot(self, x, y, color):
        if 0 <= x < WIDTH and 0 <= y < HEIGHT:
            self.rows[y][3 * x : 3 * x + 3] = bytes(color)

    def line(self, x0, y0, x1, y1, color):
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for i in range(steps + 1):
            x, y = x0 + (x1 - x0) * i // steps, y0 + (y1 - y0) * i // steps
            self.dot(x, y, color)
            self.dot(x, y + 1, color)

    def text(self, x, y, text, scale=2):
        for place, letter in enumerate(text):
            for bit in range(15):
                if DIGITS[letter] >> (14 - bit) & 1:
                    for dx in range(scale):
                        for dy in range(scale):
                            self.dot(x + scale * (4 * place + bit % 3) + dx, y + scale * (bit // 3) + dy, (60, 60, 60))

    def png(self):
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in self.rows), 9)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


def save(path, curves):
    """`curves` is a list of lists of numbers; those of one color, every second list, belong together."""
    picture = Picture()
    values = [value for curve in curves for value in curve]
    low, high, steps = min(values), max(values), max(len(curve) for curve in curves)
    span = high - low or 1.0

    def place(step, value):
        return (LEFT + (WIDTH - LEFT - 20) * step // max(steps - 1, 1),
                int(20 + (HEIGHT - BOTTOM - 20) * (high - value) / span))

    for part in range(5):
        value, step = low + span * part / 4, (steps - 1) * part // 4
        (x, _), (_, y) = place(step, low), place(0, value)
        picture.line(LEFT, y, WIDTH - 20, y, (225, 225, 225))
        picture.text(8, y - 5, f"{value:.2f}")
        picture.text(x - 8, HEIGHT - BOTTOM + 14, str(step))
    for number, curve in enumerate(curves):
        points = [place(step, value) for step, value in enumerate(curve)]
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            picture.line(x0, y0, x1, y1, COLORS[number % 2])
    with open(path, "wb") as file:
        file.write(picture.png())
