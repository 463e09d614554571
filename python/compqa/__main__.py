"""`python -m compqa` is the program `compqa`."""

import subprocess
import sys

from compqa import program

sys.exit(subprocess.run([program(), *sys.argv[1:]], check=False).returncode)
