// The element <cotag-tags>, a field of a form: importing this module defines it.
import type { Problem, SuggestAnswer } from "./answers.js";

export interface CotagTagsEventMap extends HTMLElementEventMap {
  /** An answer came: what is suggested, and what becomes of the chosen tags. */
  "cotag-load": CustomEvent<SuggestAnswer>;
  /** No answer came. Tags can be written all the same. */
  "cotag-error": CustomEvent<{ message: string; reason: Problem["reason"] }>;
}

export interface CotagTags extends HTMLElement {
  /** The chosen tags. */
  tags: string[];
  /** The same with commas between. */
  value: string;
  readonly form: HTMLFormElement | null;
  name: string | null;
  readonly type: "cotag-tags";
  readonly validity: ValidityState;
  readonly validationMessage: string;
  readonly willValidate: boolean;
  checkValidity(): boolean;
  reportValidity(): boolean;
  addTag(tag: string): void;
  removeTag(tag: string): void;
  /** Ask again what fits. */
  suggest(): Promise<void>;
  addEventListener<K extends keyof CotagTagsEventMap>(
    type: K,
    listener: (this: CotagTags, event: CotagTagsEventMap[K]) => unknown,
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
    "cotag-tags": CotagTags;
  }
}
