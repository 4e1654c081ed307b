// A file of what was asked and answered, with a record that the service can verify.
import type { Reply, Request } from "../transport/transport";
import type { Desk } from "./desk.svelte";
import { questionOf } from "./question";

type Record = Request<"verify">["record"];

/** What a saved file holds: the question, the reply, what was kept, and the record. */
export interface Saved {
  ifonly: "explained decision";
  time: string;
  question: Request<"explain">;
  reply: Reply<"explain"> | null;
  kept: unknown[];
  /** Null where the reader may not see what a record holds. */
  record: Record | null;
}

/** Ask for the record, and let the browser save the file. */
export async function saveFile(desk: Desk): Promise<void> {
  const { session, state } = desk;
  const answered = desk.answered ?? state;
  const [question, reply, time] = [questionOf(answered, session.fields), desk.record, new Date()];
  const { records } = await session.transport.ask("record", question);
  const [record] = records;
  const saved: Saved = { ifonly: "explained decision", time: time.toISOString(), question, reply, kept: state.kept, record: record ?? null };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(saved, null, 1)], { type: "application/json" }));
  link.download = `ifonly-${time.toISOString().slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The record of a saved file; null where it has none. */
export function recordIn(text: string): Record | null {
  try {
    const saved = JSON.parse(text) as Partial<Saved> | null;
    return saved?.record ?? null;
  } catch {
    return null;
  }
}
