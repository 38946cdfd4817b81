import type { ReactNode } from "react";
import { Code } from "../../parts/code.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { envLines } from "../../snippets/env-lines.ts";
import { useFirstSnippets } from "../../snippets/use-snippets.ts";

interface NewKeyProps {
  readonly id: string;
  /** The key itself. */
  readonly text: string;
  readonly onCopied: () => void;
}

/** A key that was just made, with all that is needed to use it. */
export function NewKey({ id, text, onCopied }: NewKeyProps): ReactNode {
  return (
    <>
      <KeyText text={text} onCopied={onCopied} />
      <FirstUse id={id} text={text} onCopied={onCopied} />
    </>
  );
}

/** The key itself, once. */
export function KeyText({ text, onCopied }: Omit<NewKeyProps, "id">): ReactNode {
  return (
    <>
      <Notice tone="warn" title="This is the only time that the key is shown.">
        Copy it now and keep it where secrets are kept. Tollgate has no way to show it again.
      </Notice>
      <div className="flex flex-col gap-2 sm:flex-row sm:items-center">
        <output
          aria-label="The key"
          className="min-w-0 flex-1 rounded-md border border-line bg-sunken px-3 py-1.5 font-mono text-sm break-all select-all"
        >
          {text}
        </output>
        <CopyButton primary text={text} onCopied={onCopied}>
          Copy the key
        </CopyButton>
      </div>
    </>
  );
}

function FirstUse({ id, text, onCopied }: NewKeyProps): ReactNode {
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
