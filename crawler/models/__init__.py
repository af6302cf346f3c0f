"""The crawler's tables, one file per subject."""

from crawler.models.alarm import Alarm, AlarmChange, AlarmNotice, AlarmSettings, AlarmWatch
from crawler.models.crawl import Crawl
from crawler.models.distillation import Distillation, RankedPage
from crawler.models.export import Export, RawPage
from crawler.models.feedback import FrontierNudge, Verdict
from crawler.models.harvest import CrawlEvent, CrawlHost, FrontierUrl, Page, PageBody, PageBucket
from crawler.models.news import NewsDigest, NewsFeed, NewsItem, NewsMark, NewsProgress
from crawler.models.revisit import PageVisit, PageWatch
from crawler.models.worker import WorkerSighting

__all__ = [
    "Alarm",
    "AlarmChange",
    "AlarmNotice",
    "AlarmSettings",
    "AlarmWatch",
    "Crawl",
    "CrawlEvent",
    "CrawlHost",
    "Distillation",
    "Export",
    "FrontierNudge",
    "FrontierUrl",
    "NewsDigest",
    "NewsFeed",
    "NewsItem",
    "NewsMark",
    "NewsProgress",
    "Page",
    "PageBody",
    "PageBucket",
    "PageVisit",
    "PageWatch",
    "RankedPage",
    "RawPage",
    "Verdict",
    "WorkerSighting",
]
