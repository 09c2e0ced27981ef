// Editors' decisions over HTTP: sends them with the key that was typed, and remembers the revision.

const TRIES = 3; // another editor may be faster that often
const PAUSE = 500; // milliseconds between two questions about a trial
const GOING = ["queued", "running"]; // states of a job that has not ended

export class Refused extends Error {}

export class Edits {
  #key;
  #revision = null;

  constructor(corpus, key) {
    this.path = `/v1/corpora/${encodeURIComponent(corpus)}/edits`;
    this.#key = key; // a function: the key stays in its field
  }

  async list(limit) {
    const answer = await this.#ask("GET", `?limit=${limit}`);
    this.#revision = answer.revision;
    return answer;
  }

  // All of the edits or none. What this page decided before about the same thing is replaced.
  async decide(edits, remove = []) {
    let gone = remove;
    for (let left = TRIES; ; left--) {
      if (this.#revision === null) await this.list(1);
      try {
        const answer = await this.#ask("POST", "", { edits, remove: gone });
        this.#revision = answer.revision;
        return answer;
      } catch (error) {
        const { status, body } = error;
        if (!left || !body) throw error;
        if (status === 412) this.#revision = body.revision ?? null;
        else if (status === 409 && body.conflicts?.length && body.conflicts.every(replaceable)) {
          gone = [...new Set([...gone, ...body.conflicts.map((conflict) => conflict.other.id)])];
        } else throw error;
      }
    }
  }

  // What the edits would change. What needs a run is tried by a run, which publishes nothing.
  async attempt(edits) {
    if (this.#revision === null) await this.list(1);
    const answer = await this.#ask("POST", "?dry_run=true", { edits });
    return answer.job ? this.#trial(answer.job) : answer;
  }

  async #trial(job) {
    for (;;) {
      const answer = await fetch(`/v1/jobs/${encodeURIComponent(job)}`, { headers: { "X-API-Key": this.#key() }, cache: "no-store" }).catch(() => null);
      const found = answer?.ok ? await answer.json() : null;
      if (found?.report) return found.report;
      if (!found || !GOING.includes(found.state)) throw new Refused(`The trial has no result: ${found?.error ?? "the service could not be asked"}.`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  async remove(id) {
    const answer = await this.#ask("DELETE", `?id=${encodeURIComponent(id)}`);
    this.#revision = answer.revision;
    return answer;
  }

  async #ask(method, query, body) {
    const headers = { "X-API-Key": this.#key() };
    if (body) Object.assign(headers, { "Content-Type": "application/json", "If-Match": `"${this.#revision}"` });
    let answer;
    try {
      answer = await fetch(this.path + query, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
    } catch {
      throw new Refused("The service could not be reached; nothing was changed.");
    }
    if (answer.ok) return answer.json();
    const problem = await answer.json().catch(() => ({}));
    const reason = [401, 403].includes(answer.status) ? "This key may not decide anything here" : problem.detail ?? `status ${answer.status}`;
    throw Object.assign(new Refused(`That did not work: ${reason}.`), { status: answer.status, body: problem });
  }
}

// A new name for a concept, another place for a tag: the last word counts, unless the corpora file has it.
function replaceable({ edit, other: older }) {
  return older.origin === "api" && edit.kind === older.kind && ["label", "move"].includes(edit.kind);
}

export function described({ kind, tag, to, tags, label, text, language }) {
  const quoted = (name) => `“${name}”`;
  const all = tags?.length ? tags.map(quoted).join(" and ") : quoted(tag);
  return {
    synonym: () => `${quoted(tag)} is ${quoted(to)}`,
    ban: () => `${quoted(tag)} is left out`,
    distinct: () => `${all} are different`,
    admit: () => `${quoted(tag)} is admitted`,
    keep: () => `${quoted(tag)} is kept`,
    later: () => `${all}: later`,
    move: () => `${quoted(tag)} moves to the concept of ${quoted(to)}`,
    label: () => `The concept of ${quoted(tag)} is named ${quoted(label)}`,
    together: () => `${all} are in one concept`,
    broader: () => `${quoted(tag)} is a kind of ${quoted(to)}`,
    implies: () => `${quoted(tag)} implies ${quoted(to)}`,
    describe: () => `${quoted(tag)} is described: ${text}`,
    translate: () => `${quoted(tag)} is called ${quoted(label)} in ${language}`,
    apart: () => `${all} are in different concepts`,
  }[kind]();
}
