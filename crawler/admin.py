from django.contrib import admin

from crawler.models import (
    Crawl,
    CrawlEvent,
    CrawlSite,
    CrawlSurvey,
    Distillation,
    Export,
    FrontierNudge,
    LabelAnswer,
    LabelQueue,
    LabelTask,
    NewsDigest,
    NewsFeed,
    PageVisit,
    PrecisionSample,
    RankedPage,
    SavedQuestion,
    SiteDecision,
    Verdict,
    WorkerSighting,
)


@admin.register(WorkerSighting)
class WorkerSightingAdmin(admin.ModelAdmin[WorkerSighting]):
    list_display = ["hostname", "seen_at"]
    search_fields = ["hostname"]
    readonly_fields = ["hostname", "seen_at"]


@admin.register(Crawl)
class CrawlAdmin(admin.ModelAdmin[Crawl]):
    """For support: states and figures are the engine's, and read-only here."""

    list_display = ["name", "state", "reason", "strategy", "fetched", "failed", "created_at"]
    list_filter = ["state", "strategy"]
    search_fields = ["name", "slug"]
    raw_id_fields = ["focus", "team", "started_by", "model"]
    list_select_related = ["focus"]
    readonly_fields = [
        "state", "reason", "seq", "fetched", "failed", "revisited", "round_until", "relevant",
        "relevance_sum",
        "bytes_fetched", "seconds_run", "frontier_size", "status", "fence", "lease_owner",
        "lease_until", "crashes", "settings_revision", "ranked_revision",
    ]  # fmt: skip


@admin.register(CrawlEvent)
class CrawlEventAdmin(admin.ModelAdmin[CrawlEvent]):
    list_display = ["crawl", "seq", "kind", "text", "at"]
    list_filter = ["kind"]
    search_fields = ["text"]
    raw_id_fields = ["crawl", "by"]
    list_select_related = ["crawl"]


@admin.register(Distillation)
class DistillationAdmin(admin.ModelAdmin[Distillation]):
    list_display = ["crawl", "number", "pages", "links", "rounds", "has_converged", "at"]
    search_fields = ["crawl__name"]
    raw_id_fields = ["crawl", "by"]
    list_select_related = ["crawl"]


@admin.register(RankedPage)
class RankedPageAdmin(admin.ModelAdmin[RankedPage]):
    list_display = ["distillation", "kind", "rank", "score", "good_links", "all_links"]
    list_filter = ["kind"]
    search_fields = ["distillation__crawl__name"]
    raw_id_fields = ["distillation"]
    list_select_related = ["distillation__crawl"]


@admin.register(Export)
class ExportAdmin(admin.ModelAdmin[Export]):
    list_display = ["crawl", "format", "state", "rows", "size_bytes", "created_at"]
    list_filter = ["format", "state"]
    search_fields = ["crawl__name"]
    raw_id_fields = ["crawl", "by"]
    list_select_related = ["crawl"]
    readonly_fields = ["state", "rows", "size_bytes", "attempt", "seen_at"]


@admin.register(FrontierNudge)
class FrontierNudgeAdmin(admin.ModelAdmin[FrontierNudge]):
    list_display = ["crawl", "number", "kind", "reason", "made_at", "applied_at"]
    list_filter = ["kind"]
    search_fields = ["crawl__name", "reason"]
    raw_id_fields = ["crawl", "distillation", "by"]
    list_select_related = ["crawl"]


@admin.register(Verdict)
class VerdictAdmin(admin.ModelAdmin[Verdict]):
    list_display = ["crawl", "site", "number", "value", "by", "at", "undone_at"]
    list_filter = ["value"]
    search_fields = ["crawl__name", "site"]
    raw_id_fields = ["crawl", "by", "undone_by"]
    readonly_fields = ["edits", "effect", "revision"]
    list_select_related = ["crawl", "by"]


@admin.register(CrawlSite)
class CrawlSiteAdmin(admin.ModelAdmin[CrawlSite]):
    """Figures are counted and states follow decisions: read-only here."""

    list_display = ["crawl", "site", "state", "pages", "relevant", "waiting", "predicted"]
    list_filter = ["state"]
    search_fields = ["crawl__name", "site"]
    raw_id_fields = ["crawl"]
    list_select_related = ["crawl"]
    readonly_fields = ["state", "entries"]


@admin.register(SiteDecision)
class SiteDecisionAdmin(admin.ModelAdmin[SiteDecision]):
    list_display = ["crawl", "site", "value", "by", "at", "undone_at"]
    list_filter = ["value"]
    search_fields = ["crawl__name", "site"]
    raw_id_fields = ["crawl", "by", "undone_by", "kept_from"]
    readonly_fields = ["effect"]
    list_select_related = ["crawl", "by"]


@admin.register(LabelQueue)
class LabelQueueAdmin(admin.ModelAdmin[LabelQueue]):
    list_display = ["crawl", "train_after", "wants_agreement", "training"]
    search_fields = ["crawl__name"]
    raw_id_fields = ["crawl", "training"]
    readonly_fields = ["counted_from", "is_due", "is_followed"]
    list_select_related = ["crawl", "training"]


@admin.register(LabelTask)
class LabelTaskAdmin(admin.ModelAdmin[LabelTask]):
    list_display = ["crawl", "page_seq", "part", "reason", "is_open"]
    list_filter = ["part", "is_open"]
    search_fields = ["crawl__name"]
    raw_id_fields = ["crawl", "sample", "handed_to"]
    list_select_related = ["crawl"]


@admin.register(LabelAnswer)
class LabelAnswerAdmin(admin.ModelAdmin[LabelAnswer]):
    list_display = ["task", "by", "value", "at", "undone_at"]
    list_filter = ["value"]
    raw_id_fields = ["task", "by", "verdict"]
    list_select_related = ["task", "by"]


@admin.register(PrecisionSample)
class PrecisionSampleAdmin(admin.ModelAdmin[PrecisionSample]):
    """What was drawn stays as it was drawn."""

    list_display = ["crawl", "model", "draw", "population", "asked", "drawn_at"]
    search_fields = ["crawl__name"]
    raw_id_fields = ["crawl", "model"]
    readonly_fields = ["good", "seed", "seq", "population", "pages"]
    list_select_related = ["crawl", "model"]


@admin.register(CrawlSurvey)
class CrawlSurveyAdmin(admin.ModelAdmin[CrawlSurvey]):
    list_display = ["crawl", "seq", "at"]
    list_select_related = ["crawl"]
    readonly_fields = ["crawl", "seq", "figures", "at"]


@admin.register(SavedQuestion)
class SavedQuestionAdmin(admin.ModelAdmin[SavedQuestion]):
    list_display = ["name", "team", "crawl", "by", "at"]
    list_select_related = ["team", "crawl", "by"]
    search_fields = ["name", "sql"]
    raw_id_fields = ["team", "crawl", "by"]
    readonly_fields = ["at"]


@admin.register(PageVisit)
class PageVisitAdmin(admin.ModelAdmin[PageVisit]):
    list_display = ["crawl", "number", "outcome", "changed", "similarity", "when"]
    list_filter = ["changed"]
    search_fields = ["crawl__name", "outcome"]
    raw_id_fields = ["crawl"]
    list_select_related = ["crawl"]


@admin.register(NewsFeed)
class NewsFeedAdmin(admin.ModelAdmin[NewsFeed]):
    list_display = ["user", "focus", "crawl", "created_at"]
    search_fields = ["user__username"]
    raw_id_fields = ["user", "focus", "crawl"]
    readonly_fields = ["token_hash"]
    list_select_related = ["user", "focus", "crawl"]


@admin.register(NewsDigest)
class NewsDigestAdmin(admin.ModelAdmin[NewsDigest]):
    list_display = ["user", "focus", "every", "next_at", "claimed_at", "outcome"]
    list_filter = ["every"]
    search_fields = ["user__username", "focus__name"]
    raw_id_fields = ["user", "focus"]
    readonly_fields = ["upto", "claimed_at", "outcome"]
    list_select_related = ["user", "focus"]
