export { ApiError } from "./asking.js";
export { Client } from "./calls.js";
