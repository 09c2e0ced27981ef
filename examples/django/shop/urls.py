"""The two pages."""

from django.urls import path

from shop.views import add, search

urlpatterns = [path("", search, name="search"), path("add", add, name="add")]
