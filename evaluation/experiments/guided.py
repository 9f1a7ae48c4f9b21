"""Guided search: which configuration to try next, by what the ones before it scored (Optuna's TPE, Bergstra 2011)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

_STARTS = 8
"""Trials drawn at random before the sampler learns from them, or a third of all where there are few."""
_TRIES = 20
"""How often the sampler may name what was tried already, before any untried combination is taken."""

Places = tuple[int, ...]
"""One combination: which value of each setting, from 0."""


def next_trial(
    sizes: Sequence[int], tried: Mapping[Places, float | None], *, trials: int, seed: int = 0
) -> Places | None:
    """Return an untried combination; None where all were tried.

    `sizes`: how many values each setting has. `tried`: the score of what was tried, higher is better, None where that
    failed or is still at work. The same trials given in the same order give the same next one.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    ways: dict[str, Any] = {
        str(number): optuna.distributions.CategoricalDistribution(range(size)) for number, size in enumerate(sizes)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # multivariate sampling is called experimental
        starts = max(1, min(_STARTS, trials // 3))
        sampler = optuna.samplers.TPESampler(seed=seed + len(tried), n_startup_trials=starts, multivariate=True)
        study = optuna.create_study(direction="maximize", sampler=sampler)
    for places, value in tried.items():
        study.add_trial(_frozen_trial(optuna, places, value, ways))
    for _ in range(_TRIES):
        asked = study.ask(ways)
        places = tuple(int(asked.params[name]) for name in ways)
        if places not in tried:
            return places
        study.tell(asked, state=optuna.trial.TrialState.FAIL)
    return _first_untried(sizes, tried)


def _frozen_trial(optuna: Any, places: Places, value: float | None, ways: Mapping[str, Any]) -> Any:
    params = {str(number): place for number, place in enumerate(places)}
    if value is None:
        state = optuna.trial.TrialState.FAIL
        return optuna.trial.create_trial(params=params, distributions=dict(ways), state=state)
    return optuna.trial.create_trial(params=params, distributions=dict(ways), value=value)


def _first_untried(sizes: Sequence[int], tried: Mapping[Places, float | None]) -> Places | None:
    for number in range(len(tried) + 1):
        places = places_of(number, sizes)
        if places is not None and places not in tried:
            return places
    return None


def places_of(number: int, sizes: Sequence[int]) -> Places | None:
    """Return combination `number`, from 0, the last setting changing fastest; None past the end."""
    places = []
    for size in reversed(sizes):
        number, place = divmod(number, size)
        places.append(place)
    return None if number else tuple(reversed(places))


def number_of(places: Places, sizes: Sequence[int]) -> int:
    """Return the number of a combination, from 0."""
    number = 0
    for place, size in zip(places, sizes, strict=True):
        number = number * size + place
    return number
