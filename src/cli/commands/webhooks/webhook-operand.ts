import type { Operand } from "../../command.ts";

export const WEBHOOK: Operand = { name: "WEBHOOK", meaning: "the webhook's id, as webhooks list shows it" };
