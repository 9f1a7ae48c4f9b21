"""English words that carry no meaning of their own."""

from __future__ import annotations

from rag_pipeline.english.words import word_set

STOP = word_set(
    "a an the and or but nor of in on at by for from to with without into onto over under as than that which who "
    "whom whose what when where why how many much long far is are was were be been being am do does did done has "
    "have had having it its he his him she her they their them this these those there not no can could may might "
    "must shall should will would if so such own same s t one two also about after before during between through "
    "per up down out any some each all both more most other another only very just then i we you my our your me "
    "us exactly called"
)
