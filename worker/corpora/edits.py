"""What a run needs of editors' decisions: those that change the tags of documents, and trials of new ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog
from redis import Redis

from snapshot import NO_CONCEPT, Snapshot, is_trial
from snapshot.edits import Edit, EditState, edited_partition, key_finder
from snapshot.edits.conflicts import without_conflicts
from snapshot.store.edits import EditStore
from tagmodel import Company
from worker.corpora.declaration import Corpus
from worker.corpora.editor_keys import cleaned
from worker.errors import CorpusError

LISTED: Final = 100
"""Tags and concepts in a report."""

log = structlog.get_logger()


@dataclass(frozen=True, eq=False)
class EditedCorpus:
    """A corpus as a run clusters it, with the edits now and, in a trial, the edits to try."""

    corpus: Corpus
    edits: EditState
    trial: EditState | None = None


def edited_corpus(corpus: Corpus, redis: Redis, job: str) -> EditedCorpus:
    """The corpus with the synonyms, bans and different tags that editors decided on beside the corpora file."""
    store = EditStore(redis)
    edits = replace(store.read(corpus.name), declared=corpus.edits)
    if not is_trial(job):
        return EditedCorpus(with_edits(corpus, edits), edits)
    trial = store.trial(job, edits)
    if trial is None:
        raise CorpusError(f"the edits that job {job} was to try are gone")
    return EditedCorpus(with_edits(corpus, trial), edits, trial)


def with_edits(corpus: Corpus, edits: EditState) -> Corpus:
    """The corpus with the stored edits that need a run. The corpora file and older edits come first."""
    clean = corpus.clean.clean
    usable = [replace(edit, **cleaned(edit, clean)) for edit in edits.holding if edit.needs_run]
    usable = [edit for edit in usable if all(edit.forms) and len(set(edit.forms)) == len(edit.forms)]
    holding, refused = without_conflicts(usable)
    for edit in usable:
        if edit.id in refused:
            log.warning("an edit is passed over", corpus=corpus.name, edit=str(edit), reason=refused[edit.id])
    own = [edit for edit in holding if edit.origin == "api"]
    return corpus.model_copy(
        update={
            "synonyms": {**corpus.synonyms, **{edit.tag: edit.to for edit in own if edit.kind == "synonym"}},
            "ban": [*corpus.ban, *sorted(edit.tag for edit in own if edit.kind == "ban")],
            "admit": [*corpus.admit, *sorted(edit.tag for edit in own if edit.kind == "admit")],
            "implies": _with_implications(corpus.implies, own),
            "distinct": [*corpus.distinct, *sorted(list(edit.tags) for edit in own if edit.kind == "distinct")],
            "stored_edits": tuple(edit for edit in edits.holding if edit.origin == "api"),
        }
    )


def _with_implications(declared: Mapping[str, str | list[str]], own: list[Edit]) -> dict[str, list[str]]:
    """The implications of the corpora file and those of editors, in an order that does not depend on when they came."""
    implied = {tag: [to] if isinstance(to, str) else list(to) for tag, to in declared.items()}
    for edit in sorted((edit for edit in own if edit.kind == "implies"), key=lambda edit: edit.forms):
        implied.setdefault(edit.tag, []).append(edit.to)
    return implied


def trial_report(edited: EditedCorpus, snapshot: Snapshot, served: Snapshot | None) -> dict[str, Any]:
    """What the edits of a trial change, compared with the served version; its fields are those of EditReport."""
    before = {} if served is None else _concept_of(served, edited.edits)
    after = _concept_of(snapshot, edited.trial or edited.edits)
    moved = [key for key in after if key in before and before[key][0] != after[key][0]]
    old, new = _concepts(before, served), _concepts(after, snapshot)
    changed = sorted(number for number in {*old, *new} if old.get(number) != new.get(number))
    return {
        "corpus": snapshot.corpus,
        "version": served.version if served else "",
        "revision": edited.edits.revision,
        "tags_moved": len(moved),
        "concepts_changed": len(changed),
        "recall": _figures(served, snapshot, "suggestions", "recall"),
        "bits": _figures(served, snapshot, "quality", "bits"),
        "moved": [{"tag": key, "before": before[key][0], "after": after[key][0]} for key in moved[:LISTED]],
        "concepts": [
            {"id": number, "before": _shown(old.get(number)), "after": _shown(new.get(number))}
            for number in changed[:LISTED]
        ],
        "documents": _documents(edited, snapshot, served),
    }


def _documents(edited: EditedCorpus, snapshot: Snapshot, served: Snapshot | None) -> list[dict[str, Any]]:
    """The tags that the trial decides about and whose number of documents it changes."""
    known = {edit.id for edit in edited.edits.edits}
    tried = edited.trial.edits if edited.trial else ()
    ids = {edit.id for edit in tried}
    changed = [edit for edit in tried if edit.id not in known]
    changed += [edit for edit in edited.edits.edits if edit.id not in ids]
    before, after = ({} if each is None else _counts(each) for each in (served, snapshot))
    forms = dict.fromkeys(form for edit in changed if edit.needs_run for form in edit.forms)
    found = (key for key in forms if before.get(key) != after.get(key))
    return [{"tag": key, "before": before.get(key), "after": after.get(key)} for key in found][:LISTED]


def _counts(snapshot: Snapshot) -> dict[str, int]:
    """The documents of each key, rare tags too."""
    keys = (*snapshot.keys, *snapshot.tail.keys)
    return dict(zip(keys, [*snapshot.counts.tolist(), *snapshot.tail.counts.tolist()], strict=True))


Concept = tuple[str, frozenset[str]]


def _concept_of(snapshot: Snapshot, edits: EditState) -> dict[str, tuple[int, str]]:
    """The cluster of each key, and its label. A rare tag without a concept has none."""
    company = Company.of(snapshot.related, snapshot.partition.labels, snapshot.broad)
    edited = edited_partition(snapshot, key_finder(snapshot), company, edits)
    names = {cluster.id: cluster.name for cluster in snapshot.clusters} | edited.labels
    keys = (*snapshot.keys, *snapshot.tail.keys)
    found = zip(keys, edited.clusters, strict=True)
    return {key: (number, names[number]) for key, number in found if number != NO_CONCEPT}


def _concepts(concept_of: Mapping[str, tuple[int, str]], snapshot: Snapshot | None) -> dict[int, Concept]:
    """The concepts by id, with their tags of the tree."""
    members: dict[int, list[str]] = {}
    labels: dict[int, str] = {}
    for key in snapshot.keys if snapshot else ():
        number, label = concept_of[key]
        members.setdefault(number, []).append(key)
        labels[number] = label
    return {number: (labels[number], frozenset(keys)) for number, keys in members.items()}


def _shown(concept: Concept | None) -> dict[str, Any] | None:
    return None if concept is None else {"label": concept[0], "size": len(concept[1])}


def _figures(served: Snapshot | None, snapshot: Snapshot, part: str, name: str) -> dict[str, float | None]:
    return {
        "before": getattr(served, part).get(name) if served else None,
        "after": getattr(snapshot, part).get(name),
    }
