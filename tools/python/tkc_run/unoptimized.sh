#!/bin/sh
# unoptimized.sh - In g++'s place, for `tkc run --host-compiler`: kernels that run for a moment, compiled fast; see unoptimized.py.
#
# tkc names the files of its flags and the header that the build has precompiled for g++: each becomes Clang's own, of the folder
# that TKC_BUILD has. What is compiled without the emulator's flags, the reference and the calls, has no multiply-adds, as with g++.
folder=$TKC_BUILD/lib/unoptimized
flags="-std=c++20 -O0 -g1 -ffp-contract=off"
before=
for argument in "$@"; do
  shift
  case $before$argument in
  -include | *host/compile.flags) ;;
  *emulator/kernel.flags) flags="$(tail -n +2 "$folder/compile.flags") $(cat "$folder/link.flags")" ;;
  *emulator/contracted.flags) set -- "$@" -ffp-contract=on ;;
  *emulator/uncontracted.flags) set -- "$@" -ffp-contract=off ;;
  -includeemulator/kernel_headers.h) set -- "$@" -include-pch "$folder/kernel_headers.h.pch" ;;
  *) set -- "$@" "$argument" ;;
  esac
  before=
  [ "$argument" != -include ] || before=-include
done
# shellcheck disable=SC2086
exec "$(head -n 1 "$folder/compile.flags")" $flags "$@"
