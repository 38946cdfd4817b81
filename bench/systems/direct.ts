import { targetAt, type System } from "./system.ts";

/** Nothing between load and upstream: what is added is held against it. */
export const direct: System = {
  name: "direct",
  version: "",
  renames: false,
  start: async ({ upstream }) => ({
    name: "direct",
    pid: null,
    target: targetAt(Number(new URL(upstream.url).port)),
    stop: async () => {},
  }),
};
