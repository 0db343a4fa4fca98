"""What the campaigns share: the helper program, its runs, and how much is to be done."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FULL = os.environ.get("IMGCACHE_CAMPAIGN") == "full"


def program():
    """The helper's path: the one a test names, or the release build, made first."""
    named = os.environ.get("CACHE_CAMPAIGN")
    if named:
        return named
    build = ["swift", "build", "-c", "release", "--product", "CacheCampaign"]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return str(ROOT / ".build/release/CacheCampaign")


def check(helper, directory, entries, *options):
    """Opens the cache and compares `entries` (number to source) with what can be read."""
    lines = "".join(f"{number} {source}\n" for number, source in entries.items())
    run = subprocess.run(
        [helper, "check", "--dir", directory, *options],
        input=lines, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(f"the check ended with {run.returncode}: {run.stderr[-2000:]}")
    result = json.loads(run.stdout)
    result["notes"] = run.stderr
    return result


def conclude(title, facts, failures):
    """Prints the result as a line of a table and ends with 1 when anything is wrong."""
    print(f"{title}: " + ", ".join(f"{name} {value}" for name, value in facts.items()))
    for failure in failures[:10]:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)
