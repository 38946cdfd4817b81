import type { Operand } from "../../command.ts";

export const PERSON: Operand = { name: "ID", meaning: "the person's id, as people list shows it" };
