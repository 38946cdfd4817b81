import type { ReactNode } from "react";
import { Code } from "../../parts/code.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { envLines } from "../../snippets/env-lines.ts";
import { useFirstSnippets } from "../../snippets/use-snippets.ts";

interface KeySnippetsProps {
  readonly id: string;
  /** The key itself. */
  readonly text: string;
  readonly onCopied: () => void;
}

/** All that is needed to use a key that was just made, with the key in it. */
export function KeySnippets({ id, text, onCopied }: KeySnippetsProps): ReactNode {
  const use = useFirstSnippets(id, text);
  if (!use) return <Loading lines={4} />;
  const lines = { id: "env", label: "Environment", text: envLines(use.baseUrl, text) };
  return (
    <Tabs
      label="How to use the key"
      tabs={[lines, ...use.snippets].map((snippet) => ({
        id: snippet.id,
        label: snippet.label,
        content: <Code text={snippet.text} label={snippet.label} onCopied={onCopied} />,
      }))}
    />
  );
}
