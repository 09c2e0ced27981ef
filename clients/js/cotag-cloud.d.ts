// The element <cotag-cloud>: importing this module defines it.
import type { CloudAnswer, Problem } from "./answers.js";

export interface ChooseDetail {
  tag: string;
  corpus: string | null;
  tags: string[];
}

export interface ErrorDetail {
  message: string;
  reason: Problem["reason"];
}

export interface CotagCloudEventMap extends HTMLElementEventMap {
  /** The visitor chose a tag. preventDefault() stops the default action. */
  "cotag-choose": CustomEvent<ChooseDetail>;
  /** An answer came. */
  "cotag-load": CustomEvent<CloudAnswer>;
  /** No answer came. */
  "cotag-error": CustomEvent<ErrorDetail>;
}

export declare class CotagCloud extends HTMLElement {
  /** The tags asked about; the attribute has commas between. */
  tags: string[];
  /** What is asked, as an address of the API. */
  readonly address: string;
  /** Ask again. */
  load(): Promise<void>;
  addEventListener<K extends keyof CotagCloudEventMap>(
    type: K,
    listener: (this: CotagCloud, event: CotagCloudEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "cotag-cloud": CotagCloud;
  }
}
