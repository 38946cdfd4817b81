import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { ConnectionTest, Provider } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { count } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Fetched } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import { CreateUpstream } from "./create-upstream.tsx";
import { FixUpstream } from "./fix-upstream.tsx";
import { ModelChecklist } from "./model-checklist.tsx";

/** An upstream that was just made, and how its last test went. */
export interface Added {
  readonly id: string;
  readonly provider: Provider;
  readonly test: ConnectionTest;
}

interface UpstreamStepProps {
  /** Those that are there. */
  readonly upstreams: readonly string[];
  /** With a model that can be asked now, or without one where the echo is enough. */
  readonly onDone: (model: string | undefined) => void;
}

/** The first step: a provider, and some of its models. */
export function UpstreamStep({ upstreams, onDone }: UpstreamStepProps): ReactNode {
  const about = useLook("showAbout", {});
  const [added, setAdded] = useState<Added>();
  if (added && !added.test.ok) return <FixUpstream added={added} onChange={setAdded} />;
  if (added) return <Working added={added} onDone={onDone} />;
  return (
    <>
      <p className="text-ink-2">
        {upstreams.length === 0
          ? "An upstream is a provider that answers, with your credential there."
          : `There is one already: ${upstreams.join(", ")}. You can add another.`}
      </p>
      <Fetched of={about} lines={4}>
        {({ providers }) => <CreateUpstream providers={providers} onAdded={setAdded} />}
      </Fetched>
      <p className="text-sm text-ink-3">
        Another server that speaks one of their interfaces is added under{" "}
        <Link to="/upstreams" className={textLink}>
          Upstreams
        </Link>
        .
      </p>
      <div className="border-t border-line pt-3">
        <Button onClick={() => onDone(undefined)}>
          {upstreams.length === 0 ? "Skip: the echo model works without any provider" : "Go on with what there is"}
        </Button>
      </div>
    </>
  );
}

function Working({ added: { id, provider, test }, onDone }: { readonly added: Added } & Pick<UpstreamStepProps, "onDone">): ReactNode {
  const models = test.names.map((name, at) => ({ name, id: test.ids[at]! }));
  return (
    <>
      <Notice tone="good" title={`${id} works`}>
        {test.models === null ? "It does not list its models: name one yourself." : `It lists ${count(test.models)} models.`}
      </Notice>
      {/* A machine of one's own sends no bill. */}
      <ModelChecklist upstream={id} isFree={!provider.needs_credential} models={models} onDone={onDone} />
    </>
  );
}
