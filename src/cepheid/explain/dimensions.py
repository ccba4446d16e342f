"""Distances of the picture, in pixels."""

BOX_MINIMUM_WIDTH, BOX_MINIMUM_HEIGHT = 84.0, 56.0
BOX_PADDING = 12.0
RULE = 6.0  # for the rule between a state's name and its predicates
RING = 4.0  # between the two rings of an exit
GAP = 56.0  # between columns that have no label between them
LABEL_MARGIN = 14.0
STUB = 34.0  # an entry or exit without a label
STUB_INSET = 14.0  # from the corner, where edges use the middle of the side
LINE_TO_LABEL = 5.0
BAR = 18.0
BAR_TO_LABEL = 12.0  # from the line that the bar crosses
LANE = 16.0  # between an arc and what lies inside it
ROW_GAP = 26.0
ROUNDING = 14.0
