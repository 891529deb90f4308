# setup.sh - What tools/demo and tools/check share: packages, nvcc, the build
#
# Sourced, not run. Every function may run a second time and is then quick. Whatever takes longer than a
# few seconds runs under `progress`, which says every few seconds that it still does, and where it is;
# its full output goes to a file in build/log that is named when it fails.

source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$source_root/build
logs=$build/log

# Debian 12 has all of these in its main archive.
packages=(
  cmake ninja-build make g++ python3 python3-numpy
  llvm-19-dev llvm-19-tools libclang-19-dev libclang-cpp19-dev clang-19 libmlir-19-dev mlir-19-tools
  libfmt-dev libcli11-dev libboost-context-dev
  zlib1g-dev libzstd-dev libxml2-dev libcurl4-openssl-dev
)

# What the tests want beside them: the browser in which pages of --emit=html test themselves (59 MB to fetch).
check_packages=(clang-format-19 chromium-headless-shell)

# What the long ones want too: a build with AddressSanitizer, as tools/fuzz/run makes it, and clang-tidy.
long_packages=(libfuzzer-19-dev libclang-rt-19-dev clang-tidy-19)

# The parts of CUDA 13.0 that make a working nvcc, as NVIDIA publishes them on PyPI.
cuda_parts=(nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime nvidia-cuda-cccl)

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# progress WHAT COMMAND...: one line when it starts, one every few seconds, one when it ends.
progress() {
  local what=$1 log start=$SECONDS status=0 child place
  shift
  mkdir -p "$logs"
  log=$logs/$(tr -cs 'a-zA-Z0-9' - <<<"$what" | sed 's/-*$//').log
  say "$what ..."
  "$@" >"$log" 2>&1 &
  child=$!
  trap 'kill $child 2>/dev/null; exit 130' INT TERM # a background job would not hear of it
  while kill -0 $child 2>/dev/null; do
    for _ in 1 2 3 4 5 6; do
      sleep 0.5
      kill -0 $child 2>/dev/null || break 2
    done
    # ninja and dpkg say where they are at the start of a line.
    place=$(tail -n 1 "$log" | tr '\r' '\n' | tail -n 1 | cut -c 1-100)
    say "  $((SECONDS - start)) s  $place"
  done
  wait $child || status=$?
  trap - INT TERM
  if [ $status -ne 0 ]; then
    say "  failed after $((SECONDS - start)) s; the end of $log:"
    tail -n 30 "$log" | sed 's/^/  | /'
    return $status
  fi
  say "  done in $((SECONDS - start)) s"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 127
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# install_packages PACKAGE...: those that are not installed yet.
install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian; install yourself: $* (versions as in Debian 12), then run this again"
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
    sudo -v || fail "sudo refused; as root: apt-get install ${missing[*]}"
  fi
  progress "installing ${#missing[@]} Debian packages" apt_install "${missing[@]}" ||
    fail "could not install: ${missing[*]}"
}

# Where tkc_run/toolchain.py looks too. TKC_NVCC=none hides every nvcc, for trying out life without one.
has_nvcc() {
  [ "${TKC_NVCC:-}" != none ] || return 1
  command -v nvcc >/dev/null || [ -x "${TKC_NVCC:-}" ] || [ -x "$build/cuda/bin/nvcc" ] || [ -x /usr/local/cuda/bin/nvcc ]
}

# Makes build/cuda from PyPI: about 130 MB to fetch, 270 MB on disk.
fetch_nvcc() {
  local part wanted=() fresh=$build/cuda-packages
  for part in "${cuda_parts[@]}"; do wanted+=("$part==13.0.*"); done
  rm -rf "$fresh"
  python3 -m pip install --disable-pip-version-check --no-deps --no-compile --retries 1 --timeout 30 \
    --only-binary :all: --target "$fresh" "${wanted[@]}" &&
    { [ -e "$fresh/nvidia/cu13/lib64" ] || ln -s lib "$fresh/nvidia/cu13/lib64"; } && # nvcc links from there
    printf '__global__ void nothing() {}\n' >"$build/nothing.cu" &&
    "$fresh/nvidia/cu13/bin/nvcc" -arch=sm_90a -shared -Xcompiler -fPIC "$build/nothing.cu" -o "$build/nothing.so" &&
    rm -f "$build"/nothing.{cu,so} &&
    ln -sfn cuda-packages/nvidia/cu13 "$build/cuda"
}

# nvcc is wanted, not needed.
install_nvcc() {
  has_nvcc && return
  if [ "${TKC_NVCC:-}" = none ]; then
    say "nvcc is hidden (TKC_NVCC=none): nothing runs on a GPU, and no ptxas report is checked."
    return
  fi
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
  progress "installing nvcc 13.0 from PyPI into build/cuda" fetch_nvcc && return
  say "There is no nvcc, and it could not be installed. What that costs: nothing runs on a GPU, and no"
  say "ptxas report (registers, spills, warnings) is checked. Everything else works."
}

# The first Python on the path that has numpy; Debian's has it once the packages are there.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && command -v "$candidate" && return
  done
  fail "no python3 has numpy"
}

# A unity build compiles several files as one, and takes 56 % of the CPU time from scratch. Where single files are wanted, this is OFF.
unity=ON

configure() {
  # Clang, which the packages above bring anyway, compiles this twice as fast as GCC.
  local options=("-DPython3_EXECUTABLE=$(find_python)" -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19
    -DCMAKE_UNITY_BUILD=$unity)
  command -v ccache >/dev/null && options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake -S "$source_root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "${options[@]}"
}

# build_targets [TARGET...]: all if none is named.
build_targets() {
  if [ ! -f "$build/build.ninja" ] || { [ $unity = OFF ] && grep -q '^CMAKE_UNITY_BUILD:.*=ON' "$build/CMakeCache.txt"; }; then
    progress "configuring" configure || fail "CMake refused; see above"
  fi
  progress "building ${*:-everything}" ninja -C "$build" "$@" || fail "the build failed; see above"
}
