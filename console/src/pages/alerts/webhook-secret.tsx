import type { ReactNode } from "react";
import type { NewWebhook } from "../../platform/interface.ts";
import { Code } from "../../parts/code.tsx";
import { moment } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { SecretDialog } from "../../parts/secret-dialog.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { VERIFY_SNIPPETS } from "./verify-snippets.ts";

/** The secret of a webhook that was made or whose secret was rotated, and how a receiver checks with it. */
export function WebhookSecret({ of, onClose }: { readonly of: NewWebhook; readonly onClose: () => void }): ReactNode {
  const previousUntil = of.previous_secret_signs_until;
  return (
    <SecretDialog
      title={`The secret of “${of.name}”`}
      noun="secret"
      secret={of.secret ?? null}
      remedy="Rotate the secret to get another."
      onClose={onClose}
    >
      {previousUntil !== null && <Notice>Messages are signed with the secret before it too, until {moment(previousUntil)}.</Notice>}
      <p className="text-ink-2">
        Every message is signed with it, by the Standard Webhooks specification. So the receiver checks that a message is from here:
      </p>
      <Tabs
        label="How to check a message"
        tabs={VERIFY_SNIPPETS.map(({ id, label, text }) => ({ id, label, content: <Code label={`the check in ${label}`} text={text} /> }))}
      />
    </SecretDialog>
  );
}
