import { platformCommand } from "../../platform-command.ts";
import { REQUEST } from "./request-operand.ts";

interface BodiesView {
  readonly request_id: string;
  readonly request: string | null;
  readonly reply: string | null;
  readonly cut: boolean;
}

export const showBodies = platformCommand<BodiesView>({
  summary: "Shows what was asked and answered, where an account has that kept. The audit log records who looked.",
  examples: ["logs bodies req_01a1df51-3379-7633-a8ab-792e92e7c19a"],
  operands: [REQUEST],
  call: "GET /api/requests/{requestId}/bodies",
  print: ({ request, reply, cut }) =>
    `Request:\n${request ?? "none"}\n\nReply:\n${reply ?? "none"}\n${cut ? "\nWhat was too long to be kept was cut off.\n" : ""}`,
});
