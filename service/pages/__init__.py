"""The pages that people see: search at /, the trees at /explore, the runs at /ops, the embedded cloud at /embed.

All are rendered here whole and useful without JavaScript; every state is an address. Scripts (service/static) only
save a round trip: they ask for the same addresses and replace the parts that changed.
"""

from service.pages.blueprint import blueprint

__all__ = ["blueprint"]
