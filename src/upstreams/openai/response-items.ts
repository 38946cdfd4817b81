import { isObject } from "../../lib/schema/schema.ts";

type Json = Readonly<Record<string, unknown>>;

/** Where the text of an item's deltas is in the item: the list, the type of its part, and the part's field. */
interface TextKind {
  readonly list: "content" | "summary";
  readonly type: string;
  readonly field: string;
}

/** By the beginning of the names of its events: `….delta` and `….done`. */
const TEXTS: Readonly<Record<string, TextKind>> = {
  "response.output_text": { list: "content", type: "output_text", field: "text" },
  "response.refusal": { list: "content", type: "refusal", field: "refusal" },
  "response.reasoning_text": { list: "content", type: "reasoning_text", field: "text" },
  "response.reasoning_summary_text": { list: "summary", type: "summary_text", field: "text" },
};

/** The lists of parts, by the beginning of the names of their events: `….added` and `….done`. */
const PARTS = { "response.content_part": "content", "response.reasoning_summary_part": "summary" } as const;

type PartEvent = keyof typeof PARTS;

interface OpenText {
  readonly list: TextKind["list"];
  /** The index in its list. */
  readonly at: number;
  readonly field: string;
  /** The part as far as it is known without its text. */
  part: Json;
  /** The beginning of the names of its events, while the text is open. */
  event: string | undefined;
  /** The same for the part, while it is open. */
  partEvent: PartEvent | undefined;
  text: string;
}

/** The items of a response in a stream, for an end that the gateway writes. */
export class ResponseItems {
  /** By their index in the output. */
  readonly #items = new Map<number, StreamedItem>();

  take(event: Json): void {
    const { type, output_index: at, item } = event;
    if (typeof type !== "string" || typeof at !== "number") return;
    if (isObject(item)) this.#items.set(at, new StreamedItem(item, at, type === "response.output_item.done"));
    else this.#items.get(at)?.take(type, event);
  }

  /** Closes open messages and reasoning. Returns the events that say so. Calls stay open: a client would run one that is done. */
  close(): Json[] {
    return [...this.#items.values()].flatMap((item) => item.close());
  }

  /** The items that are done, in their order. */
  get output(): Json[] {
    const done = [...this.#items].filter(([, { isDone }]) => isDone);
    return done.toSorted(([one], [other]) => one - other).map(([, { item }]) => item);
  }
}

/** Items that are of use without their end. */
const CLOSABLE: ReadonlySet<unknown> = new Set(["message", "reasoning"]);

class StreamedItem {
  #item: Json;
  readonly #at: number;
  #isDone: boolean;
  /** The texts and parts, by list and index. */
  readonly #texts = new Map<string, OpenText>();

  constructor(item: Json, at: number, isDone: boolean) {
    this.#item = item;
    this.#at = at;
    this.#isDone = isDone;
  }

  get item(): Json {
    return this.#item;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  take(type: string, event: Json): void {
    const end = type.lastIndexOf(".");
    const [stem, verb] = [type.slice(0, end), type.slice(end + 1)];
    const kind = TEXTS[stem];
    if (kind) this.#takeText(stem, verb, kind, event);
    else if (stem in PARTS) this.#takePart(stem as PartEvent, verb, event);
  }

  #takeText(event: string, verb: string, { list, type, field }: TextKind, fields: Json): void {
    const { delta, [field]: whole } = fields;
    const text = this.#textAt(list, fields, field);
    if (text.part["type"] === undefined) text.part = { type };
    if (verb === "delta" && typeof delta === "string") [text.event, text.text] = [event, text.text + delta];
    if (verb === "done") [text.event, text.text] = [undefined, typeof whole === "string" ? whole : text.text];
  }

  #takePart(event: PartEvent, verb: string, fields: Json): void {
    const part = isObject(fields["part"]) ? fields["part"] : {};
    const text = this.#textAt(PARTS[event], fields, part["type"] === "refusal" ? "refusal" : "text");
    text.part = part;
    text.partEvent = verb === "added" ? event : undefined;
  }

  #textAt(list: TextKind["list"], fields: Json, field: string): OpenText {
    const at = Number(fields[`${list}_index`] ?? 0);
    const key = `${list} ${at}`;
    let text = this.#texts.get(key);
    if (!text) {
      text = { list, at, field, part: {}, event: undefined, partEvent: undefined, text: "" };
      this.#texts.set(key, text);
    }
    return text;
  }

  close(): Json[] {
    if (this.#isDone || !CLOSABLE.has(this.#item["type"])) return [];
    this.#isDone = true;
    const events = [...this.#texts.values()].flatMap((text) => this.#closeText(text));
    this.#item = { ...this.#item, ...("status" in this.#item && { status: "incomplete" }), ...this.#written() };
    return [...events, { type: "response.output_item.done", output_index: this.#at, item: this.#item }];
  }

  #closeText(open: OpenText): Json[] {
    const { list, field, at, event, partEvent, text } = open;
    const place = { item_id: this.#item["id"], output_index: this.#at, [`${list}_index`]: at };
    const events: Json[] = [];
    if (event !== undefined) events.push({ type: `${event}.done`, ...place, [field]: text });
    if (partEvent !== undefined) events.push({ type: `${partEvent}.done`, ...place, part: partOf(open) });
    return events;
  }

  /** The lists of the item that its deltas have written. */
  #written(): Json {
    const lists: Record<string, Json[]> = {};
    for (const open of this.#texts.values()) (lists[open.list] ??= []).push(partOf(open));
    return lists;
  }
}

function partOf({ part, field, text }: OpenText): Json {
  return { ...part, [field]: text };
}
