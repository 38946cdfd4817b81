import { Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button, IconButton } from "../../../parts/button.tsx";
import { Dialog, DialogBody } from "../../../parts/overlays/dialog.tsx";
import { TextField } from "../../../parts/inputs/field.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { readStored, store } from "../browser-store.ts";

interface SavedPromptsProps {
  /** The ID of the signed-in person. */
  readonly person: string;
  /** The system message in the form. */
  readonly system: string;
  readonly onUse: (system: string) => void;
}

export function SavedPromptsButton(props: SavedPromptsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small weight="quiet" onClick={() => setOpen(true)}>
        Saved prompts
      </Button>
      {isOpen && <SavedPromptsDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function SavedPromptsDialog({ person, system, onUse, onClose }: SavedPromptsProps & { readonly onClose: () => void }): ReactNode {
  const [prompts, setPrompts] = useState(() => readPrompts(person));
  const refresh = (): void => setPrompts(readPrompts(person));
  return (
    <Dialog open onClose={onClose} title="Saved system prompts" about="They are stored in this browser only.">
      <DialogBody>
        {system.trim() === "" ? (
          <p className="text-ink-2">To save a prompt, enter it as system message first.</p>
        ) : (
          <SaveForm person={person} system={system} prompts={prompts} onSaved={refresh} />
        )}
        <ul aria-label="Saved prompts" className="flex flex-col divide-y divide-line empty:hidden">
          {prompts.map((prompt) => (
            <PromptRow
              key={prompt.name}
              prompt={prompt}
              onUse={() => {
                onUse(prompt.text);
                onClose();
              }}
              onRemove={() => {
                removePrompt(person, prompt.name);
                refresh();
              }}
            />
          ))}
        </ul>
      </DialogBody>
    </Dialog>
  );
}

interface SaveFormProps {
  readonly person: string;
  readonly system: string;
  readonly prompts: readonly SavedPrompt[];
  readonly onSaved: () => void;
}

function SaveForm({ person, system, prompts, onSaved }: SaveFormProps): ReactNode {
  const [name, setName] = useState("");
  const [hasFailed, setFailed] = useState(false);
  const isReplaced = prompts.some((prompt) => prompt.name === name.trim());
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const isSaved = savePrompt(person, { name: name.trim(), text: system });
        setFailed(!isSaved);
        if (!isSaved) return;
        setName("");
        onSaved();
      }}
    >
      <div className="flex items-end gap-2">
        <TextField
          label="Save the current system message as"
          className="flex-1"
          maxLength={80}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" weight="primary" disabled={name.trim() === ""}>
          {isReplaced ? "Replace" : "Save"}
        </Button>
      </div>
      {hasFailed && <Notice tone="bad">The browser cannot store more. At most {MAX_PROMPTS} prompts are possible.</Notice>}
    </form>
  );
}

interface PromptRowProps {
  readonly prompt: SavedPrompt;
  readonly onUse: () => void;
  readonly onRemove: () => void;
}

function PromptRow({ prompt: { name, text }, onUse, onRemove }: PromptRowProps): ReactNode {
  return (
    <li className="flex items-center gap-1 py-1">
      <button type="button" onClick={onUse} className="min-w-0 flex-1 rounded-md px-2 py-1.5 text-left hover:bg-hover">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-sm text-ink-3">{text}</span>
      </button>
      <IconButton small label={`Remove prompt: ${name}`} onClick={onRemove}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </li>
  );
}

/** A system message with a name. Like the history, it stays in this browser: the server stores prompts only if an account enables it. */
interface SavedPrompt {
  readonly name: string;
  readonly text: string;
}

const MAX_PROMPTS = 100;

const nameFor = (person: string): string => `tollgate-playground-prompts-1:${person}`;

/** The saved prompts, sorted by name. */
function readPrompts(person: string): readonly SavedPrompt[] {
  const stored = readStored(nameFor(person));
  return Array.isArray(stored) ? (stored as SavedPrompt[]) : [];
}

/** Saves a prompt, or replaces the prompt with this name. False if the browser cannot store it. */
function savePrompt(person: string, prompt: SavedPrompt): boolean {
  const others = readPrompts(person).filter(({ name }) => name !== prompt.name);
  if (others.length >= MAX_PROMPTS) return false;
  return store(
    nameFor(person),
    [...others, prompt].toSorted((a, b) => a.name.localeCompare(b.name)),
  );
}

function removePrompt(person: string, name: string): void {
  store(
    nameFor(person),
    readPrompts(person).filter((prompt) => prompt.name !== name),
  );
}
