"""The search page, with the groups around what the visitor typed; and a form for a new icon, with its tags."""

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


def add(request: HttpRequest) -> HttpResponse:
    """What becomes of the tags of a new icon, and what it could also have. A shop would store it here."""
    title, tags = request.GET.get("title", "").strip(), request.GET.get("tags", "").strip()
    page = {"title": title, "tags": tags, "cotag": settings.COTAG_URL, "corpus": settings.COTAG_CORPUS, "message": ""}
    chosen = [tag.strip() for tag in tags.split(",") if tag.strip()]
    if title or chosen:
        try:
            answer = cotag.suggest(settings.COTAG_CORPUS, body={"title": title, "tags": chosen, "limit": 3})
            found = answer["documents"][0]
            page |= {"given": found["given"], "suggested": found["tags"]}
        except ApiError as refused:
            page["message"] = refused.detail
        except NoAnswer:
            page["message"] = "The tags are not to be had just now"
    return render(request, "add.html", page)
