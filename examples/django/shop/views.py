"""The search page: the groups around what the visitor typed, and the documents behind it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from cotag.client import ApiError, Client, NoAnswer

cotag = Client(settings.COTAG_URL, timeout=2.0, retries=1)


def search(request: HttpRequest) -> HttpResponse:
    """Without a query, the whole corpus. A page without groups is better than an error page."""
    query = request.GET.get("q", "").strip()
    page = {"query": query, "cotag": settings.COTAG_URL, "groups": [], "documents": [], "total": 0, "message": ""}
    try:
        cloud = cotag.cloud(settings.COTAG_CORPUS, q=query)
        page["groups"] = cloud["groups"]
        if query and not cloud["query"]["tags"]:
            unknown = cloud["query"]["suggestions"]
            page |= {
                "message": f"Nothing is known about {query!r}",
                "suggestions": [tag for each in unknown for tag in each["tags"]],
            }
        elif query:
            found = cotag.documents(settings.COTAG_CORPUS, q=query, limit=12)
            page |= {"documents": found["documents"], "total": found["total"]}
    except ApiError as refused:
        page |= {"message": refused.detail, "suggestions": refused.suggestions}
    except NoAnswer:
        page["message"] = "The tags are not to be had just now"
    return render(request, "search.html", page)
