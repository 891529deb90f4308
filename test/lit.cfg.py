# ===- lit.cfg.py - How lit runs the tests of this tree -------------------=== #
#
# Tests are files that say in RUN lines how they are run. Substitutions:
#   %tkc %tk-opt %tk-translate %tk-lsp-server   the tools that were built
#   %tkc-lib                     the folder of what was built beside them: the emulator, the precompiled language header
#   %python                      the Python that CMake found (it has numpy)
#   %runtime %examples %tools    the folders runtime/, dsl-examples/ and tools/
#   %nvcc                        nvcc, where there is one (feature nvcc)
#   %cuda-include                NVIDIA's headers, where they are (feature cuda-header)
#   %chromium                    a browser without a window, where there is one (feature chromium)
#   %unoptimized                 of `tkc run`, for kernels that run for a moment: tools/python/tkc_run/unoptimized.py
# Features for REQUIRES: python-package (tkc._launch was built); wheel-tools (scikit-build-core, which builds
# the wheel); nvrtc; torch (with a GPU); nvcc; chromium; gpu (a device of compute capability 9.0 and nvcc); static (tkc was linked
# so); fuzzers (Debian's libFuzzer and AddressSanitizer); ci (lit --param ci=1, for tests that go deeper where others begin);
# long (lit --param long=1, for tests that take minutes).
#
# ===----------------------------------------------------------------------=== #
import glob
import importlib.util
import os
import shutil
import sys

sys.path.insert(0, os.path.join(config.source_root, "tools", "python"))
sys.path.insert(0, os.path.dirname(__file__))
from cpu_time import ShTest
from tkc_run import toolchain, unoptimized
from tkc import CompileError, nvrtc

config.name = "tkc"
config.test_format = ShTest(execute_external=False)
config.suffixes = [".mlir", ".tk", ".test"]
config.excludes = ["lib", "Inputs", "corpus", "programs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.binary_root, "test")

tools = os.path.join(config.binary_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools, os.path.join(config.llvm_prefix, "bin"), config.environment["PATH"]]
)
python_folder = os.path.join(config.source_root, "tools", "python")
config.environment["PYTHONPATH"] = os.pathsep.join([python_folder, os.path.join(python_folder, "src")])
config.environment["TKC_CACHE_DIR"] = os.path.join(config.binary_root, "test", "cache")
config.environment["TKC_BUILD"] = os.environ["TKC_BUILD"] = config.binary_root
for name in ("CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CCACHE_DIR", "TKC_NVCC", "TKC_NVRTC"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# lit applies these before its own %t, %s and %p, so that %tkc is not read as %t followed by "kc".
for tool in ("tk-translate", "tk-opt", "tk-lsp-server", "tkc"):
    config.substitutions.append(("%" + tool, os.path.join(tools, tool)))
config.substitutions.append(("%unoptimized", "--host-compiler=" + unoptimized.host_compiler()))
config.substitutions.insert(0, ("%tkc-lib", os.path.join(config.binary_root, "lib")))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%runtime", os.path.join(config.source_root, "runtime")))
config.substitutions.append(("%examples", os.path.join(config.source_root, "dsl-examples")))
config.substitutions.append(("%tools", os.path.join(config.source_root, "tools")))

if os.path.exists(os.path.join(config.binary_root, "lib", "_launch.abi3.so")):
    config.available_features.add("python-package")
    try:
        nvrtc.version()
        config.available_features.add("nvrtc")
    except CompileError:
        pass
browsers = [shutil.which(name) for name in ("chromium-headless-shell", "chromium")]
if any(browsers):
    config.available_features.add("chromium")
    config.substitutions.append(("%chromium", next(filter(None, browsers))))
else:
    lit_config.note("no chromium: pages of --emit=html do not test themselves; tools/setup.sh installs chromium-headless-shell")

nvcc = toolchain.find_nvcc(config.binary_root)
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
    cuda_include = os.path.join(os.path.dirname(os.path.dirname(nvcc)), "include")
    if os.path.exists(os.path.join(cuda_include, "cuda.h")):
        config.available_features.add("cuda-header")
        config.substitutions.insert(0, ("%cuda-include", cuda_include))
    if toolchain.hopper_present():
        config.available_features.add("gpu")
        # There is no torch without a GPU for every machine that builds this: the tests of tkc.torch skip without it.
        if importlib.util.find_spec("torch"):
            config.available_features.add("torch")
if importlib.util.find_spec("scikit_build_core"):
    config.available_features.add("wheel-tools")
if config.tkc_is_static:
    config.available_features.add("static")
if glob.glob(os.path.join(config.llvm_prefix, "lib", "clang", "*", "lib", "linux", "libclang_rt.fuzzer-*.a")):
    config.available_features.add("fuzzers")
for depth in ("ci", "long"):
    if lit_config.params.get(depth):
        config.available_features.add(depth)
