"""Whether a text supports another, without a judge: units that need support, where they stand, how well they agree."""
