#!/usr/bin/env python3
"""`imgcache prefetch` against `curl --parallel` over TLS, by HTTP/2 and HTTP/1.1, from an origin that is far away.

    compare_over_tls.py [--imgcache PATH] [-n 246] [--round-trip 40] [--rounds 5] [--check decode|structure|none]
                        [--limit SECONDS] [--work DIR]

The origin is nginx on loopback with a certificate made for the run, which both sides trust besides the system's.
Between it and them, a relay delays each direction by half of the round trip, and the first bytes of a connection by
a whole one more, as a TCP handshake does. The relay loses nothing, has no limit of bandwidth and no slow start.

The images are the large ones of the embedded sample days and PNGs of 20 to 100 kB. Both sides take turns, and so
does who begins; each run starts with an empty folder. Printed are the medians of wall and processor time, the medians
of their ratios (imgcache to curl, round by round; below 1 imgcache is faster) with their least and greatest, and the
most connections that were open at once in any round.

Ends with status 1 if files are missing or differ, or if imgcache has by default more than 6 connections at once to an
origin of HTTP/1.1.
"""
import argparse, asyncio, collections, hashlib, json, multiprocessing, os, pathlib, random, selectors, shutil, signal
import socket, statistics, struct, subprocess, sys, time, zlib
from compare_with_curl import ROOT, Nginx, fill, free_port, in_folder, measured, pictures, sample, spread, write_lists

HOST, MOST_CONNECTIONS = "127.0.0.1", 6


class Side(asyncio.Protocol):
    """One socket of a relayed connection. Each piece that arrives leaves by the other one after its own delay."""

    def __init__(self, relay, other=None):
        self.relay, self.other = relay, other
        self.waiting, self.earliest = collections.deque(), 0

    def connection_made(self, transport):       # asyncio reads up to 256 KiB at once
        self.transport = transport
        # asyncio itself sets it only for sockets that name their protocol, which those of `create_server` do not.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.other:
            self.other.other = self
            self.other.transport.resume_reading()
        else:
            self.relay.count(1)
            self.earliest = self.relay.loop.time() + 3 * self.relay.delay
            transport.pause_reading()
            self.relay.open(self)

    def data_received(self, data):
        self.waiting.append(data)
        self.relay.loop.call_at(max(self.relay.loop.time() + self.relay.delay, self.earliest), self.send)

    def send(self):
        data = self.waiting.popleft()           # in order also when two are due at the same time
        if not data:
            self.other.transport.close()
        elif not self.other.transport.is_closing():
            self.other.transport.write(data)

    def connection_lost(self, error):
        if self.transport.get_extra_info("sockname")[1] == self.relay.port:
            self.relay.count(-1)
        self.data_received(b"")


class Relay:
    """Relays connections to a port of the origin, in a process of its own, and counts them."""

    def __init__(self, origin, round_trip):
        self.origin, self.delay = origin, round_trip / 2
        self.counts = multiprocessing.Array("i", 2, lock=False)     # open now, the most so far
        listener = socket.create_server((HOST, 0), backlog=1024)
        self.port = listener.getsockname()[1]
        self.process = multiprocessing.get_context("fork").Process(target=self.serve, args=(listener,), daemon=True)
        self.process.start()
        listener.close()

    def serve(self, listener):
        for number in signal.SIGTERM, signal.SIGALRM:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # epoll, the default, wakes at whole milliseconds only.
        self.loop, self.tasks = asyncio.SelectorEventLoop(selectors.SelectSelector()), set()
        self.loop.run_until_complete(self.loop.create_server(lambda: Side(self), sock=listener))
        self.loop.run_forever()

    def open(self, client):
        task = self.loop.create_task(self.loop.create_connection(lambda: Side(self, client), HOST, self.origin))
        self.tasks.add(task)                    # the loop itself has weak references only
        task.add_done_callback(self.tasks.discard)

    def count(self, change):
        self.counts[0] += change
        self.counts[1] = max(self.counts)

    def most(self):
        """The most connections since the last call, after all have ended."""
        for _ in range(200):
            if self.counts[0] == 0:
                break
            time.sleep(0.02)
        else:
            sys.exit("connections to the relay stay open")
        most, self.counts[1] = self.counts[1], 0
        return most

    def stop(self):
        self.process.terminate()
        self.process.join()


def png(width, height, noise):
    """A PNG of noise, which has about three bytes a pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + noise.randbytes(3 * width) for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def make_images(imgcache, work):
    """JPEGs of about 40 kB and as many PNGs."""
    large = [f for f in pictures(sample(imgcache, work)) if f.suffix == ".jpg" and f.stat().st_size > 20_000]
    noise, made = random.Random(1), []
    for i in range(len(large)):
        made.append(work / f"{i}.png")
        made[-1].write_bytes(png(160, 42 + i * 166 // max(1, len(large) - 1), noise))
    return [file for pair in zip(large, made) for file in pair]


def make_certificate(work):
    """Returns the directives for nginx, and the file that trusts the certificate and those of the system."""
    certificate, key, trusted = work / "certificate.pem", work / "key.pem", work / "trusted.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=IP:{HOST}",
                    "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    trusted.write_text(certificate.read_text() + (system.read_text() if system.exists() else ""))
    return f"ssl_certificate {certificate}; ssl_certificate_key {key};", trusted


class Comparison:
    def __init__(self, a, work):
        self.a, self.work, self.out, self.cache = a, work, work / "out", work / "cache"
        self.names, self.total = fill(work / "www", make_images(a.imgcache, work), a.n)
        self.sums = {n: hashlib.sha256((work / "www" / n).read_bytes()).hexdigest() for n in self.names}
        self.environment = os.environ.copy()

    def ours(self, base, relay, parallel):
        command = [self.a.imgcache, "prefetch", "--feed", str(self.listing), "--cache-dir", str(self.cache),
                   "--check", self.a.check, "--allow-private-network", "--quiet"]
        if parallel:
            command += ["--concurrency", str(parallel), "--per-host", str(parallel)]
        shutil.rmtree(self.cache, ignore_errors=True)
        result = measured(command, env=self.environment)
        listed = measured([self.a.imgcache, "ls", "--json", "--cache-dir", str(self.cache)])[3]
        entries = [json.loads(line) for line in listed.splitlines()]
        self.verify("imgcache", {e["url"].removeprefix(base + "/"): e["sha256"] for e in entries})
        return result[:2] + (relay.most(),)

    def curl(self, base, relay, parallel):
        command = ["curl", "-sS", "--parallel", "-K", str(self.config)]
        if parallel:
            command += ["--parallel-max", str(parallel)]
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        result = measured(command, env=self.environment)
        self.verify("curl", {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in self.out.iterdir()})
        return result[:2] + (relay.most(),)

    def verify(self, side, found):
        if found != self.sums:
            right = sum(self.sums.get(n) == s for n, s in found.items())
            sys.exit(f"{side}: {right} of {len(self.sums)} files arrived unchanged, and {len(found) - right} others")

    def round(self, relay, sides, begins):
        """The runs of one setting. Returns wall and processor time and connections of curl and of imgcache."""
        base = f"https://{HOST}:{relay.port}"
        self.listing, self.config = write_lists(self.work, base, self.names, self.out)
        runs = [lambda: self.curl(base, relay, sides[0]), lambda: self.ours(base, relay, sides[1])]
        return [runs[0](), runs[1]()] if begins else [runs[1](), runs[0]()][::-1]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--imgcache", default=str(ROOT / ".build/release/imgcache"))
    p.add_argument("-n", type=int, default=246)
    p.add_argument("--round-trip", type=float, default=40, help="milliseconds")
    p.add_argument("--check", default="decode")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--limit", type=int, default=900, help="seconds after which all is ended")
    p.add_argument("--work", type=pathlib.Path, default=None, help="default: a folder in /dev/shm or /tmp")
    a = p.parse_args()
    signal.alarm(a.limit)
    sys.exit(in_folder(a.work, lambda work: run(a, work)))


def run(a, work):
    comparison, two, one = Comparison(a, work), free_port(), free_port()
    directives, trusted = make_certificate(work)
    comparison.environment["CURL_CA_BUNDLE"] = str(trusted)     # both sides read it
    origin = Nginx(work, work / "www", f"""access_log off; http2_max_concurrent_streams 128; {directives}
                   listen {HOST}:{two} backlog=1024 ssl http2; listen {HOST}:{one} backlog=1024 ssl;""")
    relays = []
    try:
        for port in two, one:
            relays.append(Relay(port, a.round_trip / 1000))
        return compare(a, comparison, *relays)
    finally:
        for server in relays + [origin]:
            server.stop()


def compare(a, comparison, two, one):
    # Name, relay, and the parallelism of curl and imgcache, None for the default.
    settings = [("HTTP/2, defaults", two, (None, None))]
    settings += [(f"HTTP/2, {n}", two, (n, n)) for n in (6, 12, 25, 50)]
    settings += [("HTTP/1.1, defaults", one, (None, None)), ("HTTP/1.1, 6", one, (6, 6))]
    rows = {name: [] for name, _, _ in settings}
    for number in range(a.rounds + 1):
        for name, relay, sides in settings:
            row = comparison.round(relay, sides, number % 2)
            if number:                          # the first is a warm-up
                rows[name].append(row)

    print(f"n={a.n} mean {comparison.total / a.n / 1000:.1f} kB, round trip {a.round_trip:g} ms, check={a.check}, "
          f"{a.rounds} rounds\n")
    print("| | curl, s | imgcache, s | ratio | curl, processor s | imgcache, processor s | ratio | connections: curl, "
          "imgcache |\n|---|---|---|---|---|---|---|---|")
    for name, runs in rows.items():
        columns = []
        for i in range(2):
            columns += [f"{statistics.median(run[side][i] for run in runs):.3f}" for side in range(2)]
            columns.append(spread([mine[i] / theirs[i] for theirs, mine in runs]))
        most = [max(run[side][2] for run in runs) for side in range(2)]
        print(f"| {name} | {' | '.join(columns)} | {most[0]}, {most[1]} |")
        if name == "HTTP/1.1, defaults":
            default = most[1]
    print(f"\nimgcache had at most {default} connections at once over HTTP/1.1 by default (limit {MOST_CONNECTIONS}).")
    return int(default > MOST_CONNECTIONS)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("the time limit has passed"))
    main()
