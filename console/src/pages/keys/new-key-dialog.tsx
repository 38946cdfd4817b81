import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { NewKey } from "../../../../platform-client/types.ts";
import { buttonClass } from "../../parts/button.tsx";
import { moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { SecretDialog } from "../../parts/overlays/secret-dialog.tsx";
import { Code } from "../../parts/code.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { envLines } from "../../snippets/env-lines.ts";
import { useFirstSnippets } from "../../snippets/use-snippets.ts";

/** Shows a new or rotated key once, with code to use it. */
export function NewKeyDialog({ created, onClose }: { readonly created: NewKey; readonly onClose: () => void }): ReactNode {
  const { id, name, key, previous_key_works_until: previousUntil } = created;
  // In a new tab, because this dialog is the only place that shows the key.
  const playgroundLink = (
    <Link to="/playground" search={{ key: id }} target="_blank" className={buttonClass()}>
      Try in playground
    </Link>
  );
  return (
    <SecretDialog
      title={`Key “${name}”`}
      noun="key"
      secret={key ?? null}
      remedy="Rotate the key to get a new secret."
      onClose={onClose}
      actions={playgroundLink}
    >
      {(onCopied) => (
        <>
          <KeySnippets id={id} secret={key!} onCopied={onCopied} />
          {previousUntil !== null && <Notice>The old secret works until {moment(previousUntil)}.</Notice>}
        </>
      )}
    </SecretDialog>
  );
}

interface KeySnippetsProps {
  readonly id: string;
  /** The plaintext key. */
  readonly secret: string;
  readonly onCopied: () => void;
}

/** Environment variables and code for a new key, with the key filled in. */
function KeySnippets({ id, secret, onCopied }: KeySnippetsProps): ReactNode {
  const first = useFirstSnippets(id, secret);
  if (!first) return <Loading lines={4} />;
  const lines = { id: "env", label: "Environment", text: envLines(first.baseUrl, secret) };
  return (
    <Tabs
      label="Code examples"
      tabs={[lines, ...first.snippets].map((snippet) => ({
        id: snippet.id,
        label: snippet.label,
        content: <Code text={snippet.text} label={snippet.label} onCopied={onCopied} />,
      }))}
    />
  );
}
