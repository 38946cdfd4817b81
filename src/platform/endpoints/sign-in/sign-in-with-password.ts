import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { normalizeEmail, type Person } from "../../../access/person.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { signInBrowser } from "../../sign-in/open-session.ts";
import { passwordSchema } from "../../sign-in/passwords.ts";
import type { Attempt } from "../../sign-in/throttle.ts";
import { emailSchema } from "../../../access/email-schema.ts";
import { personSchema, viewPerson } from "../people/person-view.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../../sign-in/platform-cookie.ts";

const requestSchema = {
  title: "SignInRequest",
  type: "object",
  additionalProperties: false,
  required: ["email", "password"],
  // Redacted, because people type their password into the wrong field.
  properties: { email: { ...emailSchema, isSecret: true }, password: passwordSchema },
} as const satisfies Schema;

type SignInRequest = Infer<typeof requestSchema>;

/** POST /api/sign-in: creates a session for an email address and password. All failures look the same and take the same time. */
export function signInWithPassword(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/sign-in",
    access: "anyone",
    operationId: "signIn",
    summary: "Sign in with an email address and a password, and receive a session cookie",
    body: requestSchema,
    reply: { status: 200, description: "The signed-in person.", headers: COOKIE_HEADERS, json: personSchema },
    async run(call) {
      const email = normalizeEmail(call.body.email);
      const isPerson = platform.people.findByEmail(email) !== undefined;
      const attempt = platform.signIn.throttle.admit(email, isPerson, call.exchange.callerAddress(), platform.monotonicMs());
      const person = await checkPassword(email, attempt, call, platform);
      attempt.succeed();
      const cookie = await signInBrowser(person, "password", call, platform);
      return Reply.json(viewPerson(person), { headers: { "set-cookie": cookie } });
    },
  });
}

async function checkPassword(email: string, attempt: Attempt, call: Call<SignInRequest>, platform: Platform): Promise<Person> {
  const hash = platform.people.findByEmail(email)?.passwordHash ?? null;
  const isRight = await attempt.make(() => platform.signIn.passwords.isRight(call.body.password, hash, attempt.isKnown));
  // Checked again: the person may have been disabled, or have changed the password, while it was checked.
  const person = platform.people.findByEmail(email);
  if (isRight && person?.passwordHash === hash && person.disabledAtMs === null) return person;
  if (person) recordFailure(person, call, platform);
  throw new ApiError("sign_in_failed", "The email address or the password is wrong.");
}

/** Recorded after the response was sent: the response must not take longer for an existing address. */
function recordFailure({ id, accountId }: Person, { change }: Call<SignInRequest>, { auditLog }: Platform): void {
  const failure = change("person.sign_in_failed", { kind: "person", id }, { before: null, after: null, accountId });
  setTimeout(() => void auditLog.add(failure).catch(() => undefined), 0);
}
