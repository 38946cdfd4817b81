import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { NewKey } from "../../../../platform-client/types.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Loading } from "../../parts/states.tsx";
import { useMe } from "../../shell/me.ts";
import { CallStep } from "./call-step.tsx";
import { KeyStep } from "./key-step.tsx";
import { Step } from "./step.tsx";
import { UpstreamStep } from "./upstream-step.tsx";
import { useProgress, type GuideProgress } from "./use-progress.ts";

/** The setup guide, from a new gateway to a first call: three steps, two for members. */
export function StartPage(): ReactNode {
  const progress = useProgress();
  const { isOperator } = useMe();
  return (
    <Page
      title="Get started"
      about={`${isOperator ? "Connect a provider, create a key," : "Create a key"} and make a first call. It takes about a minute.`}
      actions={
        <Link to="/" className={buttonClass("quiet")}>
          {progress.request ? "Close guide" : "Skip guide"}
        </Link>
      }
    >
      {progress.isLoading ? (
        <div className="card">
          <Loading />
        </div>
      ) : (
        <Guide progress={progress} />
      )}
    </Page>
  );
}

type StepName = "upstream" | "key" | "call";

function Guide({ progress }: { readonly progress: GuideProgress }): ReactNode {
  const { isOperator } = useMe();
  const [open, setOpen] = useState<StepName | null>(() => firstStep(progress, isOperator));
  const [model, setModel] = useState<string>();
  const [created, setCreated] = useState<NewKey>();
  const step = (name: StepName, number: number): Omit<Parameters<typeof Step>[0], "title" | "isDone" | "children"> => ({
    number: isOperator ? number : number - 1,
    isOpen: open === name,
    onToggle: (isOpen) => setOpen((now) => (isOpen ? name : now === name ? null : now)),
  });
  return (
    <div className="flex max-w-3xl flex-col gap-3">
      {isOperator && (
        <Step {...step("upstream", 1)} title="Create upstream" isDone={progress.upstreams.length > 0}>
          <UpstreamStep
            upstreams={progress.upstreams}
            onDone={(id) => {
              setModel(id);
              setOpen("key");
            }}
          />
        </Step>
      )}
      <Step {...step("key", 2)} title="Create key" isDone={progress.key !== undefined}>
        <KeyStep existing={progress.key} created={created} onCreated={setCreated} onDone={() => setOpen("call")} />
      </Step>
      <Step {...step("call", 3)} title="Make the first call" isDone={progress.request !== undefined}>
        <CallStep keyId={created?.id ?? progress.key?.id} secret={created?.key ?? null} model={model} request={progress.request} />
      </Step>
    </div>
  );
}

function firstStep({ upstreams }: GuideProgress, isOperator: boolean): StepName {
  return isOperator && upstreams.length === 0 ? "upstream" : "key";
}
