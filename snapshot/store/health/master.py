"""Finds the master of a store that Sentinels watch, also while the network between them is split."""

from typing import Any, Final, cast

from redis.exceptions import ConnectionError as ConnectionLost
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as NoAnswer
from redis.sentinel import (
    MasterNotFoundError,
    Sentinel,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from runtime.sentinels import SentinelUrl

SENTINEL_SECONDS: Final = 1.0
TOO_FEW_REPLICAS: Final = "NOREPLICAS"


class MajoritySentinel(Sentinel):
    """Asks Sentinels until most have answered, and believes the one that knows of the latest election.

    The first that answers, which redis-py believes, may be alone with a master that the others have replaced.
    """

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """The address of the master; MasterNotFoundError if it is down, or if no Sentinel answers."""
        states, silent = list[dict[str, Any]](), list[Any]()
        for sentinel in list(self.sentinels):
            try:
                state = cast("dict[str, dict[str, Any]]", sentinel.sentinel_masters()).get(service_name)
            except (ConnectionLost, NoAnswer):
                silent.append(sentinel)
                continue
            states += [state] if state else []
            if len(states) > len(self.sentinels) // 2:
                break
        self.sentinels.sort(key=lambda sentinel: sentinel in silent)  # next time they are asked last
        if not states:
            raise MasterNotFoundError(f"no Sentinel that answers knows a master {service_name!r}")
        latest = max(states, key=lambda each: (each["config-epoch"], self._is_up(each, service_name)))
        if not self._is_up(latest, service_name):
            raise MasterNotFoundError(f"the master {service_name!r} is down, and Sentinels have not chosen another yet")
        return str(latest["ip"]), int(latest["port"])

    def _is_up(self, state: dict[str, Any], name: str) -> bool:
        return bool(self.check_master_state(state, name))  # type: ignore[no-untyped-call]


class _LeavesOldMaster(SentinelManagedConnection):
    """Asks the Sentinels again when a master says that it lost its replicas: there may be another one."""

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().read_response(*args, **kwargs)
        except ResponseError as error:
            if str(error).startswith(TOO_FEW_REPLICAS):
                self.disconnect()  # type: ignore[no-untyped-call]
            raise


class _LeavesOldMasterOverTLS(_LeavesOldMaster, SentinelManagedSSLConnection):
    """The same over TLS."""


def connection_class(url: SentinelUrl) -> type[SentinelManagedConnection]:
    """The class of connections to the store."""
    return _LeavesOldMasterOverTLS if url.store.get("ssl") else _LeavesOldMaster
