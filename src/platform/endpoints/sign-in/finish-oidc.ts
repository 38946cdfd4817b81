import type { Update } from "../../../access/change.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { normalizeEmail, type Person } from "../../../access/person.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import type { OidcIdentity } from "../../sign-in/oidc-identity.ts";
import { parsePending } from "../../sign-in/oidc-pending.ts";
import { signInBrowser } from "../../sign-in/open-session.ts";
import { viewPerson } from "../people/person-view.ts";
import { requireOidc } from "./start-oidc.ts";
import { firstPage, redirect, redirectWithError } from "./redirect.ts";

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
 * The person an identity belongs to. At the first sign-in the email address decides, if the provider has verified it; from then on the
 * identity counts, even if the address changes. No person is created: people are invited.
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

/** The invitation link is no longer needed, and an unused link is a risk. */
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

/** One error for all reasons. The log has the reason. */
function refusal(detail: string): ApiError {
  return new ApiError("sign_in_failed", "The sign-in failed.", { detail });
}
