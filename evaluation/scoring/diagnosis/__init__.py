"""What failed, and where: from scores and the way of the evidence to one failure point for each answer that lost score.

`points` names them, `losses` says what an answer lost, `journey` follows its evidence through the stored steps of
retrieval, `ranks` finds how far down the evidence lies, `decide` takes the first point that applies.
"""
