import type { Exchange } from "../../http/endpoint.ts";
import { toApiError } from "../../http/error-reply.ts";
import { basePathOf } from "../../lib/net/public-address.ts";
import type { Platform } from "../platform.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { ApiError } from "../../requests/api-error.ts";
import { type Person, normalizeEmail, makePerson, withoutSessions } from "../../access/person.ts";
import { hashToken } from "../../lib/secret/random-token.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { operation, type Operation, type Call } from "../operation.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { signInBrowser } from "../sign-in/open-session.ts";
import { passwordSchema, newPasswordSchema } from "../sign-in/passwords.ts";
import type { Attempt } from "../sign-in/throttle.ts";
import { emailSchema } from "../../access/email-schema.ts";
import { personSchema, viewPerson, roleSchema } from "./people.ts";
import { COOKIE_HEADERS } from "../sign-in/platform-cookie.ts";
import { endSession, findOwnSession } from "./me.ts";
import { refuseWeak } from "../sign-in/weak-passwords.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { Secret } from "../../lib/secret/secret.ts";
import type { OidcSignIn } from "../sign-in/oidc.ts";
import { formatPending, parsePending } from "../sign-in/oidc-pending.ts";
import type { Update } from "../../access/change.ts";
import type { OidcIdentity } from "../sign-in/oidc-identity.ts";

/**
 * Redirects a browser. The person has followed a link, so an error is shown on the sign-in page by its code; the details are in the log.
 */
async function redirectWithError(exchange: Exchange, platform: Platform, go: () => Promise<Reply>): Promise<Reply> {
  try {
    return await go();
  } catch (error) {
    return redirect(`${firstPage(platform)}#${toApiError(error, exchange.notes).code}`);
  }
}

/** The path of the first page, which shows the signed-in person or the sign-in form. */
function firstPage({ publicUrl }: Platform): string {
  return `${basePathOf(publicUrl())}/`;
}

function redirect(location: string, cookies: readonly string[] = []): Reply {
  const reply = new Reply(null, { status: 302, headers: { location } });
  reply.cookies.push(...cookies);
  return reply;
}

const linkTokenSchema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  isSecret: true,
  description: "The part of the link after the #.",
} as const satisfies Schema;

/** The person whom a link is for. The first operator does not exist yet. */
function findInvited(token: string, platform: Platform): Person | "first operator" {
  // The setup link was printed to a terminal: once there is a person who can invite others, the link must no longer create an operator.
  if (platform.people.count() === 0 && platform.signIn.setupLink.opensWith(token, platform.monotonicMs())) return "first operator";
  return checkInvited(platform.people.findByInvitation(hashToken(token)), token, platform.nowMs());
}

/** The person, if the link belongs to the person and is still valid. */
function checkInvited(person: Person | undefined, token: string, nowMs: number): Person {
  const isTheirs = person?.invitation?.hash === hashToken(token) && nowMs < person.invitation.expiresAtMs;
  if (isTheirs && person.disabledAtMs === null) return person;
  throw unknownLink();
}

function unknownLink(): ApiError {
  return new ApiError("unknown_link", "This link is invalid: it was used, replaced, or has expired. Ask for a new one.");
}

/** GET /api/sign-in/methods: the sign-in methods to offer. */
export function listMethods(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/methods",
    access: "anyone",
    operationId: "listSignInMethods",
    summary: "List the available sign-in methods",
    reply: {
      status: 200,
      description: "The available sign-in methods.",
      json: {
        title: "SignInMethods",
        type: "object",
        required: ["password", "oidc"],
        properties: {
          password: { type: "boolean" },
          oidc: { type: "boolean", description: "Whether an OpenID provider (SSO) is configured." },
        },
      },
    },
    run: () => ({ password: true, oidc: platform.signIn.oidc !== undefined }),
  });
}

const signInRequest = {
  title: "SignInRequest",
  type: "object",
  additionalProperties: false,
  required: ["email", "password"],
  // Redacted, because people sometimes type their password into this field.
  properties: { email: { ...emailSchema, isSecret: true }, password: passwordSchema },
} as const satisfies Schema;

type SignInRequest = Infer<typeof signInRequest>;

/** POST /api/sign-in: creates a session for an email address and password. All failures look the same and take the same time. */
export function signInWithPassword(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/sign-in",
    access: "anyone",
    operationId: "signIn",
    summary: "Sign in with an email address and a password, and receive a session cookie",
    body: signInRequest,
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
  const isRight = await attempt.make(() => platform.signIn.passwords.verify(call.body.password, hash, attempt.isKnown));
  // Checked again: meanwhile the person may have been disabled, or may have changed the password.
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

/** POST /api/sign-out: ends the session of this browser. */
export function signOut(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/sign-out",
    access: "session",
    operationId: "signOut",
    summary: "Sign out: end the current session",
    reply: { status: 204, description: "The session has ended.", headers: COOKIE_HEADERS },
    async run(call) {
      await endSession(findOwnSession(call.actor.sessionId!, call.actor, platform), "person.sign_out", call, platform);
      return new Reply(null, { status: 204, headers: { "set-cookie": platform.signIn.sessionCookie.clear() } });
    },
  });
}

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

/** POST /api/invitations/show: the person an invitation link is for. It is not a GET, because the URL would put the token into logs. */
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

const acceptRequest = {
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

type AcceptInvitationRequest = Infer<typeof acceptRequest>;

/** POST /api/invitations/accept: uses up a one-time link: sets the password and signs the person in. */
export function acceptInvitation(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/invitations/accept",
    access: "anyone",
    operationId: "acceptInvitation",
    summary: "Set a password with a one-time link, and sign in. Earlier sessions end.",
    body: acceptRequest,
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

/** GET /api/sign-in/oidc: redirects the browser to the OpenID provider. */
export function startOidc(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/oidc",
    access: "anyone",
    operationId: "startOidc",
    summary: "Start a sign-in with the OpenID provider",
    reply: { status: 302, description: "Redirects to the provider, or to the sign-in page with an error.", isPage: true },
    run: ({ exchange }) =>
      redirectWithError(exchange, platform, async () => {
        const { url, pending } = await requireOidc(platform).begin();
        return redirect(url, [platform.signIn.pendingCookie.set(new Secret(formatPending(pending)))]);
      }),
  });
}

function requireOidc({ signIn }: Platform): OidcSignIn {
  if (signIn.oidc) return signIn.oidc;
  throw new ApiError("unknown_url", "No OpenID provider is configured.");
}

/** GET /api/sign-in/oidc/callback: the redirect URI of the OpenID provider. */
export function finishOidc(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/sign-in/oidc/callback",
    access: "anyone",
    operationId: "finishOidc",
    summary: "Complete the sign-in with the OpenID provider, for people who were invited",
    query: "any",
    reply: { status: 302, description: "Redirects to the first page after a sign-in, or to the sign-in page with an error.", isPage: true },
    run: (call) =>
      redirectWithError(call.exchange, platform, async () => {
        const identity = await readAnswer(call, platform);
        const person = await findOrLink(identity, call, platform);
        const cookie = await signInBrowser(person, "openid", call, platform);
        return redirect(firstPage(platform), [cookie, platform.signIn.pendingCookie.clear()]);
      }),
  });
}

async function readAnswer({ exchange: { request } }: Call, platform: Platform): Promise<OidcIdentity> {
  const oidc = requireOidc(platform);
  const pending = parsePending(platform.signIn.pendingCookie.read(request) ?? "");
  if (!pending) throw refusal("this browser has not started a sign-in");
  return oidc.finish(request.target, pending);
}

/**
 * The person an identity belongs to. At the first sign-in the person is found by the email address, if the provider has verified it. From
 * then on the identity counts, even if the address changes. No person is created: people are invited.
 */
async function findOrLink(identity: OidcIdentity, call: Call, platform: Platform): Promise<Person> {
  const known = platform.people.findByIdentity(identity);
  if (known) return refuseDisabled(known);
  if (identity.email === undefined || !identity.emailVerified) throw refusal("the identity is unknown and has no verified email");
  const invited = platform.people.findByEmail(normalizeEmail(identity.email));
  if (!invited) throw refusal("nobody with this email was invited");
  const { record } = await platform.people.update(invited.id, (current) => link(current!, identity, call));
  return record;
}

/** The person, linked to the identity. The invitation link is removed: it is no longer needed, and an unused link is a risk. */
function link(person: Person, { issuer, subject }: OidcIdentity, { change }: Call): Update<Person> {
  const { id, accountId } = person;
  if (person.identity) throw refusal(`${id} has another identity`);
  refuseDisabled(person);
  const record: Person = { ...person, identity: { issuer, subject }, invitation: null };
  const what = { before: viewPerson(person), after: viewPerson(record), accountId, by: person };
  return { record, change: change("person.link_identity", { kind: "person", id }, what) };
}

function refuseDisabled(person: Person): Person {
  if (person.disabledAtMs === null) return person;
  throw refusal(`${person.id} is disabled`);
}

/** The same error for every reason. The log contains the reason. */
function refusal(detail: string): ApiError {
  return new ApiError("sign_in_failed", "The sign-in failed.", { detail });
}
