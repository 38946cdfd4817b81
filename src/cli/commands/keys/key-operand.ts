import type { Operand } from "../../command.ts";

export const KEY: Operand = { name: "ID", meaning: "the key's id, as keys list shows it: the 12 characters after sk-service-" };
