import type { ReactNode } from "react";
import { Code } from "../../parts/code.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { envLines } from "../../snippets/env-lines.ts";
import { useFirstSnippets } from "../../snippets/use-snippets.ts";

interface KeySnippetsProps {
  readonly id: string;
  /** The plaintext key. */
  readonly secret: string;
  readonly onCopied: () => void;
}

/** Environment variables and code for a new key, with the key filled in. */
export function KeySnippets({ id, secret, onCopied }: KeySnippetsProps): ReactNode {
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
