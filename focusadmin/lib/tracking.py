"""Parameters that say who clicked, not which page: data for the canonical URL."""

import re

# Short on purpose: each name is used by a known service and by hardly any page for its content.
_TRACKING = (
    "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ymclid twclid ttclid li_fat_id igshid "
    "igsh mc_cid mc_eid mkt_tok _hsenc _hsmi __hssc __hstc __hsfp hsctatracking _openstat vero_id "
    "vero_conv oly_anon_id oly_enc_id wickedid rb_clickid s_cid s_kwcid ef_id epik cvid zanpid "
    "srsltid at_medium at_campaign at_custom1 at_custom2 sc_cid spm_id_from ga_source ga_medium "
    "ga_term ga_content ga_campaign ga_place _ga _gl __twitter_impression ncid cmpid icid "
    "trk_contact trk_msg trk_module trk_sid"
)
_SESSIONS = (
    "phpsessid jsessionid aspsessionid asp.net_sessionid sessionid session_id sid sessid cfid "
    "cftoken zenid oscsid osadcid xtcsid s_id osid"
)
_PREFIXES = ("utm_", "pk_", "mtm_", "matomo_", "hsa_", "aspsessionid")
# A short name such as `sid` may also be a section number: only a random-looking value is a session.
_RANDOM = re.compile(r"(?=[^\d]*\d)(?=[\d]*[a-zA-Z])[0-9a-zA-Z,._-]{16,}|\d{20,}", re.ASCII)

TRACKING_NAMES = frozenset(_TRACKING.split())
SESSION_NAMES = frozenset(_SESSIONS.split())
SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|sid|cfid|cftoken|zenid)=[^/;?#]*", re.IGNORECASE
)


def is_tracking(parameter: str) -> bool:
    """Whether `name=value` can be left out of a URL without changing the page."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in TRACKING_NAMES or name.startswith(_PREFIXES):
        return True
    return name in SESSION_NAMES and _RANDOM.fullmatch(value) is not None
