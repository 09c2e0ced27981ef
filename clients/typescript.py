"""Writes the generated files of the npm package `clients/js`: the types of answers, and the calls."""

from collections.abc import Iterator
from typing import Final

from clients.api import REF, Api, Call, Parameter, Schema, Shape

NOTICE: Final = "// `python -m clients --write` writes this file from openapi.json."
PLAIN: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def modules(api: Api) -> dict[str, str]:
    """File name → text."""
    return {
        "answers.d.ts": "\n".join([NOTICE, *map(_interface, api.shapes)]),
        "calls.js": "\n".join(_calls(api)),
        "calls.d.ts": "\n".join(_signatures(api)),
    }


def _interface(shape: Shape) -> str:
    lines = [f"  {_property(each.name)}{'' if each.required else '?'}: {_kind(each.schema)};" for each in shape.fields]
    return "\n".join([_comment(shape.description, ""), f"export interface {shape.name} {{", *lines, "}", ""])


def _comment(text: str, indent: str) -> str:
    lines = text.strip().splitlines()
    if len(lines) <= 1:
        return f"{indent}/** {''.join(lines) or 'An object of the API.'} */"
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"])


def _property(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _kind(schema: Schema) -> str:  # noqa: PLR0911 - one answer for each form of a schema
    """The TypeScript type of what a schema describes."""
    if REF in schema:
        return str(schema[REF].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(_kind(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(f'"{value}"' for value in schema["enum"])
    if "prefixItems" in schema:
        return f"[{', '.join(_kind(item) for item in schema['prefixItems'])}]"
    kind = schema.get("type")
    if kind == "array":
        item = _kind(schema.get("items", {}))
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        inside = schema.get("additionalProperties")
        return f"Record<string, {_kind(inside) if isinstance(inside, dict) else 'unknown'}>"
    return PLAIN.get(str(kind), "unknown")


def _calls(api: Api) -> Iterator[str]:
    yield NOTICE
    yield 'import { Asking } from "./asking.js";'
    yield ""
    yield "export class Client extends Asking {"
    for call in api.calls:
        headers = [_camel("_".join(each.words)) for each in call.in_header]
        taken = [each.name for each in call.in_path] + (["body"] if call.body else []) + headers
        path = call.path
        for each in call.in_path:
            path = path.replace(f"{{{each.name}}}", f"${{encodeURIComponent({each.name})}}")
        query = "query" if call.in_query else "{}"
        default = "" if any(each.required for each in call.in_query) else " = {}"
        arguments = ", ".join([*taken, *([f"query{default}"] if call.in_query else [])])
        sent = [f'body, media: "{call.body}"'] if call.body else []
        if headers:
            pairs = (f'"{each.name}": {name}' for each, name in zip(call.in_header, headers, strict=True))
            sent.append("headers: { " + ", ".join(pairs) + " }")
        more = ", { " + ", ".join(sent) + " }" if sent else ""
        yield f"  async {_camel(call.name)}({arguments}) {{"
        yield f'    return this.{_reader(call)}("{call.method}", `{path}`, {query}{more});'
        yield "  }"
        yield ""
    yield "}"
    yield ""


def _signatures(api: Api) -> Iterator[str]:
    shapes = sorted({_kind(call.answer) for call in api.calls if not isinstance(call.answer, str)})
    yield NOTICE
    yield 'import { Asking } from "./asking.js";'
    yield f'import type {{ {", ".join(shapes)} }} from "./answers.js";'
    yield ""
    yield "export declare class Client extends Asking {"
    for call in api.calls:
        taken = [f"{each.name}: {_kind(each.schema)}" for each in call.in_path]
        if call.body:
            taken.append("body: Record<string, unknown>" if call.body == "application/json" else "body: string")
        taken += [f"{_camel('_'.join(each.words))}: {_kind(each.schema)}" for each in call.in_header]
        if call.in_query:
            optional = "" if any(each.required for each in call.in_query) else "?"
            taken.append(f"query{optional}: {{ {'; '.join(map(_given, call.in_query))} }}")
        yield _comment(call.summary, "  ")
        yield f"  {_camel(call.name)}({', '.join(taken)}): Promise<{_answer(call)}>;"
    yield "}"
    yield ""


def _given(parameter: Parameter) -> str:
    return f"{_property(parameter.name)}{'' if parameter.required else '?'}: {_kind(parameter.schema)}"


def _answer(call: Call) -> str:
    if not isinstance(call.answer, str):
        return _kind(call.answer)
    return "string" if call.answer.startswith("text/") else "Blob"


def _reader(call: Call) -> str:
    if not isinstance(call.answer, str):
        return "json"
    return "text" if call.answer.startswith("text/") else "blob"


def _camel(name: str) -> str:
    """As JavaScript names things: post_documents → postDocuments."""
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
