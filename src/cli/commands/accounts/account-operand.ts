import type { Operand } from "../../command.ts";

export const ACCOUNT: Operand = { name: "ACCOUNT", meaning: "the account's id, as accounts list shows it" };
