import { ERASED, type Attribution } from "../../../money/attribution.ts";

/** An end user to erase: its names, and the conversations that it took part in. */
export interface ErasedNames {
  readonly users: ReadonlySet<string>;
  readonly conversations: ReadonlySet<string>;
}

/** The attribution without these names, or undefined if it has none of them. Tags do not identify a person, so they stay. */
export function eraseNames(attribution: Attribution, { users, conversations }: ErasedNames): Attribution | undefined {
  const { user, conversation } = attribution;
  const isUser = user !== undefined && users.has(user);
  const isConversation = conversation !== undefined && conversations.has(conversation);
  if (!isUser && !isConversation) return undefined;
  return { ...attribution, ...(isUser && { user: ERASED }), ...(isConversation && { conversation: ERASED }) };
}
