#!/usr/bin/env python3
"""`imgcache prefetch` against `curl --parallel`: the same URLs, the same parallelism, in one run.

    compare_with_curl.py [--imgcache PATH] [--images DIR] [-n 2000] [--parallel 16] [--delay MS]
                         [--check decode|structure|none] [--rounds 5] [--work DIR]

The origin is nginx on loopback, or, with --delay, a small threaded server that waits that long before it
answers. The two sides take turns; each round starts with empty folders. Printed are the median of the ratios
(imgcache to curl, round by round) with their least and greatest, so that a noisy neighbour shows.

--images names a folder of JPEG, PNG or GIF files (default: the embedded sample days, exported). N distinct
URLs are made over them. A second table is the silent second run: how long it takes from process start, and how
many requests the origin saw.
"""
import argparse, http.server, os, pathlib, resource, shutil, signal, socket, statistics, subprocess, sys
import tempfile, threading, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Nginx:
    """Counts its requests, unless `more`, further directives of its server, turns the log off."""

    def __init__(self, work, root, more=""):
        self.port, self.log = free_port(), work / "access.log"
        (work / "nginx").mkdir()
        conf = work / "nginx.conf"
        conf.write_text(f"""
            worker_processes 1; pid {work}/nginx.pid; error_log {work}/error.log; daemon off; user root;
            events {{ worker_connections 1024; }}
            http {{ access_log {self.log}; sendfile on; tcp_nopush on; keepalive_requests 1000000;
              types {{ image/jpeg jpg; image/png png; image/gif gif; }}
              client_body_temp_path {work}/nginx; proxy_temp_path {work}/nginx; fastcgi_temp_path {work}/nginx;
              uwsgi_temp_path {work}/nginx; scgi_temp_path {work}/nginx;
              open_file_cache max=10000 inactive=60s;
              server {{ listen 127.0.0.1:{self.port} backlog=1024; root {root};
                        add_header Cache-Control "public, max-age=86400"; {more} }} }}""")
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen([nginx, "-c", str(conf)], stderr=subprocess.DEVNULL)
        wait_for(self.port)

    def requests(self):
        time.sleep(0.1)
        return self.log.read_text().count("\n")

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Slow:
    """An origin that waits before it answers, as a distant one does."""

    def __init__(self, root, delay):
        outer = self
        self.count = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_GET(self):
                outer.count += 1
                time.sleep(delay)
                body = (root / self.path.lstrip("/")).read_bytes()
                self.send_response(200)
                self.send_header("Content-Type", "image/jpeg")
                self.send_header("Cache-Control", "public, max-age=86400")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 512

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def requests(self):
        return self.count

    def stop(self):
        self.server.shutdown()


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit("the origin did not start")


def measured(command, **options):
    """Runs a command; returns seconds, processor seconds, peak kilobytes and what it printed."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, **options)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        seconds = time.monotonic() - start
        error = process.stderr.read().decode(errors="replace")
        out.seek(0)
        text = out.read().decode(errors="replace")
    if status != 0:
        sys.exit(f"{command[0]} ended with {status >> 8 or status}: {error[-600:]}{text[-300:]}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, text


def spread(values, unit=""):
    return f"{statistics.median(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--imgcache", default=str(ROOT / ".build/release/imgcache"))
    p.add_argument("--images", type=pathlib.Path)
    p.add_argument("-n", type=int, default=2000)
    p.add_argument("--parallel", type=int, default=16)
    p.add_argument("--delay", type=float, default=0, help="milliseconds")
    p.add_argument("--check", default="structure")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--work", type=pathlib.Path, default=None, help="default: a folder in /dev/shm or /tmp")
    a = p.parse_args()

    in_folder(a.work, lambda work: run(a, work))


def in_folder(parent, body):
    """Calls `body` with a new folder, which is removed in the end."""
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    work = pathlib.Path(tempfile.mkdtemp(prefix="imgcache-bench-", dir=parent or base))
    try:
        return body(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def run(a, work):
    names, total = fill(work / "www", pictures(a.images or sample(a.imgcache, work)), a.n)
    origin = Slow(work / "www", a.delay / 1000) if a.delay else Nginx(work, work / "www")
    try:
        compare(a, work, names, total, origin)
    finally:
        origin.stop()


def sample(imgcache, work):
    """The folder of the embedded sample days."""
    subprocess.run([imgcache, "prefetch", "--sample", "--days", "3", "--quiet", "--cache-dir", work / "s",
                    "--export", work / "sample"], check=True, stdout=subprocess.DEVNULL)
    return work / "sample"


def pictures(folder):
    files = sorted(f for f in folder.rglob("*") if f.suffix in (".jpg", ".jpeg", ".png", ".gif"))
    return files or sys.exit(f"no images under {folder}")


def fill(root, files, n):
    """Makes n files of these in the folder that the origin serves; returns their names and bytes in all."""
    root.mkdir()
    names = []
    for i in range(n):
        # Each file differs from the others, as real ones do: bytes after the end of an image are allowed.
        source = files[i % len(files)]
        name = f"img-{i:05d}{source.suffix}"
        (root / name).write_bytes(source.read_bytes() + b"%08d" % i)
        names.append(name)
    return names, sum((root / n).stat().st_size for n in names)


def write_lists(work, base, names, out):
    """The same URLs as a feed for imgcache and as a configuration for curl, which writes to `out`."""
    listing, config = work / "urls", work / "curl.cfg"
    listing.write_text("".join(f"{base}/{n}\n" for n in names))
    config.write_text("".join(f'url = "{base}/{n}"\noutput = "{out}/{n}"\n' for n in names))
    return listing, config


def compare(a, work, names, total, origin):
    out, cache = work / "out", work / "cache"
    listing, config = write_lists(work, f"http://127.0.0.1:{origin.port}", names, out)
    ours = [a.imgcache, "prefetch", "--feed", str(listing), "--cache-dir", str(cache), "--check", a.check,
            "--concurrency", str(a.parallel), "--per-host", str(a.parallel), "--allow-private-network", "--quiet"]
    curl = ["curl", "-sS", "--parallel", "--parallel-immediate", "--parallel-max", str(a.parallel), "-K", str(config)]

    speed, processor, rows, again, peak = [], [], [], [], 0
    for number in range(a.rounds + 1):
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(cache, ignore_errors=True)
        out.mkdir()
        theirs = measured(curl)
        mine = measured(ours)
        before = origin.requests()
        second = measured(ours)
        silent = origin.requests() - before
        if silent:
            sys.exit(f"the second run sent {silent} requests")
        if number == 0:
            continue  # warm-up
        speed.append(theirs[0] / mine[0])
        processor.append(mine[1] / theirs[1])
        rows.append((len(names) / theirs[0], len(names) / mine[0], 1e3 * theirs[1] / len(names),
                     1e3 * mine[1] / len(names)))
        again.append(second[0])
        peak = max(peak, mine[2])

    median = [statistics.median(column) for column in zip(*rows)]
    print(f"n={len(names)} parallel={a.parallel} delay={a.delay:g} ms check={a.check} "
          f"mean {total / len(names) / 1000:.1f} kB, {a.rounds} rounds")
    print(f"files/s          curl {median[0]:.0f}, imgcache {median[1]:.0f}, ratio {spread(speed)}")
    print(f"cpu ms a file    curl {median[2]:.3f}, imgcache {median[3]:.3f}, ratio {spread(processor)}")
    print(f"second run       0 requests, {spread([1e3 * s for s in again], ' ms')} for {len(names)} images")
    print(f"peak memory      {peak / 1024:.0f} MiB")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
