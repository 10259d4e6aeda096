"""`python -m webkeep` is the command."""

import sys

from webkeep.cli.command import main

sys.exit(main())
