"""selftest.py - Opens pages of tkc --emit=html with #selftest in a headless browser and prints their verdicts.

Usage: selftest.py BROWSER PAGE ...     exit status 1 if a page says that it is broken, or says nothing
"""
import html
import os
import re
import subprocess
import sys
import tempfile

browser, *pages = sys.argv[1:]
failed = False
for page in pages:
    with tempfile.TemporaryDirectory() as profile:
        run = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,900",
             f"--user-data-dir={profile}", "--dump-dom", f"file://{os.path.abspath(page)}#selftest"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300,
        )
    verdict = re.search(r'<div id="verdict"[^>]*data-result="(\w+)">([^<]*)</div>', run.stdout.decode(errors="replace"))
    failed |= not verdict or verdict[1] != "passed"
    print(f"{os.path.basename(page)}: {html.unescape(verdict[2]) if verdict else 'no verdict'}")
sys.exit(failed)
