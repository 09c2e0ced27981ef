"""Writes the generated modules of the Python client, `cotag.client`: the shapes of answers, and the calls, twice."""

import keyword
from collections.abc import Iterator
from keyword import iskeyword
from textwrap import dedent
from typing import Any, Final

from clients.api import REF, Api, Call, Parameter, Schema, Shape

NOTICE: Final = "# `python -m clients --write` writes this file from openapi.json."
PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
READERS: Final = {"text": "str", "content": "bytes"}


def modules(api: Api) -> dict[str, str]:
    """File name → text."""
    return {
        "answers.py": _answers(api),
        "sync_calls.py": _calls(api, waits=False),
        "async_calls.py": _calls(api, waits=True),
    }


def _answers(api: Api) -> str:
    head = f"""\
        {NOTICE}
        \"\"\"The answers of the API, as typed dicts.\"\"\"

        from typing import Any, Literal, NotRequired, TypedDict
        """
    return "\n".join([dedent(head), *map(_typed_dict, api.shapes)])


def _typed_dict(shape: Shape) -> str:
    fields = {each.name: _optional(_kind(each.schema), required=each.required) for each in shape.fields}
    if any(keyword.iskeyword(name) for name in fields):
        inside = ", ".join(f'"{name}": "{kind.replace(chr(34), chr(39))}"' for name, kind in fields.items())
        return f'\n{shape.name} = TypedDict("{shape.name}", {{{inside}}})\n{_docstring(shape.description, "")}\n'
    lines = [f"    {name}: {_forward(kind)}" for name, kind in fields.items()]
    return "\n".join([f"\nclass {shape.name}(TypedDict):", _docstring(shape.description, "    "), "", *lines, ""])


def _docstring(text: str, indent: str) -> str:
    """The text as a docstring, every line indented."""
    lines = text.strip().splitlines() or ["An object of the API."]
    end = "\n" + indent if len(lines) > 1 else ""
    return "\n".join(indent + line if line else "" for line in [f'"""{lines[0]}', *lines[1:]]).rstrip() + f'{end}"""'


def _optional(kind: str, *, required: bool) -> str:
    return kind if required else f"NotRequired[{kind}]"


def _forward(kind: str) -> str:
    """An annotation that may name a class further down."""
    return f'"{kind.replace(chr(34), chr(39))}"'


def _kind(schema: Schema) -> str:  # noqa: PLR0911 - one answer for each form of a schema
    """The Python type of what a schema describes."""
    if REF in schema:
        return str(schema[REF].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(_kind(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return f"Literal[{', '.join(repr(value).replace(chr(39), chr(34)) for value in schema['enum'])}]"
    if "prefixItems" in schema:
        return f"tuple[{', '.join(_kind(item) for item in schema['prefixItems'])}]"
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_kind(schema.get('items', {}))}]"
    if kind == "object":
        inside = schema.get("additionalProperties")
        return f"dict[str, {_kind(inside)}]" if isinstance(inside, dict) else "dict[str, Any]"
    return PLAIN.get(str(kind), "Any")


def _calls(api: Api, *, waits: bool) -> str:
    shapes = sorted({_kind(call.answer) for call in api.calls if not isinstance(call.answer, str)})
    name = "AsyncClient" if waits else "Client"
    head = f"""\
        {NOTICE}
        \"\"\"The calls of the API{", to be awaited" if waits else ""}.\"\"\"

        from collections.abc import Mapping, Sequence
        from typing import Any, Literal

        from cotag.client.answers import {", ".join(shapes)}
        from cotag.client.transport import {"AsyncAsking" if waits else "Asking"}, quoted


        class {name}({"AsyncAsking" if waits else "Asking"}):
            \"\"\"One method for each operation of openapi.json.\"\"\"
        """
    return "\n".join([dedent(head), *("\n".join(_method(call, waits=waits)) + "\n" for call in api.calls)])


def _method(call: Call, *, waits: bool) -> Iterator[str]:
    reader = _reader(call)
    answer = _kind(call.answer) if not isinstance(call.answer, str) else READERS[reader]
    yield f"    {'async ' if waits else ''}def {call.name}({', '.join(_signature(call))}) -> {answer}:"
    yield f'        """{_sentence(call.summary)}"""'
    path = call.path
    for each in call.in_path:
        path = path.replace(f"{{{each.name}}}", f"{{quoted({each.name})}}")
    asked = [f'"{call.method}"', f'f"{path}"' if call.in_path else f'"{path}"']
    if call.in_query:
        asked.append(f"{{{', '.join(f'{chr(34)}{each.name}{chr(34)}: {_argument(each)}' for each in call.in_query)}}}")
    if call.body:
        asked.append(f'body=body, media="{call.body}"')
    if call.in_header:
        given = ", ".join(f'"{each.name}": {_argument(each)}' for each in call.in_header)
        asked.append(f"headers={{{given}}}")
    yield f"        answer: {answer} = {'await ' if waits else ''}self._{reader}({', '.join(asked)})"
    yield "        return answer"


def _reader(call: Call) -> str:
    """How the answer is read: as JSON, text or bytes."""
    if not isinstance(call.answer, str):
        return "json"
    return "text" if call.answer.startswith("text/") else "content"


def _signature(call: Call) -> Iterator[str]:
    yield "self"
    for each in call.in_path:
        yield f"{each.name}: {_given(each)}"
    if call.body:
        yield "body: Mapping[str, Any]" if call.body == "application/json" else "body: str | bytes"
    named = [*call.in_header, *call.in_query]
    if named:
        yield "*"
    for each in sorted(named, key=lambda each: not each.required):
        yield f"{_argument(each)}: {_given(each)}" + ("" if each.required else " | None = None")


def _argument(parameter: Parameter) -> str:
    """The name of an argument; a word of Python gets an underscore."""
    name = "_".join(parameter.words)
    return f"{name}_" if iskeyword(name) else name


def _given(parameter: Parameter) -> str:
    """What a caller may give: any sequence for a list."""
    schema: dict[str, Any] = parameter.schema
    if schema.get("type") == "array":
        return f"Sequence[{_kind(schema.get('items', {}))}]"
    return _kind(schema)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
