import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Page } from "../../parts/page.tsx";
import { Answers } from "./responses.tsx";
import { Choices, type Choose, type Chosen } from "./key-and-models.tsx";
import { Composer } from "./composer.tsx";
import { turn } from "./conversation.ts";
import type { Draft } from "./draft.ts";
import { GetCode } from "./get-code.tsx";
import { Settings } from "./settings.tsx";
import { TurnList } from "./turn-list.tsx";
import { useConversation, type Conversation } from "./use-conversation.ts";
import { useFollow } from "./use-auto-scroll.ts";

interface WorkbenchProps {
  readonly chosen: Chosen;
  readonly onChoose: Choose;
  /** What it begins with. */
  readonly begin: Draft;
  readonly firstQuestion: string;
  readonly notice: ReactNode;
}

/** The messages, the answers to them, and how they are asked for. */
export function Workbench({ chosen, onChoose, begin, firstQuestion, notice }: WorkbenchProps): ReactNode {
  const models = [chosen.model, chosen.beside].filter((model) => model !== null);
  const conversation = useConversation(chosen.key, models, begin, firstQuestion);
  const { draft, change, clear, bodyFor } = conversation;
  return (
    <Page
      wide
      title="Playground"
      about="Ask models as one of your keys does. It is charged and logged like any request of the key."
      actions={
        <>
          <Button weight="quiet" onClick={clear}>
            Clear
          </Button>
          <GetCode disabled={models.length === 0} body={() => bodyFor(models[0]!)} />
        </>
      }
    >
      {notice}
      <Choices chosen={chosen} onChoose={onChoose} />
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <Messages {...conversation} />
        <div className="max-xl:order-first">
          <Settings draft={draft} onChange={change} />
        </div>
      </div>
    </Page>
  );
}

function Messages(conversation: Conversation): ReactNode {
  const { draft, change, question, setQuestion, run, canSend, send, stop } = conversation;
  const box = useFollow(run);
  return (
    <div ref={box} className="flex min-w-0 flex-col gap-3">
      <div className="card px-4 py-3">
        <TextArea
          label="System message"
          grows
          rows={2}
          value={draft.system}
          onChange={({ target }) => change({ system: target.value })}
          placeholder="How the model should behave. It may be empty."
        />
      </div>
      <TurnList turns={draft.turns} onChange={(turns) => change({ turns })} />
      {run && <Answers {...conversation} run={run} />}
      <Composer
        question={question}
        onChange={setQuestion}
        canSend={canSend}
        isRunning={run !== null && !run.isOver}
        onSend={send}
        onStop={stop}
      >
        <AddMessage draft={draft} change={change} />
      </Composer>
    </div>
  );
}

/** For a conversation that somebody makes up, as an example for the model. */
function AddMessage({ draft: { turns }, change }: Pick<Conversation, "draft" | "change">): ReactNode {
  return (
    <Menu
      label="Add a message"
      trigger={
        <Button weight="quiet">
          <Plus size={14} aria-hidden />
          Add a message
        </Button>
      }
      items={[
        { label: "Of the user", onSelect: () => change({ turns: [...turns, turn({ role: "user", text: "", pictures: [] })] }) },
        { label: "Of the assistant", onSelect: () => change({ turns: [...turns, turn({ role: "assistant", text: "", toolCalls: [] })] }) },
      ]}
    />
  );
}
