import type { Operand } from "../../command.ts";

export const REQUEST: Operand = {
  name: "REQUEST_ID",
  meaning: "the x-request-id of its reply, which logs and the gateway's own log have too",
};
