"""Answers for supervisors and load balancers: is the process up, can it serve?"""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
@login_not_required
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers; says nothing about anything behind it."""
    return JsonResponse({"status": "ok"})


@require_safe
@login_not_required
def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers too; 503 while it does not."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "reason": "database"}, status=503)
    return JsonResponse({"status": "ready"})
