"""`cotag mcp`: offers the vocabulary of a running service to agents."""

import click

from cotag.packages import require


@click.command("mcp")
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="The service to ask.")
@click.option("--corpus", help="The corpus to ask about where a call names none.")
@click.option("--key", envvar="COTAG_KEY", help="An API key, if reading needs one (or COTAG_KEY).")
@click.option("--http", "port", type=click.IntRange(1, 65535), help="Serve streamable HTTP at /mcp on this port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address for --http.")
def mcp_command(url: str, corpus: str | None, key: str | None, port: int | None, host: str) -> None:
    """Offer the vocabulary to agents: a Model Context Protocol server, over stdio or HTTP.

    It asks a running service. Tools: suggest_tags, check_tags, related_tags, find_documents, concept, explain_tag.
    """
    require("mcp")
    from cotag.agents import build_server  # noqa: PLC0415 - optional
    from cotag.client import Client  # noqa: PLC0415 - optional

    with Client(url, key=key) as service:
        server = build_server(service, corpus)
        if port is None:
            server.run("stdio")
        else:
            server.run("streamable-http", host=host, port=port, streamable_http_path="/mcp")
