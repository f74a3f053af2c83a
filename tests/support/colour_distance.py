"""How far apart colours look: CIEDE2000 (CIE 142-2001; Sharma, Wu, Dalal 2005) of sRGB colours under D65."""

import itertools
import math
import re


def rgb(text):
    """'#3f8cc4', 'rgb(63, 140, 196)' or 'rgba(...)' as three numbers from 0 to 255."""
    if text.startswith("#"):
        return tuple(int(text[at:at + 2], 16) for at in (1, 3, 5))
    return tuple(float(number) for number in re.findall(r"[\d.]+", text)[:3])


def lab(colour):
    """CIE L*, a*, b* of a colour as rgb() takes it."""
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
                        for value in (part / 255 for part in rgb(colour)))
    # IEC 61966-2-1, each over its white.
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    x, y, z = (value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116 for value in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one, other):
    """The distance of two colours in Lab, with kL = kC = kH = 1."""
    mean_chroma = (math.hypot(*one[1:]) + math.hypot(*other[1:])) / 2
    stretch = 1.5 - 0.5 * math.sqrt(mean_chroma ** 7 / (mean_chroma ** 7 + 25 ** 7))
    (l1, a1, b1), (l2, a2, b2) = ((l, a * stretch, b) for l, a, b in (one, other))
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    if c1 * c2 == 0:
        mean = h1 + h2
    elif abs(h1 - h2) <= 180:
        mean = (h1 + h2) / 2
    else:
        mean = ((h1 + h2 + 360) / 2) % 360
    weight = (1 - 0.17 * math.cos(math.radians(mean - 30)) + 0.24 * math.cos(math.radians(2 * mean))
              + 0.32 * math.cos(math.radians(3 * mean + 6)) - 0.20 * math.cos(math.radians(4 * mean - 63)))
    of_light = 1 + 0.015 * (light - 50) ** 2 / math.sqrt(20 + (light - 50) ** 2)
    of_chroma = 1 + 0.045 * chroma
    of_hue = 1 + 0.015 * chroma * weight
    rotation = (-2 * math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7))
                * math.sin(math.radians(60 * math.exp(-((mean - 275) / 25) ** 2))))
    light, chroma, hue = (l2 - l1) / of_light, (c2 - c1) / of_chroma, hue / of_hue
    return math.sqrt(light ** 2 + chroma ** 2 + hue ** 2 + rotation * chroma * hue)


def distance(one, other):
    """CIEDE2000 of two colours as rgb() takes them."""
    return ciede2000(lab(one), lab(other))


def nearest(colours):
    """(distance, one, other) of the two that are nearest to each other."""
    return min(((distance(one, other), one, other) for one, other in itertools.combinations(colours, 2)),
               default=(math.inf, "", ""))
