// The client against a running service, whose address is in COTAG_URL, and against a service that refuses.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { ApiError, Client, NoAnswer } from "cotag";

const url = process.env.COTAG_URL;
const corpus = process.env.COTAG_CORPUS;

test("asks a running service, with every kind of parameter", { skip: !url && "COTAG_URL is not set" }, async () => {
  const cotag = new Client(url);
  const { corpora } = await cotag.corpora();
  assert.ok(corpora.some((each) => each.name === corpus));
  const { tags } = await cotag.tags(corpus, { limit: 2 });
  assert.equal(tags.length, 2);
  const cloud = await cotag.cloud(corpus, { tag: tags.map(({ tag }) => tag), together: true, groups: 4 });
  assert.deepEqual(cloud.query.tags, tags.map(({ tag }) => tag));
  assert.ok(cloud.groups.length > 0 && cloud.groups.length <= 4);
  const checked = await cotag.canonical(corpus, { tags: [tags[0].tag, "no such tag at all"] });
  assert.equal(checked.tags[0].tag, tags[0].tag);
  assert.ok((await cotag.picture(corpus)).size > 0);
});

test("tells why a service refuses", { skip: !url && "COTAG_URL is not set" }, async () => {
  const refused = await new Client(url).tag(corpus, { tag: "nothing/like it" }).catch((error) => error);
  assert.ok(refused instanceof ApiError);
  assert.equal(refused.status, 404);
  assert.match(refused.message, /nothing\/like it/);
});

async function refusing(answers, ask) {
  let asked = 0;
  const server = createServer((request, response) => {
    const [status, headers, body] = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    response.writeHead(status, headers).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return [await ask(`http://127.0.0.1:${server.address().port}`).catch((error) => error), asked];
  } finally {
    server.close();
  }
}

test("comes again when the service says when", async () => {
  const answers = [[429, { "Retry-After": "0" }, "{}"], [503, { "Retry-After": "0" }, "{}"], [200, {}, '{"corpora": []}']];
  const [answer, asked] = await refusing(answers, (at) => new Client(at).corpora());
  assert.deepEqual([answer, asked], [{ corpora: [] }, 3]);
});

test("gives up after its retries, at a long wait, and without Retry-After", async () => {
  for (const [headers, retries, expected] of [[{ "Retry-After": "0" }, 2, 3], [{ "Retry-After": "3600" }, 2, 1], [{}, 2, 1]]) {
    const [error, asked] = await refusing([[503, headers, "busy"]], (at) => new Client(at, { retries }).corpora());
    assert.equal(error.status, 503);
    assert.equal(error.problem.detail, "busy");
    assert.equal(asked, expected);
  }
});

test("says in the same words as the Python client what is wrong", async () => {
  const [refused] = await refusing([[400, {}, '{"title": "Bad request", "detail": "no such colour"}']], (at) => new Client(at).corpora());
  assert.ok(refused instanceof ApiError);
  assert.equal(refused.detail, "no such colour");
  assert.equal(refused.message, "400 Bad request: no such colour");
});

test("tells a service that is not there from one that refuses, and asks again even for a write, which was never sent", async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  const cotag = new Client(`http://127.0.0.1:${port}`, { retries: 1 });
  for (const ask of [() => cotag.healthz(), () => cotag.postDocuments("pushed", "{}")]) {
    const missed = await ask().catch((error) => error);
    assert.ok(missed instanceof NoAnswer, String(missed));
    assert.match(missed.message, new RegExp(`^no answer from 127.0.0.1:${port} after 2 tries: ECONNREFUSED`));
  }
});

test("a write that may have arrived is not sent again", async () => {
  let asked = 0;
  const server = createServer((request) => {
    asked += 1;
    request.socket.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const missed = await new Client(`http://127.0.0.1:${server.address().port}`).postDocuments("pushed", "{}").catch((error) => error);
  server.close();
  assert.ok(missed instanceof NoAnswer);
  assert.equal(asked, 1);
});
