"""exits.py - Runs a command that must end with a certain status: exits.py STATUS COMMAND..."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"exits.py: status {status} when it should be {sys.argv[1]}: {' '.join(sys.argv[2:])}")
