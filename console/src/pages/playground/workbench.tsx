import { Plus } from "lucide-react";
import { useState, type ReactNode, useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { Button } from "../../parts/button.tsx";
import { TextArea, SelectField } from "../../parts/inputs/field.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { KeyAndModels, type Selection } from "./settings/key-and-models.tsx";
import { Composer } from "./prompt/composer.tsx";
import { turn } from "./conversation.ts";
import { withoutLane, type Draft } from "./draft.ts";
import { HistoryButton } from "./history/history-dialog.tsx";
import type { StoredRun } from "./history/stored-run.ts";
import { SavedPromptsButton } from "./saved-prompts/saved-prompts-dialog.tsx";
import { Settings } from "./settings/settings.tsx";
import { TurnList } from "./prompt/turn-list.tsx";
import { useConversation, type Conversation } from "./use-conversation.ts";
import { userTexts, variablesIn, type Variables } from "./prompt/variables.ts";
import { classes } from "../../parts/classes.ts";
import { ResponseCard } from "./response/response-card.tsx";
import type { Run } from "./use-run.ts";
import { Code } from "../../parts/code.tsx";
import { Dialog, DialogBody } from "../../parts/overlays/dialog.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { snippetsOf } from "../../snippets/snippet.ts";
import { useGatewayUrl } from "../../snippets/use-snippets.ts";

interface WorkbenchProps {
  readonly selection: Selection;
  readonly onSelect: (change: Partial<Selection>) => void;
  readonly initial: Draft;
  readonly firstPrompt: string;
  readonly notice: ReactNode;
}

/** Messages, responses and settings. */
export function Workbench({ selection, onSelect, initial, firstPrompt, notice }: WorkbenchProps): ReactNode {
  const { models } = selection;
  const conversation = useConversation(selection.key, models, initial, firstPrompt);
  const { draft, change, clear, reopen, person, run, bodyFor } = conversation;
  const [runWithImages, setRunWithImages] = useState<string | null>(null);
  const openRun = (stored: StoredRun): void => {
    onSelect({ key: stored.keyId, models: stored.responses.map(({ model }) => model) });
    setRunWithImages(stored.hadImages ? stored.id : null);
    reopen(stored);
  };
  const selectModel = (at: number, model: string | null): void => {
    onSelect({ models: model === null ? models.toSpliced(at, 1) : models.toSpliced(at, 1, model) });
    if (model === null) change(withoutLane(draft, at));
  };
  return (
    <Page
      wide
      title="Playground"
      docs="console#first-steps-and-playground"
      about="Send requests with one of your keys. They are charged and logged like any other request."
      actions={
        <>
          <HistoryButton person={person} onOpen={openRun} />
          <Button weight="quiet" onClick={clear}>
            Clear
          </Button>
          <GetCode models={models} bodyFor={bodyFor} />
        </>
      }
    >
      {notice}
      {run !== null && run.id === runWithImages && <Notice>The history does not store images: add them again to repeat this run.</Notice>}
      <KeyAndModels selection={selection} onSelectKey={(key) => onSelect({ key })} onSelectModel={selectModel} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <Messages {...conversation} />
        <div className="max-xl:order-first">
          <Settings draft={draft} models={models} onChange={change} />
        </div>
      </div>
    </Page>
  );
}

function Messages(conversation: Conversation): ReactNode {
  const { draft, change, prompt, setPrompt, run, canSend, send, stop, person } = conversation;
  const box = useAutoScroll(run);
  return (
    <div ref={box} className="flex min-w-0 flex-col gap-3">
      <div className="card relative px-4 py-3">
        <TextArea
          label="System message"
          grows
          rows={2}
          value={draft.system}
          onChange={({ target }) => change({ system: target.value })}
          placeholder="Instructions for the model (optional)"
        />
        <div className="absolute top-1.5 right-3">
          <SavedPromptsButton person={person} system={draft.system} onUse={(system) => change({ system })} />
        </div>
      </div>
      <TurnList turns={draft.turns} onChange={(turns) => change({ turns })} />
      {run && <Responses {...conversation} run={run} />}
      <VariableFields
        names={variablesIn(userTexts(draft.system, draft.turns, prompt.text))}
        values={draft.variables}
        onChange={(variables) => change({ variables })}
      />
      <Composer
        prompt={prompt}
        onChange={setPrompt}
        canSend={canSend}
        isRunning={run !== null && !run.isOver}
        isComparison={run !== null && run.lanes.length > 1}
        onSend={send}
        onStop={stop}
      >
        <AddMessage draft={draft} change={change} />
      </Composer>
    </div>
  );
}

/** Adds messages by hand, for example as few-shot examples. */
function AddMessage({ draft: { turns }, change }: Pick<Conversation, "draft" | "change">): ReactNode {
  return (
    <Menu
      label="Add message"
      trigger={
        <Button weight="quiet">
          <Plus size={14} aria-hidden />
          Add message
        </Button>
      }
      items={[
        { label: "User message", onSelect: () => change({ turns: [...turns, turn({ role: "user", text: "", images: [] })] }) },
        { label: "Assistant message", onSelect: () => change({ turns: [...turns, turn({ role: "assistant", text: "", toolCalls: [] })] }) },
      ]}
    />
  );
}

interface VariableFieldsProps {
  /** The variables of the messages. */
  readonly names: readonly string[];
  readonly values: Variables;
  readonly onChange: (values: Variables) => void;
}

/** A form for the values of the variables, shown while there are any. */
function VariableFields({ names, values, onChange }: VariableFieldsProps): ReactNode {
  if (names.length === 0) return null;
  return (
    <section aria-label="Variables" className="card flex flex-col gap-3 px-4 py-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {names.map((name) => (
          <TextArea
            key={name}
            label={`{{${name}}}`}
            grows
            rows={1}
            value={Object.hasOwn(values, name) ? values[name] : ""}
            onChange={({ target }) => onChange({ ...values, [name]: target.value })}
            placeholder="No value"
          />
        ))}
      </div>
      <p className="text-sm text-ink-3">A variable without a value is sent as typed.</p>
    </section>
  );
}

type ResponsesProps = Pick<Conversation, "continued" | "continueWith" | "retry" | "sendResults"> & { readonly run: Run };

/** The responses to the last message: one, or up to four side by side. */
function Responses({ run: { lanes, keyId, isOver }, continued, continueWith, retry, sendResults }: ResponsesProps): ReactNode {
  const isComparison = lanes.length > 1;
  return (
    <div className={classes("grid gap-3", isComparison && "lg:grid-cols-2")}>
      {lanes.map((lane, at) => (
        <ResponseCard
          // Several lanes may have the same model, so the position is part of the key.
          key={`${at} ${lane.response.progress().startedAtMs}`}
          lane={lane}
          keyId={keyId}
          isComparison={isComparison}
          isRunOver={isOver}
          onRetry={() => retry(at)}
          onToolResults={(results) => sendResults(at, results)}
          choice={isComparison && isOver && <ContinueWith isChosen={at === continued} onChoose={() => continueWith(at)} />}
        />
      ))}
    </div>
  );
}

function ContinueWith({ isChosen, onChoose }: { readonly isChosen: boolean; readonly onChoose: () => void }): ReactNode {
  return (
    <label className="flex h-7 items-center gap-1.5 text-sm whitespace-nowrap">
      <input type="radio" name="continue-with" checked={isChosen} onChange={onChoose} className="size-3.5 accent-accent-fill" />
      Continue with this
    </label>
  );
}

/** This many pixels from the end count as the end. */
const NEAR_PX = 40;

/** Keeps the end of the stream in view. Scrolling up pauses this until the user is back at the end. */
function useAutoScroll(run: Run | null): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(false);
  const lanes = run?.lanes;
  const isRunning = run !== null && !run.isOver;
  useLayoutEffect(() => {
    isFollowing.current = lanes !== undefined;
  }, [lanes]);
  useEffect(() => {
    if (!isRunning) return;
    let lastY = scrollY;
    const follow = (): void => {
      if (isFollowing.current && below(box.current) > 0) scrollBy({ top: below(box.current), behavior: "instant" });
    };
    const onScroll = (): void => {
      if (below(box.current) <= NEAR_PX) isFollowing.current = true;
      else if (scrollY < lastY) isFollowing.current = false;
      lastY = scrollY;
    };
    const growth = new ResizeObserver(follow);
    growth.observe(box.current!);
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      growth.disconnect();
      removeEventListener("scroll", onScroll);
      // The footer of a response appears when it ends.
      requestAnimationFrame(follow);
    };
  }, [lanes, isRunning]);
  return box;
}

/** The height of the content below the viewport. */
function below(box: HTMLElement | null): number {
  return box ? Math.ceil(box.getBoundingClientRect().bottom + 8 - innerHeight) : 0;
}

interface GetCodeProps {
  readonly models: readonly string[];
  readonly bodyFor: (model: string, at: number) => Readonly<Record<string, unknown>>;
}

/** The request to each model as code. The key is not included: the console never has the plaintext key. */
function GetCode({ models, bodyFor }: GetCodeProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  // One of the models may have been removed since.
  const shown = Math.min(at, models.length - 1);
  return (
    <>
      <Button onClick={() => setOpen(true)} disabled={models.length === 0}>
        Get code
      </Button>
      {isOpen && (
        <Dialog open wide onClose={() => setOpen(false)} title="Request as code" about="The code reads the key from OPENAI_API_KEY.">
          <DialogBody>
            {models.length > 1 && (
              <SelectField
                label="Model"
                choices={models.map((model, index) => ({ value: String(index), label: model }))}
                value={String(shown)}
                onChange={({ target }) => setAt(Number(target.value))}
              />
            )}
            <Snippets body={bodyFor(models[shown]!, shown)} />
          </DialogBody>
        </Dialog>
      )}
    </>
  );
}

function Snippets({ body }: { readonly body: Readonly<Record<string, unknown>> }): ReactNode {
  const baseUrl = useGatewayUrl();
  if (baseUrl === undefined) return <Loading />;
  const tabs = snippetsOf({ baseUrl, key: null, body }).map(({ id, label, text }) => ({
    id,
    label,
    content: <Code text={text} label={label} />,
  }));
  return <Tabs label="Languages" tabs={tabs} />;
}
