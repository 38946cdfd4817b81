import { DELIVERY_STATES } from "../../../alerts/delivery-state.ts";
import { listCommand } from "../../list-command.ts";
import { choice } from "../../options.ts";
import type { DeliveryView } from "../../views.ts";
import { inTime } from "../../words.ts";
import { WEBHOOK } from "./webhook-operand.ts";
import { describeLastTry } from "./webhook-words.ts";

export const listDeliveries = listCommand<DeliveryView>({
  summary: "Lists what was sent to a webhook and what is to be, newest first. With --json, every try of it.",
  examples: ["webhooks deliveries webhook_4fQ8sLm2XyZ1", "webhooks deliveries webhook_4fQ8sLm2XyZ1 --state failed"],
  operands: [WEBHOOK],
  options: { state: choice("state", DELIVERY_STATES, "those in this state") },
  call: "GET /api/webhooks/{id}/deliveries",
  columns: [
    { heading: "ID", cell: ({ id }) => String(id) },
    { heading: "RAISED (UTC)", cell: (delivery) => inTime(delivery.created_at) },
    { heading: "TYPE", cell: ({ type }) => type },
    { heading: "STATE", cell: ({ state }) => state },
    { heading: "TRIES", cell: ({ tries }) => String(tries.length) },
    { heading: "NEXT TRY (UTC)", cell: ({ next_try_at: next }) => (next === null ? "-" : inTime(next)) },
    { heading: "LAST TRY", cell: describeLastTry, isLong: true },
  ],
});
