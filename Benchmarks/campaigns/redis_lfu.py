#!/usr/bin/env python3
"""Hit ratios of a model of Redis with `maxmemory-policy allkeys-lfu` on a trace (time,key,size, packed by gzip or not).

    redis_lfu.py imgday-edge.csv.gz
    redis_lfu.py imgday-edge.csv.gz --misses-of 4 --write misses.csv

The model is that of evict.c of Redis 7.0: five samples, a pool of 16, counters of 8 bits that grow with probability
1 / (10 * (counter - 5) + 1) and fall by one for each `--decay` minutes without an access (0: never). Sizes are those of the
values; what Redis needs for a key is left out. `--misses-of N` puts N servers of 1 % of the bytes under LRU in front, chosen at
random; `--write` keeps what they miss, as a trace for `imgcache simulate`.
"""
import argparse
import gzip
import random
from collections import OrderedDict


def read(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as lines:
        for line in lines:
            time, key, size = line.split(",")
            if time.isdigit():
                yield int(time), int(key), int(size)


def misses(requests, count, capacity):
    """The requests that miss the LRU caches of some servers."""
    chance = random.Random(3)
    caches = [OrderedDict() for _ in range(count)]
    used = [0] * count
    for time, key, size in requests:
        at = chance.randrange(count)
        cache = caches[at]
        is_hit = key in cache
        if is_hit:
            used[at] -= cache.pop(key)
        if size <= capacity:
            while used[at] + size > capacity:
                used[at] -= cache.popitem(last=False)[1]
            cache[key] = size
            used[at] += size
        if not is_hit:
            yield time, key, size


class Redis:
    samples, pool_size, first, growth = 5, 16, 5, 10

    def __init__(self, capacity, decay):
        self.capacity, self.decay = capacity, decay
        self.chance = random.Random(5)
        self.used = 0
        self.places = {}
        self.entries = []  # [key, size, counter, minute of the last access]
        self.pool = []  # (idleness, key), the idlest last

    def counter(self, entry, minute):
        return max(0, entry[2] - ((minute - entry[3]) // self.decay if self.decay else 0))

    def access(self, time, key, size):
        minute = time // 60
        place = self.places.get(key)
        if place is None:
            if size <= self.capacity:
                self.make_room(size, minute)
                self.places[key] = len(self.entries)
                self.entries.append([key, size, self.first, minute])
                self.used += size
            return False
        entry = self.entries[place]
        count = self.counter(entry, minute)
        if count < 255 and self.chance.random() < 1 / (max(0, count - self.first) * self.growth + 1):
            count += 1
        self.used += size - entry[1]
        entry[1:] = [size, count, minute]
        self.make_room(0, minute)
        return True

    def make_room(self, size, minute):
        while self.used + size > self.capacity:
            place = self.places.pop(self.victim(minute))
            self.used -= self.entries[place][1]
            last = self.entries.pop()
            if place < len(self.entries):
                self.entries[place] = last
                self.places[last[0]] = place

    def victim(self, minute):
        while True:
            for _ in range(self.samples):
                entry = self.chance.choice(self.entries)
                idle = 255 - self.counter(entry, minute)
                place = 0
                while place < len(self.pool) and self.pool[place][0] < idle:
                    place += 1
                if len(self.pool) == self.pool_size:
                    if place == 0:
                        continue
                    self.pool.pop(0)
                    place -= 1
                self.pool.insert(place, (idle, entry[0]))
            while self.pool:
                key = self.pool.pop()[1]
                if key in self.places:
                    return key


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("--share", type=float, nargs="*", default=[0.02, 0.1, 0.3])
    parser.add_argument("--decay", type=int, nargs="*", default=[1, 60, 0])
    parser.add_argument("--misses-of", type=int, default=0)
    parser.add_argument("--write")
    options = parser.parse_args()
    requests = list(read(options.trace))
    sizes = {}
    for _, key, size in requests:
        sizes.setdefault(key, size)
    footprint = sum(sizes.values())
    if options.misses_of:
        requests = list(misses(requests, options.misses_of, footprint // 100))
    if options.write:
        with open(options.write, "w") as file:
            file.writelines(f"{time},{key},{size}\n" for time, key, size in requests)
    total = sum(size for _, _, size in requests)
    for share in options.share:
        for decay in options.decay:
            capacity = int(footprint * share)
            redis = Redis(capacity, decay)
            hits = [size for time, key, size in requests if redis.access(time, key, size)]
            print(f"{capacity} bytes, decay {decay} min: hits {len(hits) / len(requests):.4f}, "
                  f"bytes {sum(hits) / total:.4f}", flush=True)


if __name__ == "__main__":
    main()
