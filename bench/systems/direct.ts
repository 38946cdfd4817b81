import { targetAt, type System } from "./system.ts";

/** No gateway: the baseline for added latency. */
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
