import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { NewKey, Key, LoggedRequest } from "../../../../platform-client/types.ts";
import { buttonClass, Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Loading, Fetched } from "../../parts/states.tsx";
import { useMe } from "../../shell/me.ts";
import { CallStep } from "./call-step.tsx";
import { KeyStep } from "./key-step.tsx";
import { useApiQuery, useApiMutation, useResetOnExpiry } from "../../platform/use-api.ts";
import { Check, ChevronDown } from "lucide-react";
import { Badge } from "../../parts/badge.tsx";
import { classes } from "../../parts/classes.ts";
import { count } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { CreateUpstream } from "./create-upstream.tsx";
import { ModelChecklist } from "./model-checklist.tsx";
import { type TestedUpstream, replaceAndTest, testUpstream } from "./test-upstream.ts";
import { useMutation } from "@tanstack/react-query";
import { withLabels } from "../../platform/readable-message.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";

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

/** The progress of the guide, derived from existing resources. */
export interface GuideProgress {
  readonly isLoading: boolean;
  /** The IDs of upstreams that serve a model, without the built-in echo. */
  readonly upstreams: readonly string[];
  readonly key: Key | undefined;
  readonly request: LoggedRequest | undefined;
}

const POLL_MS = 1500;

export function useProgress(): GuideProgress {
  const { isOperator } = useMe();
  const upstreams = useApiQuery("listUpstreams", { query: { limit: 50 } }, { enabled: isOperator });
  const keys = useApiQuery("listKeys", { query: { state: "active", limit: 1 } });
  const request = useFirstRequest();
  return {
    isLoading: (isOperator && upstreams.isPending) || keys.isPending,
    upstreams: (upstreams.data?.data ?? []).filter(({ dialect, models }) => dialect !== "echo" && models.length > 0).map(({ id }) => id),
    key: keys.data?.data[0],
    request,
  };
}

/** Polls until there is a request. */
function useFirstRequest(): LoggedRequest | undefined {
  const query = { query: { limit: 1 } };
  const request = useApiQuery("listRequests", query).data?.data[0];
  useApiQuery("listRequests", query, { every: POLL_MS, enabled: request === undefined });
  return request;
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** A collapsible step of the guide. */
export function Step({ number, title, isDone, isOpen, onToggle, children }: StepProps): ReactNode {
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)} className="group card min-w-0">
      <summary className="flex list-none items-center gap-3 px-4 py-3.5 [&::-webkit-details-marker]:hidden">
        <span
          aria-hidden
          className={classes(
            "figures flex size-6 shrink-0 items-center justify-center rounded-full text-sm font-medium",
            isDone ? "bg-good-fill text-good" : isOpen ? "bg-accent-fill text-on-accent" : "bg-sunken text-ink-2",
          )}
        >
          {isDone ? <Check size={14} /> : number}
        </span>
        <h2 className="min-w-0 flex-1 font-semibold">{title}</h2>
        {isDone && <Badge tone="good">done</Badge>}
        <ChevronDown size={16} className="shrink-0 text-ink-3 transition-transform group-open:rotate-180" aria-hidden />
      </summary>
      <div className="flex flex-col gap-4 border-t border-line px-4 py-4">{children}</div>
    </details>
  );
}

interface UpstreamStepProps {
  /** The existing upstreams. */
  readonly upstreams: readonly string[];
  /** Called with a model that can be called now, or with undefined to use the echo model. */
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

interface FixUpstreamProps {
  readonly added: TestedUpstream;
  /** Called with undefined after the upstream was removed. */
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
