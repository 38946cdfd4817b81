import type { Infer } from "../../../lib/schema/infer.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { roleSchema } from "../people/person-view.ts";
import { findInvited, linkTokenSchema } from "./find-invited.ts";

const invitedSchema = {
  title: "InvitedAs",
  type: "object",
  required: ["email", "name", "role"],
  properties: {
    email: { type: "string", nullable: true, description: "The email address; null for the first operator, who enters it." },
    name: { type: "string", nullable: true },
    role: roleSchema,
  },
} as const satisfies Schema;

/** POST /api/invitations/show: the person an invitation link is for. Not a GET, whose URL would carry the token into logs. */
export function showInvitation(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/invitations/show",
    access: "anyone",
    operationId: "showInvitation",
    summary: "Show the person an invitation link is for, without using it up",
    body: {
      title: "ShowInvitationRequest",
      type: "object",
      additionalProperties: false,
      required: ["token"],
      properties: { token: linkTokenSchema },
    },
    reply: {
      status: 200,
      description: "The invited person.",
      json: invitedSchema,
    },
    run({ body }): Infer<typeof invitedSchema> {
      const invited = findInvited(body.token, platform);
      if (invited === "first operator") return { email: null, name: null, role: "operator" };
      const { email, name, role } = invited;
      return { email, name, role };
    },
  });
}
