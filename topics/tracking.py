"""Query parameters that are no part of a page's identity (SPEC C3): data to review, not code.

Listed is what only carries attribution or a session, by its owner's documentation. A name that could also select content
(`ref`, `source`, `campaign`, `sid`) is not confirmed and stays in the identity unless a source's policy lists it.
"""

CONFIRMED_TRACKING_PREFIXES = ("utm_", "hsa_", "mtm_")
CONFIRMED_TRACKING = frozenset(
    (
        *("gclid", "gclsrc", "gbraid", "wbraid", "dclid", "gad_source", "gad_campaignid", "srsltid", "_ga", "_gl"),
        *("fbclid", "msclkid", "yclid", "ttclid", "twclid", "igshid", "igsh", "epik", "li_fat_id", "sccid", "rdt_cid"),
        *("irclickid", "cjevent", "awc", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "hsctatracking", "mkt_tok"),
        *("vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "wickedid", "_kx", "_branch_match_id"),
    )
)
CONFIRMED_SESSION = ("cfid", "cftoken", "jsessionid", "oscsid", "phpsessid", "zenid")
