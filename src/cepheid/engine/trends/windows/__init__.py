"""Where trends are added up: windows, stretches of steps, and the times of results."""
