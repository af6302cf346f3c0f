from django.urls import path

from crawler.views import (
    alarms,
    crawls,
    diagnosis,
    examples,
    explore,
    focuses,
    home,
    hubs,
    monitor,
    settings,
    start,
    topics,
)

app_name = "crawler"

_CRAWL = "crawls/<int:crawl_id>/"
_FOCUS = "focuses/<int:focus_id>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("status/", home.status_strip, name="status-strip"),
    path("help/", home.help_page, name="help"),
    path("crawls/", crawls.index, name="crawls"),
    path(_CRAWL, monitor.monitor, name="crawl"),
    path(f"{_CRAWL}opening/", monitor.opening, name="crawl-opening"),
    path(f"{_CRAWL}view/", monitor.view, name="crawl-view"),
    path(f"{_CRAWL}points/", monitor.points, name="crawl-points"),
    path(f"{_CRAWL}stretch/", monitor.stretch, name="crawl-stretch"),
    path(f"{_CRAWL}pages/<int:seq>/", monitor.page, name="crawl-page"),
    path(f"{_CRAWL}upcoming/", monitor.upcoming, name="crawl-upcoming"),
    path(f"{_CRAWL}upcoming/<int:number>/", monitor.rank, name="crawl-rank"),
    path(f"{_CRAWL}settings/", settings.settings, name="crawl-settings"),
    *(
        path(f"{_CRAWL}{verb}/", crawls.step, {"verb": verb}, name=f"crawl-{verb}")
        for verb in crawls.STEPS
    ),
    path(f"{_CRAWL}hubs/", hubs.page, name="hubs"),
    path(f"{_CRAWL}hubs/distil/", hubs.distil, name="hubs-distil"),
    path(f"{_CRAWL}feedback/", hubs.judge, name="feedback"),
    path(f"{_CRAWL}feedback/undo/", hubs.undo, name="feedback-undo"),
    path(f"{_CRAWL}feedback/effect/", hubs.effect, name="feedback-effect"),
    path(f"{_CRAWL}visit/", hubs.visit, name="visit"),
    path(f"{_CRAWL}diagnosis/", diagnosis.page, name="diagnosis"),
    path(f"{_CRAWL}diagnosis/remedy/", diagnosis.remedy, name="diagnosis-remedy"),
    path(f"{_CRAWL}diagnosis/undo/", diagnosis.undo, name="diagnosis-undo"),
    path(f"{_CRAWL}diagnosis/enough/", diagnosis.enough, name="diagnosis-enough"),
    path(f"{_CRAWL}alarms/", alarms.crawl_settings, name="crawl-alarm-settings"),
    path("alarms/", alarms.index, name="alarms"),
    path("alarms/<int:alarm_id>/mute/", alarms.mute, name="alarm-mute"),
    path("alarms/<int:alarm_id>/unmute/", alarms.unmute, name="alarm-unmute"),
    path("alarms/settings/<slug:slug>/", alarms.team_settings, name="alarm-settings"),
    path(f"{_CRAWL}discard/", crawls.discard, name="crawl-discard"),
    path("focuses/new/", examples.new, name="focus-new"),
    path(_FOCUS, focuses.focus, name="focus"),
    path(f"{_FOCUS}duplicate/", focuses.duplicate, name="focus-duplicate"),
    path(f"{_FOCUS}export/", focuses.export, name="focus-export"),
    path(f"{_FOCUS}keep/", examples.keep, name="focus-keep"),
    path(f"{_FOCUS}examples/", examples.examples, name="focus-examples"),
    path(f"{_FOCUS}examples/bring/", examples.bring, name="focus-bring"),
    path(f"{_FOCUS}examples/reading/", examples.reading, name="focus-reading"),
    path(f"{_FOCUS}topics/", topics.topics, name="focus-topics"),
    path(f"{_FOCUS}topics/mark/", topics.mark, name="focus-mark"),
    path(f"{_FOCUS}topics/restore/", topics.restore, name="focus-marks-restore"),
    path(f"{_FOCUS}topics/make/", topics.make, name="focus-topic-make"),
    path(f"{_FOCUS}explore/", explore.explore, name="focus-explore"),
    path(f"{_FOCUS}explore/<int:page_id>/look/", explore.look, name="focus-explore-look"),
    path(f"{_FOCUS}explore/<int:page_id>/judge/", explore.judge, name="focus-explore-judge"),
    path(f"{_FOCUS}start/", start.start, name="focus-start"),
    path(f"{_FOCUS}start/preview/", start.preview, name="focus-preview"),
]
