"""An archive that CPack makes, unpacked, and tkc run from there."""
import os
import sys

import package

folder = package.fresh(sys.argv[1])
config = os.path.join(os.environ["TKC_BUILD"], "CPackConfig.cmake")
package.run(["cpack", "--config", config, "-G", "TGZ", "-B", folder])
(name,) = [name for name in os.listdir(folder) if name.endswith(".tar.gz")]
print(name)
package.run(["tar", "-C", folder, "-xf", os.path.join(folder, name)])
root = os.path.join(folder, name.removesuffix(".tar.gz"))
if ".symtab" in package.run(["readelf", "--sections", "--wide", os.path.join(root, "bin", "tkc")]):
    sys.exit("tkc in the archive is not stripped")
examples = os.path.join(root, "share", "doc", "tkc", "dsl-examples")
print(package.run([os.path.join(root, "bin", "tkc"), "run", "--emulate", os.path.join(examples, "gemm.tk"), "--seed", "0",
                   "--policy", "random", "--shape", "A=65x70,B=70x9"]), end="")
