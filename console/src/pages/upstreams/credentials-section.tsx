import { Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { EnterCredential, type CredentialEntry } from "./enter-credential.tsx";
import { describeIdentity } from "./format-identity.ts";
import { maskedCredential } from "./format-upstream.ts";

/** The credentials of an upstream, by their last four characters. The values are never shown. */
export function CredentialsSection({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const [entry, setEntry] = useState<CredentialEntry>();
  const [removed, setRemoved] = useState<{ readonly last4?: string }>();
  const { credentials, managed_by: managedBy } = upstream;
  const isOurs = managedBy === "operator";
  const identity = describeIdentity(upstream);
  const hasAny = identity !== undefined || credentials.length > 0;
  return (
    <Section
      title="Credentials"
      about={aboutCredentials(upstream, identity !== undefined)}
      actions={
        isOurs && (
          <>
            {hasAny && (
              <Button small onClick={() => setRemoved({})}>
                {credentials.length > 1 ? "Remove all" : "Remove"}
              </Button>
            )}
            {hasAny && (
              <Button small onClick={() => setEntry({ kind: "replace" })}>
                {credentials.length > 1 ? "Replace all" : "Replace"}
              </Button>
            )}
            {identity === undefined && (
              <Button small onClick={() => setEntry({ kind: hasAny ? "add" : "replace" })}>
                {hasAny ? "Add" : "Set credential"}
              </Button>
            )}
          </>
        )
      }
      flush
    >
      {identity !== undefined ? (
        <p className="px-4 py-3">{identity}</p>
      ) : credentials.length === 0 ? (
        <Empty title="No credentials">Requests are sent without a credential, which local servers accept.</Empty>
      ) : (
        <ul className="divide-y divide-line">
          {credentials.map(({ last4 }, at) => (
            // Two credentials can have the same last four characters: the index identifies them.
            <li key={at} className="flex min-h-11 items-center gap-2 px-4 py-1.5">
              <Mono>{maskedCredential(last4)}</Mono>
              {isOurs && last4 !== null && credentials.length > 1 && isOnly(last4, upstream) && (
                <span className="ml-auto flex items-center gap-1">
                  <Button small weight="quiet" onClick={() => setEntry({ kind: "rotate", last4 })} aria-label={`Rotate ${last4}`}>
                    Rotate
                  </Button>
                  <IconButton small label={`Remove ${last4}`} onClick={() => setRemoved({ last4 })}>
                    <Trash2 size={16} aria-hidden />
                  </IconButton>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {entry && <EnterCredential upstream={upstream} entry={entry} onClose={() => setEntry(undefined)} />}
      {removed?.last4 !== undefined && <RemoveOne upstream={upstream} last4={removed.last4} onClose={() => setRemoved(undefined)} />}
      {removed && removed.last4 === undefined && <RemoveAll upstream={upstream} onClose={() => setRemoved(undefined)} />}
    </Section>
  );
}

function aboutCredentials({ aws, google, azure }: Upstream, hasIdentity: boolean): string {
  if (!hasIdentity) return "Stored encrypted and never shown again. Requests are load-balanced across them.";
  const hasSecret = aws ? aws.access_key_id !== null : google ? google.has_credentials : azure!.has_client_secret || azure!.has_certificate;
  const expiring = "It obtains credentials that expire, and refreshes them.";
  return hasSecret ? `An identity at a cloud. ${expiring} Its secrets are never shown again.` : `The identity of the machine. ${expiring}`;
}

/** Two credentials with the same last four characters can only be replaced or removed together. */
function isOnly(last4: string, { credentials }: Upstream): boolean {
  return credentials.filter((each) => each.last4 === last4).length === 1;
}

interface RemoveOneProps {
  readonly upstream: Upstream;
  readonly last4: string;
  readonly onClose: () => void;
}

function RemoveOne({ upstream: { id, credentials }, last4, onClose }: RemoveOneProps): ReactNode {
  const remove = useApiMutation("removeCredential");
  const others = credentials.filter((each) => each.last4 !== last4).map((each) => maskedCredential(each.last4));
  const done = (): void => {
    toast(`The credential ${maskedCredential(last4)} of ${id} was removed.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${maskedCredential(last4)} of ${id}?`}
      action="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ path: { id }, query: { last4 } }, { onSuccess: done })}
    >
      The credential is deleted. New requests use {others.join(", ")}.
    </Confirm>
  );
}

function RemoveAll({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const remove = useApiMutation("removeCredential");
  const { id, credentials, models } = upstream;
  const identity = describeIdentity(upstream);
  const isOne = identity !== undefined || credentials.length === 1;
  const noun = identity === undefined ? (isOne ? "credential" : "credentials") : "identity";
  const marks = identity ?? credentials.map(({ last4 }) => maskedCredential(last4)).join(", ");
  const done = (): void => {
    toast(`The ${noun} of ${id} ${isOne ? "was" : "were"} removed.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove the ${noun} of ${id}?`}
      action="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: done })}
    >
      {marks} {isOne ? "is" : "are"} deleted. New requests are sent without a credential.
      {models.length > 0 &&
        ` Most providers reject such requests: ${models.length === 1 ? models[0] : `${models.length} models`} may stop working.`}
    </Confirm>
  );
}
