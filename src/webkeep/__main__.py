"""`python -m webkeep` is the command."""

import sys

from webkeep.cli.main import main

sys.exit(main())
