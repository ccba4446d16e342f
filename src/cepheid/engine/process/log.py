"""Where Cepheid tells of what a user should know."""

import logging

LOG = logging.getLogger("cepheid")
