"""The parameters of the paths about editors' decisions."""

from pydantic import Field

from service.api.parameters.parameters import Integer, Parameters
from service.view.edit_states import EditForce
from snapshot.edits import Kind


class EditsQuery(Parameters):
    """One page of the edits."""

    kind: Kind | None = Field(default=None, description="Only edits of this kind")
    state: EditForce | None = Field(default=None, description="Only those in this state")
    limit: Integer = Field(default=100, ge=1, le=1000, description="At most this many edits")
    offset: Integer = Field(default=0, ge=0, le=10_000_000, description="Skip this many")


class EditQuery(Parameters):
    """Whether to change anything."""

    dry_run: bool = Field(default=False, description="Change nothing; report what would change")


class DeleteEditsQuery(Parameters):
    """Which edits to take back."""

    id: list[str] = Field(min_length=1, max_length=1000, description="Id of an edit; repeatable")
