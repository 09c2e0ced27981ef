"""`cotag mcp`: the vocabulary of a corpus as tools for agents, over the Model Context Protocol.

It asks a running service over HTTP, as any other client does, so that keys, rates and edits hold for agents too. Each
answer is small, and says where more is.
"""

from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from cotag.client import ApiError, Client, NoAnswer

INSTRUCTIONS: Final = (
    "Cotag knows the tags of corpora of documents: their concepts, the company of each tag, its other names. "
    "Before you tag a document, call suggest_tags with its title and text. Before you store a tag, call check_tags, "
    "and use the tag that it stands for. Do not invent a tag while a near one exists."
)
MOST: Final = 20
"""Entries of an answer, at most, unless more is asked for."""

LABELS: Final = 200
"""Concepts that the resource lists."""


def build_server(service: Client, corpus: str | None) -> MCPServer[Any]:
    """The server with its six tools; `corpus` is asked about where a call names none."""
    server: MCPServer[Any] = MCPServer("cotag", instructions=INSTRUCTIONS)
    vocabulary = VocabularyTools(service, corpus)
    for tool in (
        vocabulary.suggest_tags,
        vocabulary.check_tags,
        vocabulary.related_tags,
        vocabulary.find_documents,
        vocabulary.concept,
        vocabulary.explain_tag,
    ):
        server.add_tool(tool, structured_output=False)
    server.resource("cotag://{corpus}/concepts", name="concepts", mime_type="application/json")(vocabulary.concepts)
    return server


class VocabularyTools:
    """The tools. What the service refuses is an error of the tool, with the service's own words."""

    def __init__(self, service: Client, corpus: str | None) -> None:
        self._service, self._corpus = service, corpus

    def suggest_tags(
        self, title: str = "", text: str = "", tags: list[str] | None = None, limit: int = 8, corpus: str = ""
    ) -> dict[str, Any]:
        """Tags for a document, from its title, its text and the tags it has, each with its probability and reasons.

        `given` says what becomes of the tags it has: kept, canonical (use `tag`), near (a double?), new, refused.
        """
        body = {"title": title, "text": text, "tags": tags or [], "limit": limit}
        answer = self._call("suggest", corpus, body=body)["documents"][0]
        found = [
            {
                "tag": each["tag"],
                "probability": round(each["score"], 3),
                "documents": each["count"],
                "because": [reason["sentence"] for reason in each["reasons"]],
            }
            for each in answer["tags"]
        ]
        return {"tags": found, "given": [_given(each) for each in answer["given"]], "concept": answer["concept"]}

    def check_tags(self, tags: list[str], corpus: str = "") -> dict[str, Any]:
        """What becomes of each tag: kept, canonical (use `tag` instead), near (perhaps a double), new, or refused."""
        answer = self._call("suggest", corpus, body={"tags": tags, "limit": 1})["documents"][0]
        return {"tags": [_given(each) for each in answer["given"]]}

    def related_tags(self, query: str, limit: int = 12, corpus: str = "") -> dict[str, Any]:
        """The tags that belong beside the words or tags of a query, best first."""
        answer = self._call("related", corpus, q=query, limit=min(limit, 100))
        return {
            "understood": answer["query"]["tags"],
            "ignored": answer["query"]["ignored"],
            "related": [{"tag": each["tag"], "documents": each["count"]} for each in answer["related"]],
        }

    def find_documents(self, query: str, limit: int = 10, offset: int = 0, corpus: str = "") -> dict[str, Any]:
        """The documents behind the words or tags of a query, best first; `offset` pages on."""
        answer = self._call("documents", corpus, q=query, limit=min(limit, MOST), offset=offset)
        found = [
            {name: each[name] for name in ("id", "title", "url", "tags") if each[name]} for each in answer["documents"]
        ]
        return {"with_all_tags": answer["total"], "documents": found, "next_offset": offset + len(found)}

    def concept(self, tag: str, limit: int = MOST, corpus: str = "") -> dict[str, Any]:
        """The concept that a tag belongs to: its name and its commonest tags."""
        cluster = self._call("tag", corpus, tag=tag, limit=1)["cluster"]
        if cluster is None:
            raise ToolError(f"{tag} belongs to no concept; see explain_tag")
        answer = self._call("cluster", corpus, cluster=cluster)
        members = [each["tag"] for each in answer["tags"]]
        return {
            "id": answer["id"],
            "label": answer["label"],
            "tags": members[:limit],
            "more": max(len(members) - limit, 0),
            "url": f"/v1/corpora/{self._name(corpus)}/clusters/{answer['id']}",
        }

    def explain_tag(self, tag: str, corpus: str = "") -> dict[str, Any]:
        """How often a tag is used, which concept it belongs to, and the tags nearest to it."""
        answer = self._call("tag", corpus, tag=tag, limit=10)
        return {
            "tag": answer["tag"],
            "documents": answer["count"],
            "concept": answer["cluster"],
            "neighbours": [each["tag"] for each in answer["neighbours"]],
        }

    def concepts(self, corpus: str) -> dict[str, Any]:
        """The concepts of a corpus, largest first."""
        answer = self._call("clusters", corpus)
        listed = sorted(answer["clusters"], key=lambda each: -each["size"])[:LABELS]
        return {
            "corpus": corpus,
            "concepts": [{"id": each["id"], "label": each["label"], "tags": each["size"]} for each in listed],
            "more": max(len(answer["clusters"]) - LABELS, 0),
        }

    def _call(self, method: str, corpus: str, **arguments: Any) -> Any:
        """One call of the client for a corpus; a refusal becomes the error of the tool."""
        try:
            return getattr(self._service, method)(self._name(corpus), **arguments)
        except (ApiError, NoAnswer) as error:
            near = getattr(error, "suggestions", [])
            raise ToolError("; perhaps ".join([str(error), *([", ".join(near)] if near else [])])) from error

    def _name(self, corpus: str) -> str:
        """The corpus of a call: as it says, as the server was told, or the only one there is."""
        if corpus or self._corpus:
            return corpus or str(self._corpus)
        try:
            names = [each["name"] for each in self._service.corpora()["corpora"]]
        except (ApiError, NoAnswer) as error:
            raise ToolError(str(error)) from error
        if len(names) != 1:
            raise ToolError(f"say which corpus: {', '.join(names) or 'there is none'}")
        self._corpus = names[0]
        return names[0]


def _given(tag: dict[str, Any]) -> dict[str, Any]:
    """What becomes of a tag, without what says nothing."""
    near = [each["tag"] for each in tag["near"]]
    said = {"input": tag["input"], "state": tag["state"], "tag": tag["tag"], "near": near, "by": tag["by"]}
    return {name: value for name, value in said.items() if value}
