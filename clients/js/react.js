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
