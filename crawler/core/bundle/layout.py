"""What a bundle is made of. A new member, or another meaning of one, is a new version."""

from focusadmin.lib.errors import FocusAdminError

FORMAT = "focusadmin-bundle"
FORMAT_VERSION = 1

CRAWL = "crawl.json"
TAXONOMY = "taxonomy.jsonl"
MODEL_FACTS = "model/model.json"
MODEL = "model/model.npz"
HOSTS = "graph/hosts.jsonl"
URLS = "graph/urls.jsonl"
PAGES = "graph/pages.jsonl"
LINKS = "graph/links.jsonl"
VISITS = "graph/visits.jsonl"
TEXTS = "graph/texts.jsonl"
EVENTS = "decisions/events.jsonl"
FEEDBACK = "decisions/feedback.jsonl"
LABELS = "decisions/labels.jsonl"
SITES = "decisions/sites.jsonl"
NUDGES = "decisions/nudges.jsonl"
DISTILLATIONS = "decisions/distillations.jsonl"
FIGURES = "figures.json"
README = "README.md"
CITATION = "CITATION.cff"
MANIFEST = "manifest.json"

# In this order. The checksum that is cited covers the data; what tells about it may be edited.
DATA = (
    CRAWL, TAXONOMY, MODEL_FACTS, MODEL, HOSTS, URLS, PAGES, LINKS, VISITS, TEXTS, EVENTS, FEEDBACK,
    LABELS, SITES, NUDGES, DISTILLATIONS, FIGURES,
)  # fmt: skip
ABOUT = (README, CITATION)
MEMBERS = (*DATA, *ABOUT, MANIFEST)
FOLDERS = ("model/", "graph/", "decisions/")  # some programs add them when they pack again

LARGEST_FILE = 64 * 1024**3
LARGEST_WHOLE = 256 * 1024**3  # of all members, unpacked
LARGEST_TOLD = 64 * 1024**2  # a member that is read as a whole
LARGEST_MODEL = 4 * 1024**3
LONGEST_LINE = 64 * 1024**2
MOST_SQUEEZED = 200  # times; what we write is squeezed 3 to 30 times, a bomb 1,000 times
SQUEEZED_FREELY = 4 * 1024**2  # smaller members may be as empty as they like
LARGEST_DIRECTORY = 64 * 1024


class BundleError(FocusAdminError):
    """A file that is no bundle, or no whole one; the text says what is wrong with it."""
