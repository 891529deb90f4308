"""doc_block.py - The first block of a language in a section of a page: doc_block.py PAGE SECTION LANGUAGE"""
import re
import sys

page, section, language = sys.argv[1:]
text = re.search(rf"^## {section}$(.*?)^(?:## |\Z)", open(page).read(), re.M | re.S)[1]
print(re.search(rf"^```{language}(?: run by \S+)?\n(.*?)^```$", text, re.M | re.S)[1])
