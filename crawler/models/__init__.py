"""The crawler's tables, one file per subject."""

from crawler.models.alarm import Alarm, AlarmChange, AlarmNotice, AlarmSettings, AlarmWatch
from crawler.models.crawl import Crawl
from crawler.models.distillation import Distillation, RankedPage
from crawler.models.export import Export, RawPage
from crawler.models.feedback import FrontierNudge, Verdict
from crawler.models.harvest import CrawlEvent, CrawlHost, FrontierUrl, Page, PageBody, PageBucket
from crawler.models.label import LabelAnswer, LabelQueue, LabelTask, PrecisionSample
from crawler.models.news import NewsDigest, NewsFeed, NewsItem, NewsMark, NewsProgress
from crawler.models.question import CrawlSurvey, SavedQuestion
from crawler.models.revisit import PageVisit, PageWatch
from crawler.models.site import CrawlSite, SiteCount, SiteDecision
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
    "CrawlSite",
    "CrawlSurvey",
    "Distillation",
    "Export",
    "FrontierNudge",
    "FrontierUrl",
    "LabelAnswer",
    "LabelQueue",
    "LabelTask",
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
    "PrecisionSample",
    "RankedPage",
    "RawPage",
    "SavedQuestion",
    "SiteCount",
    "SiteDecision",
    "Verdict",
    "WorkerSighting",
]
