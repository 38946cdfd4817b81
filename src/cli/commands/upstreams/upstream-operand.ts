import type { Operand } from "../../command.ts";

export const UPSTREAM: Operand = { name: "UPSTREAM", meaning: "the upstream's id, as upstreams list shows it" };
