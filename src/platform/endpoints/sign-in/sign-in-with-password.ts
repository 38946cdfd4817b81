import { GatewayError } from "../../../requests/gateway-error.ts";
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

interface SignInRequest {
  readonly email: string;
  readonly password: string;
}

/** POST /api/sign-in: a session for whoever knows the password. Every failure looks the same, and costs the same work. */
export function signInWithPassword(platform: Platform): Operation {
  return operation<SignInRequest>({
    method: "POST",
    path: "/api/sign-in",
    access: "anyone",
    operationId: "signIn",
    summary: "Signs a person in with a browser, which gets a cookie.",
    body: {
      title: "SignInRequest",
      type: "object",
      additionalProperties: false,
      required: ["email", "password"],
      // People do type their password into the other field.
      properties: { email: { ...emailSchema, isSecret: true }, password: passwordSchema },
    },
    reply: { status: 200, description: "Who is signed in.", headers: COOKIE_HEADERS, json: personSchema },
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
  // Looked up once more: they may have been disabled while the password was checked, or have chosen another.
  const person = platform.people.findByEmail(email);
  if (isRight && person?.passwordHash === hash && person.disabledAtMs === null) return person;
  if (person) recordFailure(person, call, platform);
  throw new GatewayError("sign_in_failed", "The email address or the password is wrong.");
}

/** Written after the answer has gone: it must not take longer for an address that is somebody's. */
function recordFailure({ id, accountId }: Person, { change }: Call<SignInRequest>, { auditLog }: Platform): void {
  const failure = change("person.sign_in_failed", { kind: "person", id }, { before: null, after: null, accountId });
  setTimeout(() => void auditLog.add(failure).catch(() => undefined), 0);
}
