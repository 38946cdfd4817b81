import type { UseMutationResult } from "@tanstack/react-query";
import { PlugZap } from "lucide-react";
import type { ReactNode } from "react";
import type { ConnectionTest } from "../../../../platform-client/types.ts";
import { withLabels } from "../../platform/readable-message.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { duration, inCount } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { describeCredentials } from "./format-identity.ts";

interface ConnectionSectionProps {
  readonly test: Pick<UseMutationResult<ConnectionTest>, "data" | "error" | "isPending">;
  readonly onTest: () => void;
}

/** Tests the connection to an upstream and lists its models. */
export function ConnectionSection({ test, onTest }: ConnectionSectionProps): ReactNode {
  return (
    <Section
      title="Connection"
      about="Requests the upstream's model list, or a token count if it has none. Both cost nothing."
      actions={
        <Button small busy={test.isPending} onClick={onTest}>
          <PlugZap size={14} aria-hidden />
          Test connection
        </Button>
      }
    >
      {test.error && <Notice tone="bad">{test.error.message}</Notice>}
      {test.data && <ConnectionResult test={test.data} />}
      {!test.data && !test.error && <p className="text-ink-3">{test.isPending ? "Testing …" : "Not tested yet."}</p>}
    </Section>
  );
}

/** The result of a connection test, with the models that the upstream lists. */
export function ConnectionResult({ test }: { readonly test: ConnectionTest }): ReactNode {
  if (!test.ok) {
    return (
      <Notice tone="bad" title={test.status === null ? "No response" : `The upstream returned status ${test.status}`}>
        {test.problem && withLabels(test.problem)}
        {test.identity && <p>{describeCredentials(test.identity)}</p>}
      </Notice>
    );
  }
  const result = test.models === null ? `Checked ${test.checked},` : `${inCount(test.models, "model")} listed`;
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="good" title="Connection successful">
        {result} in {duration(test.duration_ms)}.{test.identity && ` ${describeCredentials(test.identity)}`}
      </Notice>
      {test.names.length > 0 && (
        <ul
          aria-label="Listed models"
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
