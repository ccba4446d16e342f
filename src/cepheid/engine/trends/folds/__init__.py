"""Ways to add up trends: ordered events and measures in, rows of values out."""
