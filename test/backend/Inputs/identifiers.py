#!/usr/bin/env python3
"""identifiers.py - Names that C, C++, CUDA and the runtime have given are compiled, or refused with a message.

Usage: identifiers.py TKC FOLDER emulator|NVCC
To the list below come the types and constants of the runtime's headers, which kernels of such a name could hide.
Writes one program whose kernels each have a variable and a parameter of a name, and one with a kernel for each name that tkc
accepts for one, into FOLDER, and compiles what TKC makes of them, as host C++ against the emulator or by NVCC.
"""
import glob
import os
import re
import subprocess
import sys

RUNTIME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "runtime")

NAMES = """
abs acos all any assert atexit atof atoi bsearch calloc ceil cycle cos div errno exit exp fabs floor fopen free getenv index
isnan ldexp log malloc memcpy memset modf perror pow printf puts qsort raise rand read realloc remove rename scanf signal sin
sqrt sscanf stderr stdin stdout strlen strtol system tan time tolower y0 y1 j0 gamma signgam
accept bind close dup execve fork getpid ioctl kill link listen mmap nice open pause pipe poll select send sleep socket stat
sync unlink usleep wait write environ optarg daylight timezone
EOF NULL INT32_MAX INT_MAX SIZE_MAX INFINITY NAN HUGE_VAL M_PI RAND_MAX BUFSIZ CHAR_BIT EXIT_SUCCESS SEEK_SET UINT64_C
CLOCKS_PER_SEC EINVAL PATH_MAX linux unix
size_t ssize_t int8_t int32_t uint64_t ptrdiff_t wchar_size FILE time_t va_list max_align_t std string vector
main typeof restrict register_t noexcept_ override final module import
threadIdx blockIdx blockDim gridDim warpSize dim3 float2 float4 int4 uint3 uchar4 min max rsqrt norm normcdf clamp
cudaMalloc cudaStream_t cudaSuccess cuInit CUtensorMap CUDA_SUCCESS CUresult atomicAdd clock64 saturate half bfloat16
TK_OK TK_BF16 tk_tensor tk_status tk_stream tk_code host launch arguments tensor_maps launch_shape bf16_ swizzle barrier
ring_cursor shared_ring output_map element rt_ map load store gather mma wgmma pack convert column scan divide
stages threads shared shared_bytes leader consumer staging args maps shape stream fill use full empty counter tiles
x_plan x_kernel f_plan f_kernel status choice work SMs
""".split()

BODY = """  for (int m : grid(cdiv(X.rows(), 64))) {
    rt<float, 64, 64> x = tk::load(X, {m, 0});
@    tk::store(Y, {m, 0}, x);
  }
}
"""
DECLARED = re.compile(r"^(?:template <.*> )?(?:struct|enum|enum class|using|inline constexpr \w+|constexpr \w+) (\w+)\b", re.M)
REFUSAL = re.compile("C function of its name|expected")  # a word of C++ is Clang's to refuse


def find(pattern, *folders):
    """What headers of the runtime have of it."""
    found = set()
    for folder in folders:
        for header in glob.glob(os.path.join(RUNTIME, folder, "*.h")):
            with open(header) as file:
                found |= set(re.findall(pattern, file.read()))
    return found


def kernel(name, parameter="", statements=""):
    return f"kernel {name}(gl<bf16> X, gl<bf16> Y{parameter}) " + "{\n" + BODY.replace("@", statements)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def accepted(tkc, folder, make, label, names):
    """The program of the names that tkc takes; each other one has an error of its own."""
    names, refused = list(names), {}
    for _ in range(10):
        source = write(folder, f"{label}.tk", "".join(make(i, name) for i, name in enumerate(names)))
        done = run(tkc, "-Wno-tk-perf", source, "-o", os.path.join(folder, f"{label}.cu"))
        if done.returncode == 0:
            return names, refused
        lines = open(source).read().splitlines()
        found = {}
        for line, message in re.findall(r"\.tk:(\d+):\d+: error: (.*)", done.stdout):
            owner = [i for i, text in enumerate(lines[: int(line)]) if text.startswith("kernel")]
            found.setdefault(len(owner) - 1, message)
        if not found:
            sys.exit(f"tkc fails on {source} without an error: {done.stdout[-2000:]}")
        for number in sorted(found, reverse=True):
            refused[names.pop(number)] = found[number]
    sys.exit(f"tkc still refuses {source}: {done.stdout[:2000]}")


def compile_cuda(compiler, folder, label):
    source = os.path.join(folder, f"{label}.cu")
    if compiler == "emulator":
        return run("g++", "-std=c++20", "-x", "c++", "-fsyntax-only", "-w", "-I", os.path.join(RUNTIME, "emulator"),
                   "-I", os.path.join(RUNTIME, "hopper"), "-I", RUNTIME, source)
    # Neither ptxas nor what optimises has anything to say of names.
    return run(compiler, "-std=c++17", "-arch=compute_90a", "-w", "--Ofast-compile=max", "-I", os.path.join(RUNTIME, "hopper"), "-I", RUNTIME, "-ptx", source,
               "-o", os.path.join(folder, f"{label}.ptx"))


def main():
    tkc, folder, compiler = sys.argv[1:]
    failures = 0
    # A kernel cannot hide words of the language: that is Clang's to say.
    own = find(DECLARED, "hopper/ptx", "hopper/tile", "host") - find(r"\w+", "language") - set(NAMES)
    kinds = {
        "variables": lambda i, name: kernel(
            f"v{i}", ", gl<float> S", f"    const float {name} = S.at(m, 0);\n    x = x * {name};\n"
        ),
        "parameters": lambda i, name: kernel(f"p{i}", f", float {name}", f"    x = x * {name};\n"),
        "kernels": lambda i, name: kernel(name),
    }
    for label, make in kinds.items():
        names, refused = accepted(tkc, folder, make, label, NAMES + sorted(own) * (label == "kernels"))
        done = compile_cuda(compiler, folder, label)
        print(f"{label}: {len(names)} compiled, {len(refused)} refused: {' '.join(refused)}")
        unclear = [text for text in refused.values() if label == "kernels" and not REFUSAL.search(text)]
        if done.returncode or unclear or (label != "kernels" and len(names) < len(NAMES) - 10):
            print(done.stdout[:3000], unclear)
            failures += 1
    if len(set(NAMES)) < 200 or len(own) < 20:
        failures += 1
        print(f"only {len(set(NAMES))} names, and {len(own)} of the runtime")
    return 1 if failures else 0


sys.exit(main())
