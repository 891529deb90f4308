"""--standalone of .tk files: the same bytes twice, nothing of ours included, and nvcc takes the file alone.

Usage: standalone.py NVCC FOLDER FILE.tk...
"""
import os
import re
import sys

import package

nvcc, folder, *sources = sys.argv[1:]
folder = package.fresh(folder)
for source in sources:
    name = os.path.splitext(os.path.basename(source))[0]
    texts = []
    for place in ("first", "second"):
        os.makedirs(os.path.join(folder, place), exist_ok=True)
        output = os.path.join(folder, place, name + ".cu")
        package.run(["tkc", "--standalone", source, "-o", output])
        with open(output) as file:
            texts.append(file.read())
    assert texts[0] == texts[1], f"{name}: two runs differ"
    included = re.findall(r'^ *# *include *([<"][^>"]*)', texts[0], re.M)
    assert not any("/" in header or header.startswith('"') for header in included), included
    assert os.listdir(os.path.join(folder, "first")) == [name + ".cu"], "more than one file"
    os.remove(output)
    said = ""
    if nvcc != "none":
        said = package.run([nvcc, "-std=c++17", "-gencode=arch=compute_90a,code=sm_90a", "-c", name + ".cu", "-o",
                            name + ".o"], cwd=os.path.join(folder, "first"))
        os.remove(os.path.join(folder, "first", name + ".o"))
        assert "warning" not in said, said
    os.remove(os.path.join(folder, "first", name + ".cu"))
    print(f"{name}: {len(included)} system headers{'' if nvcc == 'none' else ', nvcc takes it'}")
