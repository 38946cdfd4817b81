import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { toast } from "../../parts/toasts.tsx";
import { ReplaceCredential } from "./replace-credential.tsx";
import { describeIdentity } from "./format-identity.ts";
import { maskedCredential } from "./format-upstream.ts";

/** The credentials of an upstream, by their last four characters. The values are never shown. */
export function CredentialsSection({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const [dialog, setDialog] = useState<"replace" | "remove">();
  const { credentials, managed_by: managedBy } = upstream;
  const isOurs = managedBy === "operator";
  const identity = describeIdentity(upstream);
  const hasAny = identity !== undefined || credentials.length > 0;
  const close = (): void => setDialog(undefined);
  return (
    <Section
      title="Credentials"
      about={aboutCredentials(upstream, identity !== undefined)}
      actions={
        isOurs && (
          <>
            {hasAny && (
              <Button small onClick={() => setDialog("remove")}>
                Remove
              </Button>
            )}
            <Button small onClick={() => setDialog("replace")}>
              {hasAny ? "Replace" : "Set credential"}
            </Button>
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
            <li key={at} className="px-4 py-2">
              <Mono>{maskedCredential(last4)}</Mono>
            </li>
          ))}
        </ul>
      )}
      {dialog === "replace" && <ReplaceCredential upstream={upstream} onClose={close} />}
      {dialog === "remove" && <RemoveCredential upstream={upstream} onClose={close} />}
    </Section>
  );
}

function aboutCredentials({ aws, google, azure }: Upstream, hasIdentity: boolean): string {
  if (!hasIdentity) return "Stored encrypted and never shown again. Requests are load-balanced across them.";
  const hasSecret = aws ? aws.access_key_id !== null : google ? google.has_credentials : azure!.has_client_secret || azure!.has_certificate;
  const expiring = "It obtains credentials that expire, and refreshes them.";
  return hasSecret ? `An identity at a cloud. ${expiring} Its secrets are never shown again.` : `The identity of the machine. ${expiring}`;
}

function RemoveCredential({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
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
