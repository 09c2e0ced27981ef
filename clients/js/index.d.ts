export * from "./answers.js";
export { ApiError, NoAnswer, type Options } from "./asking.js";
export { Client } from "./calls.js";
