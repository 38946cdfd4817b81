import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { count } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Fetched } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import { CreateUpstream } from "./create-upstream.tsx";
import { FixUpstream } from "./fix-upstream.tsx";
import { ModelChecklist } from "./model-checklist.tsx";
import type { TestedUpstream } from "./test-upstream.ts";

interface UpstreamStepProps {
  /** The existing upstreams. */
  readonly upstreams: readonly string[];
  /** With a model that can be called now, or undefined to use the echo model. */
  readonly onDone: (model: string | undefined) => void;
}

/** The first step: a provider, and some of its models. */
export function UpstreamStep({ upstreams, onDone }: UpstreamStepProps): ReactNode {
  const about = useApiQuery("showAbout", {});
  const [added, setAdded] = useState<TestedUpstream>();
  if (added && !added.test.ok) return <FixUpstream added={added} onChange={setAdded} />;
  if (added) return <Connected added={added} onDone={onDone} />;
  return (
    <>
      <p className="wrap-anywhere text-ink-2">
        {upstreams.length === 0
          ? "An upstream is a model provider with your credential."
          : `You already have: ${upstreams.join(", ")}. You can create another.`}
      </p>
      <Fetched of={about} lines={4}>
        {({ providers }) => <CreateUpstream providers={providers} onAdded={setAdded} />}
      </Fetched>
      <p className="text-sm text-ink-3">
        To add another server with a compatible API, go to{" "}
        <Link to="/upstreams" className={textLink}>
          Upstreams
        </Link>
        .
      </p>
      <div className="border-t border-line pt-3">
        <Button onClick={() => onDone(undefined)}>
          {upstreams.length === 0 ? "Skip: use the echo model, without a provider" : "Continue with existing upstreams"}
        </Button>
      </div>
    </>
  );
}

function Connected({
  added: { id, provider, test },
  onDone,
}: { readonly added: TestedUpstream } & Pick<UpstreamStepProps, "onDone">): ReactNode {
  const models = test.names.map((name, at) => ({ name, id: test.ids[at]! }));
  return (
    <>
      <Notice tone="good" title={`${id} is connected`}>
        {test.models === null ? "It does not list its models. Enter a model name." : `It lists ${count(test.models)} models.`}
      </Notice>
      {/* Self-hosted servers cost nothing per token. */}
      <ModelChecklist upstream={id} isFree={!provider.needs_credential} models={models} onDone={onDone} />
    </>
  );
}
