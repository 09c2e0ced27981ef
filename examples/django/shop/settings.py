"""Settings of the example. COTAG_URL and COTAG_CORPUS say what is asked."""

import os
import secrets

SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY", secrets.token_hex())
DEBUG = True
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = ["shop"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

COTAG_URL = os.environ.get("COTAG_URL", "http://127.0.0.1:8000")
COTAG_CORPUS = os.environ.get("COTAG_CORPUS", "demo")
