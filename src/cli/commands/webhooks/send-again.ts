import { platformCommand } from "../../platform-command.ts";
import type { DeliveryView } from "../../views.ts";
import { WEBHOOK } from "./webhook-operand.ts";

export const sendDeliveryAgain = platformCommand<DeliveryView>({
  summary: "Sends a message to a webhook once more, whatever has become of it.",
  examples: ["webhooks send-again webhook_4fQ8sLm2XyZ1 17"],
  operands: [WEBHOOK, { name: "DELIVERY", meaning: "the delivery's id, as webhooks deliveries shows it" }],
  call: "POST /api/webhooks/{id}/deliveries/{deliveryId}/send-again",
  print: ({ id, message_id: message }) => `Delivery ${id} is sent again, as ${message}.\n`,
});
