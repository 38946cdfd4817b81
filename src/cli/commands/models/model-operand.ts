import type { Operand } from "../../command.ts";

export const MODEL: Operand = { name: "MODEL", meaning: "the model's id, as models list shows it" };
