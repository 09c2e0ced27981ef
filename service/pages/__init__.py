"""The pages for people: search at /, trees at /explore, concepts at /concept, editing at /curate, runs at /ops, …

The service renders complete pages that work without JavaScript; every state has an address. Scripts (pages/static)
only save reloading: they fetch the same addresses and replace the parts that changed.
"""

from service.pages.blueprint import blueprint

__all__ = ["blueprint"]
