import { BodyBudget } from "../../../src/http/body-budget.ts";
import type { ListenOptions } from "../../../src/lib/http1/server/listener.ts";

/** A listener on loopback without resource limits for callers. */
export const UNBOUNDED = {
  hostname: "127.0.0.1",
  port: 0,
  maxConnections: Infinity,
  reportFull: () => undefined,
  bodies: new BodyBudget(Infinity),
  uploadSeconds: Infinity,
  keepAliveSeconds: 75,
  trustedProxies: [],
} as const satisfies Partial<ListenOptions>;
