"""Agents use the vocabulary through the SDK's own client, over stdio and over HTTP, of a service that runs."""

import json
import subprocess
import sys

import anyio
import httpx
import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters, stdio_client

from tests.conftest import TOPICS
from tests.e2e.launching import free_port
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

TOOLS = {"suggest_tags", "check_tags", "related_tags", "find_documents", "concept", "explain_tag"}


def command(served, *more):
    return [sys.executable, "-m", "cotag", "mcp", "--url", served.url, "--corpus", "topics", *more]


def said(result):
    assert not result.is_error, result.content
    return json.loads(result.content[0].text)


def over_stdio(served, conversation):
    program, *arguments = command(served)

    async def talk():
        async with Client(stdio_client(StdioServerParameters(command=program, args=arguments))) as agent:
            return await conversation(agent)

    return anyio.run(talk)


def test_an_agent_finds_the_six_tools_and_each_answers(served):
    async def conversation(agent):
        listed = await agent.list_tools()
        calls = {
            "suggest_tags": {"tags": ["rain", "snow"], "limit": 3},
            "check_tags": {"tags": ["rains", "Rain", "zebra"]},
            "related_tags": {"query": "guitar", "limit": 3},
            "find_documents": {"query": "guitar", "limit": 2},
            "concept": {"tag": "piano"},
            "explain_tag": {"tag": "piano"},
        }
        answers = {name: said(await agent.call_tool(name, arguments)) for name, arguments in calls.items()}
        return {tool.name for tool in listed.tools}, answers

    names, answers = over_stdio(served, conversation)
    assert names == TOOLS
    assert {each["tag"] for each in answers["suggest_tags"]["tags"]} <= set(TOPICS["weather"])
    states = {each["input"]: each for each in answers["check_tags"]["tags"]}
    assert states["rains"] == {"input": "rains", "state": "canonical", "tag": "rain"}
    assert (states["Rain"]["state"], states["zebra"]["state"]) == ("kept", "new")
    assert {each["tag"] for each in answers["related_tags"]["related"]} <= set(TOPICS["music"])
    assert len(answers["find_documents"]["documents"]) == 2
    assert "guitar" in answers["find_documents"]["documents"][0]["tags"]
    assert set(answers["concept"]["tags"]) <= set(TOPICS["music"])
    assert answers["explain_tag"]["concept"] == answers["concept"]["id"]


def test_what_the_service_refuses_is_the_error_of_the_tool(served):
    async def conversation(agent):
        return await agent.call_tool("explain_tag", {"tag": "piamo"})

    result = over_stdio(served, conversation)
    assert result.is_error
    assert "piano" in result.content[0].text


def test_the_concepts_are_a_resource(served):
    async def conversation(agent):
        return await agent.read_resource("cotag://topics/concepts")

    listed = json.loads(over_stdio(served, conversation).contents[0].text)
    assert len(listed["concepts"]) >= len(TOPICS)
    assert listed["more"] == 0


def test_the_same_tools_answer_over_http(served):
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    process = subprocess.Popen(command(served, "--http", str(port)), stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(url), "the server answers")

        async def talk():
            async with Client(url) as agent:
                return said(await agent.call_tool("check_tags", {"tags": ["rains"]}))

        assert anyio.run(talk)["tags"][0]["tag"] == "rain"
    finally:
        process.terminate()
        process.wait(10)


def _answers(url):
    try:
        return httpx.get(url).status_code > 0
    except httpx.TransportError:
        return False
