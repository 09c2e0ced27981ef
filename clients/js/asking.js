// Sends the calls of a client, and tries again where that may help. It needs nothing but fetch: browsers, Node, Deno, Bun.

const LONGEST_WAIT = 60; // seconds; a service that asks for more is not waited for
const UNSENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]); // Node says why; no request was sent
const FIRST_PAUSE = 0.2; // seconds before a failed connection is tried again; doubled each time

/** The service refused, and says why. */
export class ApiError extends Error {
  constructor(status, problem) {
    super(`${status} ${problem.title ?? ""}: ${problem.detail ?? ""}`);
    this.name = "ApiError";
    this.status = status;
    this.problem = problem;
    this.detail = problem.detail ?? "";
    this.suggestions = problem.suggestions ?? [];
  }
}

/** The service could not be reached, or broke off, as often as it was tried. */
export class NoAnswer extends Error {
  constructor(host, tries, cause) {
    super(`no answer from ${host} after ${tries} tries: ${cause.cause?.code ?? cause.message}`, { cause });
    this.name = "NoAnswer";
  }
}

export class Asking {
  #base;
  #headers;
  #retries;
  #timeout;
  #fetch;

  constructor(url, { key, retries = 3, timeout = 10, fetch: given } = {}) {
    this.#base = String(url).replace(/\/+$/, "");
    this.#headers = key ? { Authorization: `Bearer ${key}` } : {};
    this.#retries = retries;
    this.#timeout = timeout * 1000;
    this.#fetch = given ?? ((...request) => globalThis.fetch(...request));
  }

  /** Any request, also for other formats than JSON, such as a tree as SVG. */
  async ask(method, path, query = {}, { body, media, headers: more = {} } = {}) {
    const address = this.#base + path + search(query);
    const headers = { ...this.#headers, ...(media ? { "Content-Type": media } : {}), ...more };
    const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    for (let tried = 0; ; tried += 1) {
      let pause = null;
      try {
        const answer = await this.#fetch(address, { method, headers, body: content, credentials: "omit", signal: AbortSignal.timeout(this.#timeout) });
        if (answer.ok) return answer;
        pause = retryAfter(answer);
        if (pause === null || tried >= this.#retries) throw new ApiError(answer.status, await problemOf(answer));
      } catch (error) {
        if (error instanceof ApiError) throw error;
        // elsewhere fetch does not tell whether the request arrived, so only questions are asked again
        const safe = method === "GET" || UNSENT.has(error.cause?.code);
        if (!safe || tried >= this.#retries) throw new NoAnswer(new URL(address, globalThis.location?.href).host, tried + 1, error);
        pause = FIRST_PAUSE * 2 ** tried;
      }
      await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    }
  }

  async json(...request) {
    return (await this.ask(...request)).json();
  }

  async text(...request) {
    return (await this.ask(...request)).text();
  }

  async blob(...request) {
    return (await this.ask(...request)).blob();
  }
}

function search(query) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) given.append(name, String(one));
  }
  return given.size ? `?${given}` : "";
}

function retryAfter(answer) {
  if (answer.status !== 429 && answer.status !== 503) return null;
  const header = answer.headers.get("Retry-After");
  const seconds = header === null ? NaN : Number(header);
  return seconds >= 0 && seconds <= LONGEST_WAIT ? seconds : null;
}

async function problemOf(answer) {
  const text = await answer.text();
  try {
    const problem = JSON.parse(text);
    if (problem && typeof problem === "object") return problem;
  } catch {
    // what a proxy answers may be no JSON
  }
  return { title: answer.statusText, detail: text.slice(0, 200) };
}
