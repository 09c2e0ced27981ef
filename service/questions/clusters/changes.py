"""What changed in a corpus since an earlier version."""

from service.answers import ChangesAnswer
from service.errors import VersionGone
from service.view.view import View
from snapshot.store.change_log import ChangeLog, UnknownSince
from snapshot.version.changes import concepts_of
from snapshot.version.comparison import compare


def changes_since(view: View, log: ChangeLog, since: str) -> ChangesAnswer:
    """The changes from a version of the last year to the one that is served; VersionGone if nothing is known of it."""
    snapshot = view.snapshot
    now = concepts_of(snapshot)
    try:
        before = log.steps(snapshot.corpus).concepts_at(since, snapshot.version, now)
    except UnknownSince as error:
        raise VersionGone(str(error), error.oldest) from error
    found = compare(before, now)
    return ChangesAnswer(
        corpus=snapshot.corpus,
        since=since,
        version=snapshot.version,
        new=list(found.new),
        split=list(found.split),
        merged=list(found.merged),
        gone=list(found.gone),
        renamed=list(found.renamed),
        came=list(found.came),
        went=list(found.went),
        moved=list(found.moved),
    )
