// What a person has said so far: plain data, so that it can be kept, undone, linked and restored.
import type { Session } from "../app/session";
import type { Field } from "../show/fields";
import type { Change, Question, Row, Value } from "../transport/transport";

export const EFFORTS = ["very_easy", "easy", "normal", "hard", "very_hard", "impossible"] as const;
export type Effort = (typeof EFFORTS)[number];

/** What is wished of one field; what is left out does not matter. */
export interface Wish {
  effort?: Effort;
  way?: "up" | "down";
  low?: Value;
  high?: Value;
  levels?: Value[];
}

/** A way that is kept: all that is needed to show it without asking again. */
export interface Kept {
  row: Row;
  values: Row;
  changes: Change[];
  prediction: Value;
  score: number | null;
  threshold: number | null;
}

export interface State {
  row: Row;
  wishes: Record<string, Wish>;
  /** At most so many features change; null: any number. */
  most: number | null;
  /** An edited row, whose score is shown; null: nothing is edited. */
  draft: Row | null;
  kept: Kept[];
  /** The rest of the question, as the contract has it. */
  options: Omit<Question, "rows">;
}

/** The state before anything is said. */
export function freshState(session: Session, row: Row = session.first): State {
  return { row, wishes: {}, most: null, draft: null, kept: [], options: { k: 4, ...session.start.options } };
}

/** A state of a link, of which nothing is believed: what does not fit is left out. */
export function readState(given: unknown, session: Session): State {
  const fresh = freshState(session);
  if (!isObject(given)) return fresh;
  const row = readRow(given.row, session) ?? fresh.row;
  const wishes = isObject(given.wishes) ? given.wishes : {};
  const known = session.fields.filter((field) => isObject(wishes[field.name]));
  const options = isObject(given.options) ? { ...fresh.options, ...given.options } : fresh.options;
  return {
    row,
    wishes: Object.fromEntries(known.map((field) => [field.name, readWish(wishes[field.name], field)])),
    most: isCount(given.most) ? given.most : null,
    draft: readRow(given.draft, session),
    kept: Array.isArray(given.kept) ? given.kept.filter((one) => isKept(one, session)).slice(0, 20) : [],
    options: options as State["options"],
  };
}

function readRow(given: unknown, session: Session): Row | null {
  if (!isObject(given)) return null;
  const columns = [...session.model.features.map((one) => one.name), ...session.model.carried];
  const own = columns.map((name) => [name, isValue(given[name]) ? given[name] : (session.first[name] ?? null)]);
  return Object.fromEntries(own) as Row;
}

function readWish(given: unknown, field: Field): Wish {
  const { effort, way, low, high, levels } = given as Record<string, unknown>;
  const wish: Wish = {};
  if (EFFORTS.includes(effort as Effort) && effort !== "normal") wish.effort = effort as Effort;
  if (way === "up" || way === "down") wish.way = way;
  if (field.kind !== "choice" && low != null && isValue(low)) wish.low = low;
  if (field.kind !== "choice" && high != null && isValue(high)) wish.high = high;
  if (field.kind === "choice" && Array.isArray(levels)) {
    wish.levels = levels.filter((level) => field.options.some((one) => one.value === level));
  }
  return wish;
}

function isKept(given: unknown, session: Session): given is Kept {
  return (
    isObject(given) &&
    readRow(given.row, session) !== null &&
    readRow(given.values, session) !== null &&
    Array.isArray(given.changes) &&
    given.changes.every((one) => isObject(one) && typeof one.feature === "string") &&
    [given.score, given.threshold].every((one) => one === null || typeof one === "number") &&
    isValue(given.prediction)
  );
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

function isValue(given: unknown): given is Value {
  return given === null || ["string", "number", "boolean"].includes(typeof given);
}

function isCount(given: unknown): given is number {
  return Number.isInteger(given) && (given as number) > 0;
}

/** Whether a wish says anything. */
export function isEmpty(wish: Wish | undefined): boolean {
  return !wish || Object.values(wish).every((part) => part === undefined);
}
