"""text.py - Whether one side of a page, tags taken off, is a file to the letter.

Usage: text.py PAGE source|cuda FILE
"""
import html
import re
import sys

page, side, path = sys.argv[1:]
section = re.search(f'<section id="{side}".*?</section>', open(page).read(), re.S)[0]
lines = re.findall(r'<div id="[sc][-0-9]*"><a href="[^"]*">\d+</a>(.*)</div>', section)
text = "\n".join(html.unescape(re.sub("<[^>]*>", "", line)) for line in lines)
assert lines and text == open(path).read().rstrip("\n"), f"{side} of {page} is not {path}"
