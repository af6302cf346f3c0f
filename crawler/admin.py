from django.contrib import admin

from crawler.models import (
    Crawl,
    CrawlEvent,
    Distillation,
    Export,
    FrontierNudge,
    NewsDigest,
    NewsFeed,
    PageVisit,
    RankedPage,
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
