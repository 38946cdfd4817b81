import { readStored, store } from "../browser-store.ts";

/** A system message with a name. Like the history, it stays in this browser: the server stores prompts only where an account wants it. */
export interface SavedPrompt {
  readonly name: string;
  readonly text: string;
}

export const MAX_PROMPTS = 100;

const nameFor = (person: string): string => `tollgate-playground-prompts-1:${person}`;

/** By name. */
export function readPrompts(person: string): readonly SavedPrompt[] {
  const stored = readStored(nameFor(person));
  return Array.isArray(stored) ? (stored as SavedPrompt[]) : [];
}

/** Saves a prompt, or replaces the one of this name. False if the browser cannot store it. */
export function savePrompt(person: string, prompt: SavedPrompt): boolean {
  const others = readPrompts(person).filter(({ name }) => name !== prompt.name);
  if (others.length >= MAX_PROMPTS) return false;
  return store(
    nameFor(person),
    [...others, prompt].toSorted((a, b) => a.name.localeCompare(b.name)),
  );
}

export function removePrompt(person: string, name: string): void {
  store(
    nameFor(person),
    readPrompts(person).filter((prompt) => prompt.name !== name),
  );
}
