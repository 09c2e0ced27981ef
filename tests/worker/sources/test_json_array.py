"""JSON arrays: read element by element, whatever their white space, and refused where they break."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worker.writing import corpus_of
from worker.corpora.reader import read_documents
from worker.errors import CorpusError
from worker.sources.document import Tally
from worker.sources.formats import json_array
from worker.sources.formats.streams import lines

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3))


def read(path):
    tally = Tally()
    return list(read_documents(corpus_of(path), tally)), tally


def put(folder, text, name="d.json"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@given(st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), max_size=5), st.integers(1, 9), st.booleans())
def test_the_elements_are_those_of_the_array_whatever_the_size_of_the_blocks(tmp_path_factory, content, size, spread):
    text = json.dumps(content, indent=3 if spread else None, ensure_ascii=spread)
    path = put(tmp_path_factory.mktemp("array"), text.encode("utf-8", "replace").decode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", size)
        elements = [json.loads(element) for element in json_array.elements(path, Tally())]
    assert elements == json.loads(path.read_text())


def test_a_bad_element_is_passed_over_with_its_number(tmp_path):
    found, tally = read(put(tmp_path, '[{"id": "a", "tags": ["x"]}, 7, {"id": "b"}, {"tags": ["y"]}]'))
    assert [(document.id, document.tags) for document in found] == [("a", ("x",)), ("d.json:4", ("y",))]
    assert tally.faults == ["d.json element 2: not an object", 'd.json element 3: no field "tags"']
    assert (tally.lines, tally.bad, tally.done) == (4, 2, tally.total)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"tags": []}', "after element 1 of the array comes the end of the file, not a comma"),
        ('[{"tags": []} {"tags": []}]', "after element 1 of the array comes '{', not a comma"),
        ('[{"tags": [}]', "element 1 is not JSON"),
        ('[{"tags": []},]', "element 2 is not JSON"),
        ("[] x", "after the array comes 'x'"),
    ],
)
def test_an_array_that_breaks_is_refused_with_the_place(tmp_path, text, message):
    with pytest.raises(CorpusError, match=message):
        read(put(tmp_path, text))


def test_a_json_file_may_also_have_one_object_a_line(tmp_path):
    found, _ = read(put(tmp_path, '\n{"id": "a", "tags": ["x"]}\n{"id": "b", "tags": []}\n'))
    assert [document.id for document in found] == ["a", "b"]
    assert read(put(tmp_path, " \n"))[0] == []
