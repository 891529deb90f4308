"""help.py - What tkc tune --help prints, in the form that tools/cmake/manual.py reads."""

TEXT = """Finds the fastest instances of a kernel for shapes, on the GPU that will run them.

  tkc tune prepare gemm.tk --kernel gemm --space 'BM=64,128 BN=64:256:32' --shapes s.json
                                compiles candidates into gemm.pyz
  python3 gemm.pyz run --time 60 -o gemm.tuned.json
                                measures them, where the GPU is; needs Python and the driver alone
  tkc tune show gemm.tuned.json what was measured
  tkc tune merge a.json b.json -o c.json
                                one database of several
  tkc gemm.tk --tuned gemm.tuned.json
                                compiles the winners, which the function chooses by shape

Usage: tkc tune prepare|merge|show [options] input...

Options:
  -h,--help                   print this
  -o,--output FILE            what is written; default of prepare: the kernel's name with .pyz

Prepare:
  --kernel NAME               the C function: a kernel, or a choice among kernels
  --space SPACE               values of template parameters, as 'BM=64,128 BN=64:256:32'; a
                              range is first:last:step
  --shapes FILE               a list of {"A": [4096, 1024], "scale": 0.5}: extents of tensors
                              and values of numbers
  --keep N                    candidates beside the source's own (default 24)
  --predict                   print the order by predicted cycles; builds nothing
  --sms N                     SMs that the prediction is for (default 132)
  --instantiate INSTANCE      compile this instance too, for example 'gemm<64, 128>'
  -D NAME[=VALUE]             define a macro
  -I DIR                      search this directory for included files

Merge and show:
  --device NAME               merge what was measured on this device alone
  --plot FILE                 write a drawing (SVG) of the search
  --chosen-by FILE            show how much the choice that FILE tunes loses at these shapes

Exit status: 0 done; 1 the input cannot be used, or a file cannot be read or written;
2 the command line is wrong. Nothing is written unless the status is 0.
"""
