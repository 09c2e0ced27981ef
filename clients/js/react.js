// <CotagCloud>: the element <cotag-cloud> as a React component, with its events as functions.
import { createElement, useEffect, useRef } from "react";

export function CotagCloud({ tags, onChoose, onLoad, onError, children, ...attributes }) {
  const element = useRef(null);
  const listeners = useRef({});
  listeners.current = { onChoose, onLoad, onError };

  useEffect(() => {
    import("./cotag-cloud.js"); // in the browser only: a server has no elements to define
    const cloud = element.current;
    const told = {
      "cotag-choose": (event) => listeners.current.onChoose?.(event.detail, event),
      "cotag-load": (event) => listeners.current.onLoad?.(event.detail, event),
      "cotag-error": (event) => listeners.current.onError?.(event.detail, event),
    };
    for (const [name, tell] of Object.entries(told)) cloud.addEventListener(name, tell);
    return () => {
      for (const [name, tell] of Object.entries(told)) cloud.removeEventListener(name, tell);
    };
  }, []);

  // React 19 would set the property, and older ones the attribute: this sets the attribute in all of them.
  const asked = (tags ?? []).join(", ");
  useEffect(() => {
    if (asked) element.current.setAttribute("tags", asked);
    else element.current.removeAttribute("tags");
  }, [asked]);

  return createElement("cotag-cloud", { ref: element, ...attributes }, children);
}

// <CotagTags>: the element <cotag-tags> as a React component; onTags gets the chosen tags.
export function CotagTags({ tags, onTags, forTitle, forText, required, disabled, multiple, children, ...attributes }) {
  const element = useRef(null);
  const listener = useRef(onTags);
  listener.current = onTags;

  useEffect(() => {
    import("./cotag-tags.js");
    const field = element.current;
    const tell = (event) => listener.current?.(field.tags, event);
    field.addEventListener("change", tell);
    return () => field.removeEventListener("change", tell);
  }, []);

  // Tags that the element has itself told of are not set again.
  const chosen = tags === undefined ? null : tags.join(", ");
  useEffect(() => {
    if (chosen !== null && element.current.value !== chosen) element.current.setAttribute("value", chosen);
  }, [chosen]);

  // Older versions of React write "false" into an attribute.
  const switches = Object.fromEntries(Object.entries({ required, disabled, multiple }).filter(([, on]) => on).map(([name]) => [name, ""]));
  return createElement("cotag-tags", { ref: element, "for-title": forTitle, "for-text": forText, ...switches, ...attributes }, children);
}
