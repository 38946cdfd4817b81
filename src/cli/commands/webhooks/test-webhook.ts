import { platformCommand } from "../../platform-command.ts";
import type { DeliveryView } from "../../views.ts";
import { WEBHOOK } from "./webhook-operand.ts";

export const testWebhook = platformCommand<DeliveryView>({
  summary: "Sends a message to a webhook at once, and tells what came back.",
  details: "The message is of the type webhook.test. The command fails, with exit code 1, where it was not taken; it is not tried again.",
  examples: ["webhooks test webhook_4fQ8sLm2XyZ1"],
  operands: [WEBHOOK],
  call: "POST /api/webhooks/{id}/test",
  print({ message_id: id, tries }) {
    const { status, duration_ms: ms } = tries[0]!;
    return status === null ? `There was no answer, after ${ms} ms.\n` : `It answered ${id} with status ${status} in ${ms} ms.\n`;
  },
  verdict({ tries }) {
    const { problem } = tries[0]!;
    return problem === null ? undefined : `it was not taken: ${adviceIn(problem)}`;
  },
});

/** Here is no such option; another command has it. */
function adviceIn(problem: string): string {
  return problem.replace("allow_private: true", "webhooks update --allow-private yes");
}
