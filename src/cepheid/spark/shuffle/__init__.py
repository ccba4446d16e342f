"""How events reach the tasks that fold them: as rows or packets, at once or in chunks."""
