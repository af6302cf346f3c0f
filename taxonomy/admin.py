from django.contrib import admin

from taxonomy.models import Example, Focus, FocusShare, GoodTopic, Taxonomy, Topic, TreeEdit


@admin.register(Taxonomy)
class TaxonomyAdmin(admin.ModelAdmin[Taxonomy]):
    list_display = ("name", "slug", "team", "revision", "edited_at", "ready_at")
    list_select_related = ("team",)
    search_fields = ("name", "slug")
    raw_id_fields = ("root", "trash")
    readonly_fields = ("revision",)


@admin.register(Topic)
class TopicAdmin(admin.ModelAdmin[Topic]):
    """To look at: a change here would be in no history, and could break the tree."""

    list_display = ("shown", "depth", "numchild", "example_count")
    search_fields = ("name",)
    raw_id_fields = ("parent",)

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: Topic | None = None) -> bool:
        return False

    def has_delete_permission(self, request: object, obj: Topic | None = None) -> bool:
        return False


@admin.register(Example)
class ExampleAdmin(admin.ModelAdmin[Example]):
    list_display = ("__str__", "topic", "source", "is_removed", "added_by", "added_at")
    list_select_related = ("topic", "added_by")
    list_filter = ("source", "is_removed")
    search_fields = ("title", "url")
    raw_id_fields = ("topic", "added_by")
    readonly_fields = ("topic", "is_removed")


class GoodTopicInline(admin.TabularInline[GoodTopic, Focus]):
    model = GoodTopic
    extra = 0
    raw_id_fields = ("topic", "marked_by")


class FocusShareInline(admin.TabularInline[FocusShare, Focus]):
    model = FocusShare
    extra = 0
    raw_id_fields = ("membership", "shared_by")


@admin.register(Focus)
class FocusAdmin(admin.ModelAdmin[Focus]):
    list_display = ("name", "team", "owner", "taxonomy", "created_at")
    list_select_related = ("team", "owner", "taxonomy")
    search_fields = ("name", "slug")
    raw_id_fields = ("owner", "taxonomy")
    inlines = (GoodTopicInline, FocusShareInline)


@admin.register(TreeEdit)
class TreeEditAdmin(admin.ModelAdmin[TreeEdit]):
    list_display = ("taxonomy", "revision", "kind", "summary", "by", "made_at")
    list_select_related = ("taxonomy", "by")
    list_filter = ("kind",)
    search_fields = ("summary",)
    raw_id_fields = ("taxonomy", "topic", "by", "undoes")
    readonly_fields = ("changes", "revision", "kind", "summary")
