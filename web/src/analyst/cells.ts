// What the cells of the table say.
import { valueIn, type Field } from "../show/fields";
import { valueText } from "../show/values";
import type { Row, Value } from "../transport/transport";
import { f } from "../words/words.svelte";
import type { Results } from "./results";

export interface Cell {
  text: string;
  /** What the nearest way makes of it. */
  after?: string;
  error?: string;
  tone?: string;
}

export interface GridColumn {
  key: string;
  title: string;
  width: number;
  numeric: boolean;
  cell: (row: number) => Cell;
}

/** A value of a field, or of a column that the model does not know, as short as a cell needs it. */
export function cellText(field: Field | null, value: Value): string {
  if (value === null || value === undefined) return "–";
  if (field) return valueText(field, value, false);
  return typeof value === "number" ? f().number(value, Number.isInteger(value) ? 0 : 3) : String(value);
}

/** What the nearest way makes of a field; undefined where it stays as it is. */
export function fieldAfter(field: Field, row: Row, results: Results, at: number): Value | undefined {
  if (!field.group) return results.after(at, field.name);
  const changes = field.features.filter((one) => results.after(at, one.name) !== undefined);
  if (!changes.length) return undefined;
  const edited = Object.fromEntries(changes.map((one) => [one.name, results.after(at, one.name)!]));
  return valueIn(field, { ...row, ...edited });
}

/** How wide a column is, in pixels: its title and some of its texts fit. */
export function widthOf(title: string, samples: string[]): number {
  const lengths = samples.map((text) => text.length).sort((a, b) => a - b);
  const usual = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  return Math.round(Math.min(240, Math.max(72, 9 * title.length + 40, 8 * usual + 28)));
}
