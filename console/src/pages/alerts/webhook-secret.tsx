import type { ReactNode } from "react";
import type { NewWebhook } from "../../../../platform-client/types.ts";
import { Code } from "../../parts/code.tsx";
import { moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { SecretDialog } from "../../parts/overlays/secret-dialog.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { VERIFY_SNIPPETS } from "./verify-snippets.ts";

/** Shows a new signing secret, with code to verify signatures. */
export function WebhookSecret({ of, onClose }: { readonly of: NewWebhook; readonly onClose: () => void }): ReactNode {
  const previousUntil = of.previous_secret_signs_until;
  return (
    <SecretDialog
      title={`Signing secret of “${of.name}”`}
      noun="secret"
      secret={of.secret ?? null}
      remedy="Rotate the secret to get a new one."
      onClose={onClose}
    >
      {previousUntil !== null && <Notice>Messages are also signed with the old secret until {moment(previousUntil)}.</Notice>}
      <p className="text-ink-2">
        Every message is signed with this secret (Standard Webhooks specification). Verify the signature in your receiver:
      </p>
      <Tabs
        label="Signature verification"
        tabs={VERIFY_SNIPPETS.map(({ id, label, text }) => ({ id, label, content: <Code label={`${label} code`} text={text} /> }))}
      />
    </SecretDialog>
  );
}
