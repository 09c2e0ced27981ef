export { ApiError, NoAnswer } from "./asking.js";
export { Client } from "./calls.js";
