// Questions of two changes each, whose answers say how hard a change is.
import { changesOf, type Field, type FieldChange } from "../show/fields";
import type { Explained } from "../transport/transport";
import { withWish } from "./question";
import { EFFORTS, type Effort, type State } from "./state";

export const QUESTIONS = 6;

export type Answer = "first" | "second" | "same" | "not_first" | "not_second";

/** Changes that ways suggest, one of each field, without those that only follow. */
export function suggestedChanges(reply: Explained, fields: Field[]): FieldChange[] {
  const found = new Map<string, FieldChange>();
  for (const way of reply.answers) {
    for (const change of changesOf(fields, way.changes)) {
      if (!change.follows && !found.has(change.field.name)) found.set(change.field.name, change);
    }
  }
  return [...found.values()];
}

export function pairKey(one: FieldChange, other: FieldChange): string {
  return JSON.stringify([one.field.name, other.field.name].sort());
}

/** The next two changes to compare: fields that were asked about the least, and no pair twice. */
export function nextPair(changes: FieldChange[], asked: string[]): [FieldChange, FieldChange] | null {
  const often = (change: FieldChange) => asked.filter((pair) => (JSON.parse(pair) as string[]).includes(change.field.name)).length;
  let best: [FieldChange, FieldChange] | null = null;
  let least = Infinity;
  changes.forEach((one, i) => {
    for (const other of changes.slice(i + 1)) {
      const count = often(one) + often(other);
      if (count < least && !asked.includes(pairKey(one, other))) [best, least] = [[one, other], count];
    }
  });
  return best;
}

/** The state after an answer: the easier change costs less, the other more. */
export function answered(state: State, [one, other]: [FieldChange, FieldChange], answer: Answer): State {
  if (answer === "same") return state;
  if (answer === "not_first") return withWish(state, one.field, { effort: "impossible" });
  if (answer === "not_second") return withWish(state, other.field, { effort: "impossible" });
  const [easier, harder] = answer === "first" ? [one, other] : [other, one];
  return shifted(shifted(state, easier.field, -1), harder.field, 1);
}

function shifted(state: State, field: Field, by: number): State {
  const now = EFFORTS.indexOf(state.wishes[field.name]?.effort ?? "normal");
  const effort: Effort = EFFORTS[Math.min(EFFORTS.length - 2, Math.max(0, now + by))]!;
  return withWish(state, field, { effort: effort === "normal" ? undefined : effort });
}
