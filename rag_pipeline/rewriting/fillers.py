"""The words around a question in English: greetings, thanks, openers, and the many ways to say “tell me”.

Written as lists of patterns, one a line: a space stands for any white space.
"""

from __future__ import annotations

import re


def _one_of(lines: str) -> str:
    """Return a pattern for any of the lines."""
    alternatives = [re.sub(" +", r"\\s+", line.strip()) for line in lines.strip().splitlines()]
    return f"(?:{'|'.join(alternatives)})"


_SOFT = r"(?:(?:please|kindly|possibly|perhaps|maybe|just|quickly|also|really|only|still|now|actually|even|so) )*"
_ANYBODY = "(?:you|somebody|someone|anyone|anybody)(?: from your \\w+| here| there)?"
_BEFORE_WH = _one_of("in|at|on|to|for|from|by|with|of|under|after|before|until|since|about|within|during|through|up to")
_WH = r"(?:who|whom|whose|when|where|why|how|what|which|whether|if)\b"
CLAUSE = rf"(?=(?:{_BEFORE_WH}\s+)?{_WH})"
"""Where a clause that asks begins: `when ...`, `in which year ...`."""
_THING = r"(?=(?:the|a|an|all|any|some|about|more about)\b)"

_FIND_OUT = _one_of(
    r"""
    know|find out|learn|understand|figure out|work out|hear|ask(?: you)?|clarify|look up|verify|remember
    be sure|make sure|check|see|get to know
    """
)
_TELL_ME = _one_of(
    r"""
    (?:tell|show|remind|inform|explain to|let) (?:me|us)(?: know)?
    look up|find out|check|clarify|give me|say|work out
    help (?:me|us) (?:to )?(?:understand|find out|with|find|figure out|remember)
    """
)
_TELL = rf"(?:explain|tell|{_TELL_ME})"
_YOU_WOULD = _one_of(
    rf"""
    (?:is there )?any (?:chance|way)(?: that)? (?:you|anyone|someone) (?:can|could)
    (?:can|could|would|will|may|might) {_ANYBODY}
    """
)
_I_WANT = _one_of(
    rf"""
    (?:(?:i|we)(?:['’]d|['’]m|['’]re|['’]ve been)? )?(?:(?:would|do|was|am|were|are|have been|has been) )?{_SOFT}WANT
    """.replace("WANT", "(?:need|want|wanted|like|love|wish|have|trying|hoping|eager|keen|glad|happy|interested)")
)

GREETING = re.compile(
    r"\A\W*"
    + _one_of(
        r"""
        (?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?: WHOM)?
        dear [^,?]{1,30}(?=,)
        """.replace("WHOM", r"(?:there|all|everyone|everybody|team|folks|guys|(?-i:[A-Z]\w*)(?: (?-i:[A-Z]\w*))?)")
    )
    + r"\s*(?:[,!.;:–—-]+\s*|\Z|(?=\s(?:i|we|can|could|would|do|please|what|when|where|who|how|why)\b))",
    re.I,
)
_OPENINGS = _one_of(
    r"""
    so|well|ok|okay|now|right|um+|uh+|er+|hmm+|btw|by the way|basically|actually|honestly|to be honest|anyway|sorry
    excuse me|(?:just )?out of (?:pure |mere )?(?:curiosity|interest)|(?:just )?(?:curious|wondering|asking)
    (?:a |one |just a )?(?:(?:more|quick|short|small|simple|silly) )*(?:question|thing)(?: for you| here| please)?
    (?:my |our |the )?question is(?: this)?|here is (?:my|our|the) question|for my own understanding|for the record
    to cut a long story short|long story short|in (?:short|brief)
    if (?:you don['’]t mind|i may ask|possible|you (?:can|could|know))
    """
)
OPENER = re.compile(
    r"\A\W*"
    + _one_of(
        rf"""
        (?:please|pls|plz|kindly)[,\s]+
        {_OPENINGS}\s*(?:[,:;–—-]+|\.{{2,}}|…)\s*
        so (?=(?:who|when|where|why|how|what|which|can|could|do)\b)
        (?:(?:i am |i['’]m )?not sure (?:if|whether) (?:this|it|that) (?:is|belongs)|sorry (?:if|for)) [^,?]*, but\s+
        """
    ),
    re.I,
)
_THANKS = _one_of(
    r"""
    thanks(?: (?:a lot|so much|very much|in advance|again|for your help))*|(?:many|kind|best) (?:thanks|regards)
    thank you(?: (?:very much|so much|in advance|again|for your help))*|thx|cheers|regards
    """
)
CLOSER = re.compile(
    r"[\s,;–—-]*(?:\b"
    + _one_of(
        rf"""
        please|pls|plz|{_THANKS}|by any chance|asap|as soon as possible|do you know|any (?:ideas?|clue)
        if (?:you don['’]t mind|possible|you (?:can|could)(?: help)?|you know(?: (?:it|that))?|i may ask)
        can you (?:help|tell me)|i (?:was|am|['’]m) (?:just )?wondering|if that['’]s (?:ok|okay|all right)
        (?:and|but) (?:i|we) (?:have no (?:idea|clue)|do not know|don['’]t know|am not sure|cannot remember|forgot)
        """
    )
    + r"|[:;]-?[)(DP])(?P<end>[\s?.!…]*)\Z",
    re.I,
)
COURTESY = re.compile(
    r"\A\W*"
    + _one_of(
        r"""
        (?:many |kind |best |warm )?(?:thanks|thank you|thx|regards|cheers)\b(?! to\b).*
        (?:any|your|a little|some) (?:help|advice|answer|hint|information)\b.*\b(?:appreciated|welcome|great)\b.*
        i(?:['’]d| would)? (?:really |very much |greatly )?appreciate\b.*
        please (?:help|advise|respond|answer|reply|let me know)(?: me| us)?(?: out)?(?: as soon as possible| asap)?
        sorry (?:to|for|if) (?:both|troubl|ask|the|this|my)\w*.*|(?:i )?hope (?:you|this|that|it)\b.*
        (?:i|we) (?:have|had|['’]ve got|got) (?:a|one|another) (?:\w+ )?question(?: for you| about (?:this|that|it))?
        (?:just )?a? ?(?:quick|short|simple) question(?: for you)?|what do you think|any (?:ideas?|clue)
        (?:i am|i['’]m|we are) (?:really |quite |totally )?(?:curious|stuck|lost|confused|desperate)
        (?:can (?:you|anyone|someone) help|i need (?:some |your )?help|help)(?: me| us)?(?: out)?(?: with (?:this|it))?
        (?:does|do) (?:anyone|anybody|you|someone) know
        """
    )
    + r"\W*\Z",
    re.I | re.DOTALL,
)
"""A sentence that only greets, thanks or begs."""

CARRIER = re.compile(
    r"\b"
    + _one_of(
        rf"""
        {_YOU_WOULD} {_SOFT}(?:be so kind (?:as to|and) |be able to )?{_SOFT}{_TELL}
        (?:can|may|could|might) (?:i|we) {_SOFT}(?:ask(?: you)?|know)
        (?:do|would|does) {_ANYBODY} (?:(?:happen to|perhaps|by any chance|maybe|possibly) )*know
        (?:(?:do|does|have) (?:you|anyone|anybody) )?(?:have |got )?any (?:idea|clue)(?: of| as to)?
        {_I_WANT} (?:to )?{_SOFT}{_FIND_OUT}
        (?:i|we)(?: (?:was|am|were|are|have been)|['’]m|['’]re|['’]ve been) {_SOFT}DOUBT
        (?:i|we) (?:(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|really|just|still|never) )*LACK
        (?:i|we)(?: have|['’]ve)? (?:completely )?(?:forgot|forgotten)
        (?:please |kindly )?{_TELL_ME}
        (?:what|all) (?:i|we)(?:['’]d)? (?:really )?(?:need|want|would like|like) to (?:know|find out) is
        (?:it is|it['’]s) (?:not clear|unclear)(?: to me)?
        """.replace(
            "DOUBT",
            r"(?:wondering|curious(?: about)?|unsure(?: about| of)?|not (?:quite |so |entirely )?(?:sure|certain)"
            r"(?: about| of)?|asking(?: myself| ourselves)?|confused about|interested in(?: knowing| finding out)?|"
            r"looking (?:for|into|up))",
        ).replace("LACK", r"(?:wonder|know|remember|recall|understand|figure out|find(?: out)?|make out|see)")
    )
    + r"(?:\s+(?:in (?:more |some |great )?detail|in (?:a few|simple|your own) words|briefly|again|for me))?"
    + rf"\s*[,:–—-]*\s+(?:please[,\s]+)?(?:exactly\s+)?(?:{CLAUSE}|{_THING})",
    re.I,
)
"""A way to say “tell me”, up to the clause or the noun that is asked for."""
ASKED_ME = re.compile(
    r"\b(?:asks?|asked|wants?|wanted|needs?|needed|told)\s+(?:(?:me|us)\s+)?"
    r"(?:to\s+(?:find\s+out|know|look\s+up|check|ask|tell\s+(?:him|her|them))\s+)?" + CLAUSE,
    re.I,
)
"""Somebody else wants to know: only after words that name them (`My boss asked me ...`)."""
INFORMATION = re.compile(
    r"\b"
    + _one_of(
        r"""
        (?:can|could|would) you (?:please )?(?:give|send|provide|show|find)(?: (?:me|us))?(?: with)?
        (?:i|we)(?:['’]m|['’]d| am| are| was| were| would)? (?:(?:just|really|also|still) )*SEEK
        please (?:give|send|provide)(?: (?:me|us))?|any|looking for|need|give me
        """.replace(
            "SEEK", "(?:looking for|searching for|need|want|like|after|interested in|have|seeking|like to have)"
        )
    )
    + r"\s+(?:(?:some|any|more|further|the|a|an|detailed|quick|general)\s+)*"
    + r"(?:information|info|details?|facts?|help|question|data)\s+"
    + r"(?:about|on|regarding|concerning|as\s+to|with|of)\s+(?=\w)",
    re.I,
)
TELL_ABOUT = re.compile(
    _one_of(
        r"""
        \Awhat (?:can|could) you tell (?:me|us) (?:about|regarding|on) (?=\w)
        \A(?:(?:can|could|would) you )?(?:please )?tell (?:me|us)(?: (?:something|more|all|a bit))* about (?=\w)
        """
    ),
    re.I,
)
WHETHER_YOU_KNOW = re.compile(
    r"\A(?:whether|if)\s+(?:you|somebody|someone|anyone|anybody)\s+"
    r"(?:(?:could|can|would|might|may|happens?\s+to|by\s+any\s+chance|perhaps|maybe|please|possibly|be\s+able\s+to)\s+)*"
    rf"(?:{_TELL}|knows?|ha(?:ve|s)\s+any\s+idea)(?:\s+please)?\s*[,:]?\s+(?:{CLAUSE}|{_THING})",
    re.I,
)
BECAUSE_OF_ME = re.compile(r"\s*(?:,\s*(?:because|since|as|so(?: that)?)|\s+because)\s+(?:i|we|my|our)\b[^?]*\Z", re.I)
FOR_MY_WORK = re.compile(
    r"\s*,?\s+for (?:my|our)(?: \w+){0,2} (?:report|class|homework|essay|assignment|presentation|paper|project|quiz|"
    r"article|boss|talk|school|thesis|teacher|manager|team|newsletter|records|notes)\s*\Z",
    re.I,
)
ASIDE = re.compile(
    r"\A(?:(?:leaving|setting|putting) aside\b|apart from (?:all|everything)\b|to be (?:precise|exact)\b)[^?]*,\s+"
    + CLAUSE,
    re.I,
)
COMMA_CLAUSE = re.compile(r"[,;:–—]\s+(?:and\s+|so\s+|but\s+)?" + CLAUSE, re.I)
"""Where a clause that asks begins after other words."""
