# ===- tkc_run - Compile and run one .tk file three ways ------------------=== #
