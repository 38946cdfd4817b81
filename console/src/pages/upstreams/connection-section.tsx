import type { UseMutationResult } from "@tanstack/react-query";
import { PlugZap } from "lucide-react";
import type { ReactNode } from "react";
import type { ConnectionTest } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { count, duration } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";

interface ConnectionSectionProps {
  readonly test: Pick<UseMutationResult<ConnectionTest>, "data" | "error" | "isPending">;
  readonly onTest: () => void;
}

/** Whether an upstream can be reached, and what it has. */
export function ConnectionSection({ test, onTest }: ConnectionSectionProps): ReactNode {
  return (
    <Section
      title="Connection"
      about="It is asked for its list of models, which costs nothing."
      actions={
        <Button small busy={test.isPending} onClick={onTest}>
          <PlugZap size={14} aria-hidden />
          Test the connection
        </Button>
      }
    >
      {test.error && <Notice tone="bad">{test.error.message}</Notice>}
      {test.data && <ConnectionOutcome test={test.data} />}
      {!test.data && !test.error && <p className="text-ink-3">{test.isPending ? "Calling it …" : "It was not tested on this page yet."}</p>}
    </Section>
  );
}

/** How a test went, in words, with the names of what the upstream lists. */
export function ConnectionOutcome({ test }: { readonly test: ConnectionTest }): ReactNode {
  if (!test.ok) {
    return (
      <Notice tone="bad" title={test.status === null ? "There was no answer" : `It answered with status ${test.status}`}>
        {test.problem}
      </Notice>
    );
  }
  const listed = test.models === null ? "It answers" : `It lists ${count(test.models)} ${test.models === 1 ? "model" : "models"}`;
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="good" title="It works">
        {listed}, after {duration(test.duration_ms)}.
      </Notice>
      {test.names.length > 0 && (
        <ul
          aria-label="Models that it lists"
          tabIndex={0}
          className="max-h-48 columns-1 gap-6 overflow-y-auto rounded-md border border-line bg-sunken p-3 text-sm sm:columns-2"
        >
          {test.names.map((name) => (
            <li key={name} className="truncate" title={name}>
              <Mono>{name}</Mono>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
