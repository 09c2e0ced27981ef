export * from "./answers.js";
export { ApiError, type Options } from "./asking.js";
export { Client } from "./calls.js";
