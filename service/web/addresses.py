"""Who a client is by its address: what trusted proxies say, and the network that a rate limit counts."""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

HOME_BITS: Final = 64
"""An ordinary IPv6 connection has a network of this length, with more addresses than anybody can count."""


class Proxies:
    """The proxies in front of the service: how many, and in which networks they are."""

    def __init__(self, count: int, networks: Iterable[str]) -> None:
        self.count = count
        self._networks = tuple(ip_network(network) for network in networks)
        self._trusts = lru_cache(maxsize=1000)(self._is_inside)

    def client(self, peer: str, forwarded: str | None) -> str:
        """The address of the client: the peer, or what the outermost trusted proxy saw."""
        if forwarded is None or not self.trust(peer):
            return peer
        addresses = [address.strip() for address in forwarded.split(",")]
        said = addresses[-self.count] if len(addresses) >= self.count else ""
        return said if parsed(said) is not None else peer

    def trust(self, peer: str) -> bool:
        """Whether X-Forwarded headers of a peer are believed. One without an address has a Unix socket."""
        return self.count > 0 and (not peer or self._trusts(peer))

    def _is_inside(self, peer: str) -> bool:
        address = parsed(peer)
        return address is not None and any(address in network for network in self._networks)


@lru_cache(maxsize=10_000)
def client_network(address: str) -> str:
    """What a rate limit counts: an IPv4 address, or the /64 of an IPv6 address, whatever the port."""
    found = parsed(address)
    if found is None:
        return address
    return str(found) if found.version == 4 else str(ip_network((found, HOME_BITS), strict=False))


def parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An address, with or without brackets, a port or a zone; one of IPv4 that IPv6 carries is one of IPv4."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
