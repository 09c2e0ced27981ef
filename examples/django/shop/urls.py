"""The one page."""

from django.urls import path

from shop.views import search

urlpatterns = [path("", search, name="search")]
