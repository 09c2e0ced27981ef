import type { Problem } from "./answers.js";

/** The service refused, and says why. */
export declare class ApiError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;
  /** What is wrong, in a sentence. */
  readonly detail: string;
  readonly suggestions: string[];
}

/** The service could not be reached, or broke off, as often as it was tried. */
export declare class NoAnswer extends Error {
  readonly cause: unknown;
}

export interface Options {
  /** An API key, where the service needs one. Never put a key that may write into a page. */
  key?: string;
  /** How often a question is asked again after 429, 503 or a failed connection. */
  retries?: number;
  /** Seconds for one try. */
  timeout?: number;
  /** Another fetch, for example one that a framework caches. */
  fetch?: typeof fetch;
}

export declare class Asking {
  constructor(url: string | URL, options?: Options);
  /** Any request, also for other formats than JSON, such as a tree as SVG. */
  ask(
    method: string,
    path: string,
    query?: Record<string, unknown>,
    sent?: { body?: Record<string, unknown> | string; media?: string; headers?: Record<string, string> },
  ): Promise<Response>;
}
