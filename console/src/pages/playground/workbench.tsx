import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/inputs/field.tsx";
import { Menu } from "../../parts/overlays/menu.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { Responses } from "./response/responses.tsx";
import { KeyAndModels, type Selection } from "./settings/key-and-models.tsx";
import { Composer } from "./prompt/composer.tsx";
import { turn } from "./conversation.ts";
import { withoutLane, type Draft } from "./draft.ts";
import { GetCode } from "./get-code.tsx";
import { HistoryButton } from "./history/history-dialog.tsx";
import type { StoredRun } from "./history/stored-run.ts";
import { SavedPromptsButton } from "./saved-prompts/saved-prompts-dialog.tsx";
import { Settings } from "./settings/settings.tsx";
import { TurnList } from "./prompt/turn-list.tsx";
import { useConversation, type Conversation } from "./use-conversation.ts";
import { useAutoScroll } from "./use-auto-scroll.ts";
import { VariableFields } from "./prompt/variable-fields.tsx";
import { userTexts, variablesIn } from "./prompt/variables.ts";

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
