import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useApiMutation, useResetOnExpiry } from "../../platform/use-api.ts";
import { withLabels } from "../../platform/readable-message.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { replaceAndTest, testUpstream, type TestedUpstream } from "./test-upstream.ts";

interface FixUpstreamProps {
  readonly added: TestedUpstream;
  /** Undefined after it was removed. */
  readonly onChange: (added: TestedUpstream | undefined) => void;
}

/** For an upstream that was created but failed its test: retry, replace the credential, or remove it. */
export function FixUpstream({ added, onChange }: FixUpstreamProps): ReactNode {
  const { id, test } = added;
  // Without a response, the credential is not the cause.
  const isUnreachable = test.status === null;
  const [isTyping, setTyping] = useState(false);
  const retry = useMutation({
    mutationFn: (credential: string | null) => (credential === null ? testUpstream(id) : replaceAndTest(id, credential)),
    onSuccess: (next) => onChange({ ...added, test: next }),
  });
  useResetOnExpiry(retry);
  const remove = useApiMutation("removeUpstream");
  const problem = retry.error ?? remove.error;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        retry.mutate(formFields(event.currentTarget, "credential").credential.trim());
      }}
    >
      <Notice tone="bad" title={`Connection test of ${id} failed`}>
        {test.problem && withLabels(test.problem)}
      </Notice>
      {isTyping && <TextField label="New credential" name="credential" type="password" required autoFocus />}
      {problem && <Notice tone="bad">{problem.message}</Notice>}
      <div className="flex flex-wrap gap-2">
        {isTyping ? (
          <Button type="submit" weight="primary" busy={retry.isPending}>
            Replace and test
          </Button>
        ) : (
          <>
            <Button weight={isUnreachable ? "primary" : "plain"} busy={retry.isPending} onClick={() => retry.mutate(null)}>
              Test again
            </Button>
            <Button weight={isUnreachable ? "plain" : "primary"} onClick={() => setTyping(true)}>
              Replace credential
            </Button>
          </>
        )}
        <Button
          weight="quiet"
          busy={remove.isPending}
          onClick={() => remove.mutate({ path: { id } }, { onSuccess: () => onChange(undefined) })}
        >
          Remove and start over
        </Button>
      </div>
    </form>
  );
}
