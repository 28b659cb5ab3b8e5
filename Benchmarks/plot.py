"""Pictures of how cost grows: both scales logarithmic, so that a power is a straight line and its exponent the slope."""
import math
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 360, 90, 230, 64, 52
COLOURS = ["#b3261e", "#1a5fb4", "#26803a", "#8a5a00", "#6b3fa0", "#444444"]
GREY, INK, LINE = "#555555", "#1a1a1a", "#d8d8d8"


def exponent(points):
    """The power of x that y grows with: the slope of the straight line through the logarithms (least squares)."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x, mean_y = (sum(axis) / len(logs) for axis in zip(*logs))
    over = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return over / sum((x - mean_x) ** 2 for x, _ in logs)


def decades(values):
    """The powers of ten that the values lie between, at least one apart."""
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return low, max(high, low + 1)


def number(power):
    """A power of ten as people write it."""
    return f"{10 ** power:,}" if power >= 0 else f"{10.0 ** power:.{-power}f}"


def text(words, x, y, style):
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(words)}</text>'


def picture(title, across, up, series):
    """One picture; `series` are names with points (x, y). What is not positive has no place in it."""
    series = [(name, [(x, y) for x, y in points if x > 0 and y > 0]) for name, points in series]
    series = [(name, points) for name, points in series if points]
    (x0, x1), (y0, y1) = (decades([point[axis] for _, points in series for point in points]) for axis in (0, 1))

    def place(x, y):
        return (LEFT + (math.log10(x) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (math.log10(y) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        text(title, 16, 26, f'font-size="17" font-weight="600" fill="{INK}"'),
        text(up, 16, 46, f'fill="{GREY}"'),
        text(across, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, f'fill="{GREY}" text-anchor="middle"'),
    ]
    for power in range(y0, y1 + 1):
        y = place(10.0 ** x0, 10.0 ** power)[1]
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{LINE}"/>')
        lines.append(text(number(power), LEFT - 8, y + 4, f'fill="{GREY}" text-anchor="end"'))
    for power in range(x0, x1 + 1):
        x = place(10.0 ** power, 10.0 ** y0)[0]
        lines.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{LINE}"/>')
        lines.append(text(number(power), x, HEIGHT - BOTTOM + 18, f'fill="{GREY}" text-anchor="middle"'))
    for order, (name, points) in enumerate(series):
        colour, places = COLOURS[order % len(COLOURS)], [place(*point) for point in points]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        lines.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
        lines.append(text(name, WIDTH - RIGHT + 16, TOP + 14 + 40 * order, f'font-weight="600" fill="{colour}"'))
        lines.append(text(grows(points), WIDTH - RIGHT + 16, TOP + 31 + 40 * order, f'fill="{colour}"'))
    return "\n".join(lines + ["</svg>"]) + "\n"


def grows(points):
    """The exponent in words."""
    power = exponent(points)
    return "one point" if power is None else f"exponent {power:.2f}".replace("-0.00", "0.00")
