"""What runs add up to, and its arithmetic."""
