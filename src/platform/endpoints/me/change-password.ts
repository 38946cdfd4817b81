import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { withoutSessions, type Person } from "../../../access/person.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { renewSession } from "../../sign-in/open-session.ts";
import { newPasswordSchema, passwordSchema } from "../../sign-in/passwords.ts";
import { refuseWeak } from "../../sign-in/weak-passwords.ts";
import { personSchema, viewPerson } from "../people/person-view.ts";
import { findOneself } from "./find-own.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../../sign-in/platform-cookie.ts";

const requestSchema = {
  title: "ChangePasswordRequest",
  type: "object",
  additionalProperties: false,
  required: ["current", "new"],
  properties: { current: passwordSchema, new: newPasswordSchema },
} as const satisfies Schema;

type ChangePasswordRequest = Infer<typeof requestSchema>;

/** POST /api/me/password: sets a new password. All sessions end, and this one continues with a new cookie. */
export function changePassword(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/me/password",
    access: "session",
    operationId: "changePassword",
    summary: "Change your password. All other sessions end, and this one receives a new cookie.",
    body: requestSchema,
    reply: { status: 200, description: "The person.", headers: COOKIE_HEADERS, json: personSchema },
    async run(call) {
      const { id, sessionRound } = findOneself(call.actor, platform);
      refuseWeak(call.body.new, findOneself(call.actor, platform), "new");
      await checkCurrent(call, platform);
      const passwordHash = await platform.signIn.passwords.hash(call.body.new);
      const { record } = await platform.people.update(id, (current) => {
        const person = current!;
        // The person may have been disabled while the password was hashed: then no session may continue.
        if (person.sessionRound !== sessionRound) throw new ApiError("not_signed_in", "The session has ended.");
        const changed: Person = { ...withoutSessions(person), passwordHash, invitation: null };
        const what = { before: viewPerson(person), after: viewPerson(changed), accountId: person.accountId };
        return { record: changed, change: call.change("person.change_password", { kind: "person", id }, what) };
      });
      const cookie = await renewSession(record, call, platform);
      return Reply.json(viewPerson(record), { headers: { "set-cookie": cookie } });
    },
  });
}

/** Someone who finds an open browser must not be able to take over the account, nor to guess passwords at length. */
async function checkCurrent({ actor, body, exchange }: Call<ChangePasswordRequest>, platform: Platform): Promise<void> {
  const { email, passwordHash } = findOneself(actor, platform);
  if (passwordHash === null) throw new ApiError("state_conflict", "You have no password. An operator can create a link to set one.");
  const { throttle, passwords } = platform.signIn;
  const attempt = throttle.admit(email, true, exchange.callerAddress(), platform.monotonicMs());
  if (!(await attempt.make(() => passwords.isRight(body.current, passwordHash, true)))) {
    throw new ApiError("invalid_value", "current must be your current password.", { param: "current" });
  }
  attempt.succeed();
}
