#!/usr/bin/env python3
"""Downloads a thumbnail with Python's standard library.

    thumbnail.py http://127.0.0.1:8780 https://example.org/a.jpg 200 200 a.jpg
"""
import sys
import urllib.error
import urllib.parse
import urllib.request


def thumbnail(server: str, url: str, width: int, height: int) -> bytes:
    query = urllib.parse.urlencode({"url": url, "w": width, "h": height}, quote_via=urllib.parse.quote)
    try:
        with urllib.request.urlopen(f"{server}/thumb?{query}", timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        # A problem object (RFC 9457): its code is for programs, its detail for people.
        raise SystemExit(f"{error.code}: {error.read().decode()}") from None


if __name__ == "__main__":
    server, url, width, height, file = sys.argv[1:]
    with open(file, "wb") as output:
        output.write(thumbnail(server, url, int(width), int(height)))
