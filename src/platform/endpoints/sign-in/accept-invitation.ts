import type { Schema } from "../../../lib/schema/schema.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { makePerson, normalizeEmail, withoutSessions, type Person } from "../../../access/person.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { signInBrowser } from "../../sign-in/open-session.ts";
import { newPasswordSchema } from "../../sign-in/passwords.ts";
import { refuseWeak } from "../../sign-in/weak-passwords.ts";
import { emailSchema } from "../../../access/email-schema.ts";
import { nameSchema } from "../../../lib/schema/name-schema.ts";
import { personSchema, viewPerson } from "../people/person-view.ts";
import { checkInvited, findInvited, linkTokenSchema, unknownLink } from "./find-invited.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../../sign-in/platform-cookie.ts";

const requestSchema = {
  title: "AcceptInvitationRequest",
  type: "object",
  additionalProperties: false,
  required: ["token", "password"],
  properties: {
    token: linkTokenSchema,
    password: newPasswordSchema,
    name: { ...nameSchema, description: "The name of the person. Required for the first operator." },
    email: { ...emailSchema, description: "The email address. For the first operator only." },
  },
} as const satisfies Schema;

type AcceptInvitationRequest = Infer<typeof requestSchema>;

/** POST /api/invitations/accept: uses up a one-time link: sets the password and signs the person in. */
export function acceptInvitation(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/invitations/accept",
    access: "anyone",
    operationId: "acceptInvitation",
    summary: "Set a password with a one-time link, and sign in. Earlier sessions end.",
    body: requestSchema,
    reply: { status: 200, description: "The signed-in person.", headers: COOKIE_HEADERS, json: personSchema },
    async run(call) {
      const { token, password } = call.body;
      refuseWeak(password, describeInvited(findInvited(token, platform), call.body), "password");
      const passwordHash = await platform.signIn.passwords.hash(password);
      // Checked again: of two concurrent uses of a link, the second gets here after the first has used it up.
      const invited = findInvited(token, platform);
      const person = await (invited === "first operator"
        ? addFirstOperator(passwordHash, call, platform)
        : setPassword(invited.id, passwordHash, call, platform));
      const cookie = await signInBrowser(person, "link", call, platform);
      return Reply.json(viewPerson(person), { headers: { "set-cookie": cookie } });
    },
  });
}

/** The name and email address of the new person, from the invitation and the request. */
function describeInvited(invited: Person | "first operator", given: AcceptInvitationRequest): Pick<Person, "email" | "name"> {
  if (invited !== "first operator") {
    if (given.email === undefined) return { email: invited.email, name: given.name ?? invited.name };
    throw new ApiError("invalid_value", "email must be omitted: the invitation already has one.", { param: "email" });
  }
  const missing = given.email === undefined ? "email" : given.name === undefined ? "name" : undefined;
  if (missing) throw new ApiError("missing_required_parameter", `${missing} is required.`, { param: missing });
  return { email: normalizeEmail(given.email!), name: given.name! };
}

async function addFirstOperator(
  passwordHash: string,
  { body, change }: Call<AcceptInvitationRequest>,
  platform: Platform,
): Promise<Person> {
  const wanted = { ...describeInvited("first operator", body), role: "operator", accountId: null, invitation: null } as const;
  const person: Person = { ...makePerson(wanted, platform.nowMs()), passwordHash };
  const putBack = platform.signIn.setupLink.take();
  try {
    await platform.people.update(person.id, () => {
      if (platform.people.count() > 0) throw unknownLink();
      const what = { before: null, after: viewPerson(person), by: person };
      return { record: person, change: change("person.create", { kind: "person", id: person.id }, what) };
    });
  } catch (error) {
    putBack();
    throw error;
  }
  return person;
}

async function setPassword(
  id: string,
  passwordHash: string,
  { body, change }: Call<AcceptInvitationRequest>,
  platform: Platform,
): Promise<Person> {
  const { record } = await platform.people.update(id, (current) => {
    const person = checkInvited(current, body.token, platform.nowMs());
    const changed: Person = { ...withoutSessions(person), ...describeInvited(person, body), passwordHash, invitation: null };
    const what = { before: viewPerson(person), after: viewPerson(changed), accountId: person.accountId, by: person };
    return { record: changed, change: change("person.accept_invitation", { kind: "person", id }, what) };
  });
  return record;
}
