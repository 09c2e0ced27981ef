"""A client of the API for Python programs: `Client` waits for each answer, `AsyncClient` is awaited.

    from cotag.client import Client

    with Client("http://127.0.0.1:8000") as cotag:
        for group in cotag.cloud("demo", q="card")["groups"]:
            print(group["label"])

It needs httpx: `pip install "cotag[client]"`.
"""

from cotag.client.async_calls import AsyncClient
from cotag.client.problem import ApiError, NoAnswer
from cotag.client.sync_calls import Client

__all__ = ["ApiError", "AsyncClient", "Client", "NoAnswer"]
