import { useState, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { toast } from "../../parts/toasts.tsx";
import { ReplaceCredential } from "./replace-credential.tsx";
import { markOf } from "./format-upstream.ts";

/** The credentials of an upstream, by their marks: they themselves are never shown. */
export function CredentialsSection({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const [doing, setDoing] = useState<"replace" | "remove">();
  const { credentials, managed_by: managedBy } = upstream;
  const isOurs = managedBy === "operator";
  const close = (): void => setDoing(undefined);
  return (
    <Section
      title="Credentials"
      about="They are kept sealed, and never shown again. Calls use them in turn."
      actions={
        isOurs && (
          <>
            {credentials.length > 0 && (
              <Button small onClick={() => setDoing("remove")}>
                Remove
              </Button>
            )}
            <Button small onClick={() => setDoing("replace")}>
              {credentials.length > 0 ? "Replace" : "Set"}
            </Button>
          </>
        )
      }
      flush
    >
      {credentials.length === 0 ? (
        <Empty title="It has no credential">It is called without one, as local servers allow.</Empty>
      ) : (
        <ul className="divide-y divide-line">
          {credentials.map(({ last4 }, at) => (
            // Two can end alike: their place tells them apart.
            <li key={at} className="px-4 py-2">
              <Mono>{markOf(last4)}</Mono>
            </li>
          ))}
        </ul>
      )}
      {doing === "replace" && <ReplaceCredential upstream={upstream} onClose={close} />}
      {doing === "remove" && <RemoveCredential upstream={upstream} onClose={close} />}
    </Section>
  );
}

function RemoveCredential({
  upstream: { id, credentials, models },
  onClose,
}: {
  readonly upstream: Upstream;
  readonly onClose: () => void;
}): ReactNode {
  const remove = useChange("removeCredential");
  const marks = credentials.map(({ last4 }) => markOf(last4)).join(", ");
  const done = (): void => {
    toast(`${id} has no credential any more.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove the ${credentials.length === 1 ? "credential" : "credentials"} of ${id}?`}
      action="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: done })}
    >
      {marks} {credentials.length === 1 ? "is" : "are"} forgotten, and calls go out without one from the next request on.
      {models.length > 0 && ` Most providers refuse that: ${models.length === 1 ? models[0] : `${models.length} models`} may stop working.`}
    </Confirm>
  );
}
