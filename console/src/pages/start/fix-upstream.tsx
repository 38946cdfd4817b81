import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { replaceAndTest, testUpstream } from "./test-upstream.ts";
import type { Added } from "./upstream-step.tsx";

interface FixUpstreamProps {
  readonly added: Added;
  /** Undefined where it was removed. */
  readonly onChange: (added: Added | undefined) => void;
}

/** The upstream is there, but its credential is wrong or it cannot be reached: another try, or away with it. */
export function FixUpstream({ added, onChange }: FixUpstreamProps): ReactNode {
  const { id, test } = added;
  // Where nobody answers, no credential is to blame.
  const isUnreachable = test.status === null;
  const [isTyping, setTyping] = useState(false);
  const again = useMutation({
    mutationFn: (credential: string | null) => (credential === null ? testUpstream(id) : replaceAndTest(id, credential)),
    onSuccess: (next) => onChange({ ...added, test: next }),
  });
  const remove = useChange("removeUpstream");
  const trouble = again.error ?? remove.error;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        again.mutate(formFields(event.currentTarget, "credential").credential.trim());
      }}
    >
      <Notice tone="bad" title={`${id} does not work yet`}>
        {test.problem}
      </Notice>
      {isTyping && <TextField label="Another credential" name="credential" type="password" required autoFocus />}
      {trouble && <Notice tone="bad">{trouble.message}</Notice>}
      <div className="flex flex-wrap gap-2">
        {isTyping ? (
          <Button type="submit" weight="primary" busy={again.isPending}>
            Replace and test
          </Button>
        ) : (
          <>
            <Button weight={isUnreachable ? "primary" : "plain"} busy={again.isPending} onClick={() => again.mutate(null)}>
              Test again
            </Button>
            <Button weight={isUnreachable ? "plain" : "primary"} onClick={() => setTyping(true)}>
              Try another credential
            </Button>
          </>
        )}
        <Button
          weight="quiet"
          busy={remove.isPending}
          onClick={() => remove.mutate({ path: { id } }, { onSuccess: () => onChange(undefined) })}
        >
          Remove it and begin anew
        </Button>
      </div>
    </form>
  );
}
