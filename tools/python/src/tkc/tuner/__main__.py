"""python3 -m tkc.tuner - What `tkc tune` becomes."""
import sys

from .cli import main

sys.exit(main(sys.argv[1:]))
