#!/usr/bin/env python3
"""Compares the processor time of two builds of imgcache, taking turns round by round.

    compare_builds.py BEFORE AFTER PHOTO.jpg [ROUNDS [IMAGES]]

Cold and hot thumbnails of `serve`, and `prefetch` of 150 images without and with three thumbnails
each, and without a check. Every image is the photo with another comment. Prints the medians, and the ratio after/before
with its least and greatest. Needs curl and wrk.
"""

import http.server
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import urllib.parse

PHOTO = pathlib.Path(sys.argv[3]).read_bytes()
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
COUNT = int(sys.argv[5]) if len(sys.argv) > 5 else 150
SIZES = ["--thumbnails", "100x100", "--thumbnails", "200x200", "--thumbnails", "400x400"]


class Origin(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        number = re.search(r"(\d+)\.jpg", self.path)[1]
        body = PHOTO[:2] + b"\xff\xfe\x00\x12" + number.zfill(16).encode() + PHOTO[2:]
        self.send_response(200)
        self.send_header("Content-Type", "image/jpeg")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=10000")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
threading.Thread(target=origin.serve_forever, daemon=True).start()


def source(number):
    return f"http://127.0.0.1:{origin.server_port}/{number}.jpg"


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def served(program, measure):
    """Starts a server, and returns the processor seconds a request that `measure` counts."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--json", "--cache-dir", f"{folder}/c",
             "--allow-host", "127.0.0.1", "--allow-private-network"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            port = json.loads(server.stdout.readline())["port"]

            def thumbnail(number):
                url = urllib.parse.quote(source(number), safe="")
                return f"http://127.0.0.1:{port}/thumb?url={url}&w=200&h=200"

            subprocess.run(["curl", "-sf", "-o", "/dev/null", thumbnail(9999)], check=True)
            before = processor_seconds(server.pid)
            count = measure(thumbnail, folder)
            return (processor_seconds(server.pid) - before) / count
        finally:
            server.terminate()
            server.wait()


def cold(thumbnail, folder):
    urls = pathlib.Path(folder, "urls")
    urls.write_text(
        "".join(f'url="{thumbnail(n)}"\noutput="/dev/null"\n' for n in range(COUNT)))
    subprocess.run(["curl", "-sf", "-K", urls], check=True)
    return COUNT


def hot(thumbnail, _):
    wrk = ["wrk", "-t1", "-c8", "-d3s", thumbnail(9999)]
    report = subprocess.run(wrk, capture_output=True, text=True, check=True).stdout
    return int(re.search(r"(\d+) requests in", report)[1])


def prefetched(program, options):
    with tempfile.TemporaryDirectory() as folder:
        feed = pathlib.Path(folder, "list.txt")
        feed.write_text("".join(f"{source(n)}\n" for n in range(COUNT)))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [program, "prefetch", "--feed", feed, "--cache-dir", f"{folder}/c", "--quiet",
             "--allow-private-network", *options], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / COUNT


CASES = [
    ("a cold thumbnail, ms", 1e3, lambda program: served(program, cold)),
    ("a hot thumbnail, us", 1e6, lambda program: served(program, hot)),
    ("prefetch, ms an image", 1e3, lambda program: prefetched(program, [])),
    ("the same with three thumbnails, ms", 1e3, lambda program: prefetched(program, SIZES)),
    ("prefetch --check none, ms", 1e3, lambda program: prefetched(program, ["--check", "none"])),
]
for name, unit, run in CASES:
    rounds = [(run(sys.argv[1]) * unit, run(sys.argv[2]) * unit) for _ in range(ROUNDS)]
    first, second = (sorted(column)[ROUNDS // 2] for column in zip(*rounds))
    ratios = sorted(after / before for before, after in rounds)
    print(f"{name}: {first:.2f}, {second:.2f}, ratio {ratios[ROUNDS // 2]:.2f} "
          f"({ratios[0]:.2f} to {ratios[-1]:.2f})", flush=True)
