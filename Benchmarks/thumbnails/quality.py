#!/usr/bin/env python3
"""quality.py PHOTOS [-n FILES]: how near thumbnails come to a reduction in floating point.

Each photograph is reduced by libvips, by Pillow (with draft and reducing_gap) and by `imgcache thumb`, as in the
benchmark of speed: JPEG of quality 80. The reference is the fully decoded picture, reduced by a Lanczos filter
of three lobes in floating point and not encoded at all. Boxes have the photographs' own shape, so that no engine
crops. Prints SSIM (mean over files; luma, 11x11 Gaussian window, sigma 1.5, as in Wang et al. 2004) and the greatest error of a
sample (mean and worst over files), for each engine with the JPEG's own loss and without it.
Needs the packages pyvips[binary], pillow and numpy.
"""
import argparse, io, os, subprocess, tempfile
import numpy as np
from PIL import Image

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.build/release/imgcache")
CASES = [("jpg-640x480", 160, 120), ("jpg-1200x800", 300, 200), ("jpg-1200x800", 600, 400),
         ("jpg-4000x3000", 200, 150)]


def lanczos(source, target):
    """Weights of a reduction along one axis, target x source."""
    scale = source / target
    centre = (np.arange(target) + 0.5) * scale - 0.5
    distance = (np.arange(source)[None, :] - centre[:, None]) / scale
    weights = np.where(np.abs(distance) < 3, np.sinc(distance) * np.sinc(distance / 3), 0)
    return weights / weights.sum(axis=1, keepdims=True)


def reference(data, width, height):
    picture = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=np.float64)
    down = lanczos(picture.shape[0], height)
    across = lanczos(picture.shape[1], width)
    return np.clip(np.einsum("yh,hwc,xw->yxc", down, picture, across, optimize=True), 0, 255)


def blurred(plane):
    window = np.exp(-0.5 * ((np.arange(11) - 5) / 1.5) ** 2)
    window /= window.sum()
    for axis in (0, 1):
        plane = np.apply_along_axis(lambda line: np.convolve(line, window, "valid"), axis, plane)
    return plane


def ssim(a, b):
    a, b = (picture @ [0.299, 0.587, 0.114] for picture in (a, b))
    ma, mb = blurred(a), blurred(b)
    va, vb, cov = blurred(a * a) - ma * ma, blurred(b * b) - mb * mb, blurred(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float((((2 * ma * mb + c1) * (2 * cov + c2)) /
                  ((ma * ma + mb * mb + c1) * (va + vb + c2))).mean())


def vips(data, width, height, format="JPEG"):
    import pyvips
    made = pyvips.Image.thumbnail_buffer(data, width, height=height)
    return made.jpegsave_buffer(Q=80, keep="none") if format == "JPEG" else made.pngsave_buffer()


def pillow(data, width, height, format="JPEG"):
    picture = Image.open(io.BytesIO(data))
    picture.draft("RGB", (width * 2, height * 2))
    picture = picture.convert("RGB").resize((width, height), Image.BICUBIC, reducing_gap=2.0)
    out = io.BytesIO()
    picture.save(out, format, quality=80)
    return out.getvalue()


def ours(folder, names, width, height, format):
    with tempfile.TemporaryDirectory() as out:
        for name in names:
            subprocess.run([PROGRAM, "thumb", os.path.join(folder, name), "--size", f"{width}x{height}", "--fit", "inside",
                            "--format", format, "-o", os.path.join(out, name + "." + format)], check=True)
        return [open(os.path.join(out, name + "." + format), "rb").read() for name in names]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("photos")
    arguments.add_argument("-n", type=int, default=12)
    options = arguments.parse_args()
    print("case\tengine\tSSIM\tgreatest error, mean\tworst")
    for variant, width, height in CASES:
        folder = os.path.join(options.photos, variant)
        names = sorted(os.listdir(folder))[:options.n]
        data = [open(os.path.join(folder, name), "rb").read() for name in names]
        truth = [reference(d, width, height) for d in data]
        engines = {
            "imgcache": ours(folder, names, width, height, "jpeg"),
            "libvips": [vips(d, width, height) for d in data],
            "Pillow": [pillow(d, width, height) for d in data],
            "imgcache, lossless": ours(folder, names, width, height, "png"),
            "libvips, lossless": [vips(d, width, height, "PNG") for d in data],
            "Pillow, lossless": [pillow(d, width, height, "PNG") for d in data],
        }
        for engine, made in engines.items():
            shown = [np.asarray(Image.open(io.BytesIO(m)).convert("RGB"), dtype=np.float64) for m in made]
            errors = [np.abs(s - t).max() for s, t in zip(shown, truth)]
            likeness = np.mean([ssim(s, t) for s, t in zip(shown, truth)])
            print(f"{variant} -> {width}x{height}\t{engine}\t{likeness:.4f}\t{np.mean(errors):.1f}\t{max(errors):.0f}",
                  flush=True)


main()
