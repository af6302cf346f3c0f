from django.contrib import admin

from crawler.models import WorkerSighting


@admin.register(WorkerSighting)
class WorkerSightingAdmin(admin.ModelAdmin[WorkerSighting]):
    list_display = ["hostname", "seen_at"]
    search_fields = ["hostname"]
    readonly_fields = ["hostname", "seen_at"]
