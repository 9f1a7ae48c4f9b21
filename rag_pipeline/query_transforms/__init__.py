"""Query transforms: the question of a user to the texts that are searched for."""
