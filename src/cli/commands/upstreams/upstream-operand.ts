import type { Operand } from "../../command.ts";

export const UPSTREAM: Operand = { name: "UPSTREAM", meaning: "the upstream's id, as upstreams list shows it" };

export const UPSTREAM_OR_ALL: Operand = { ...UPSTREAM, meaning: `${UPSTREAM.meaning}; all of them, if not given`, isOptional: true };
